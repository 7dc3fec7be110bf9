// A program for tests: upgrades the format of a store in small writes. Arguments: path, rows of one write. Prints a line
// before each write and one at the end.
import { writeSync } from "node:fs";
import { silentLogger } from "../../src/base/log.ts";
import { assertLease, openLeased } from "../../src/store/lmdb/lease.ts";
import { beginUpgrade, finishUpgrade } from "../../src/store/lmdb/upgrades.ts";

const [path = "", rows = "1"] = process.argv.slice(2);
const { environment, lease } = await openLeased({
  path,
  onTake: ({ tables, format }) => beginUpgrade(tables, format),
});
const assertWriter = (): void => {
  assertLease(environment.tables, lease.row, environment.path);
  writeSync(1, "write\n");
};
await finishUpgrade(environment, { logger: silentLogger, assertWriter, writeRows: Number(rows) });
await lease.release();
await environment.close();
writeSync(1, "done\n");
