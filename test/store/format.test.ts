// Data formats by number: any other than this program's is refused, and the file stays as it is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { FORMAT, META } from "../../src/store/lmdb/tables.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";
import { temporaryFolder } from "../support/temporary.ts";

let path = "";

beforeEach(async () => {
  path = join(temporaryFolder(), "data");
  const store = await openLmdbStore({ path });
  await store.commit(new SyntheticLedger(4, 12).batch(undefined, 20n), SYNTHETIC_IDENTITY);
  await store.close();
});

async function setFormat(row: Buffer): Promise<void> {
  const environment = await openEnvironment({ path, readOnly: false });
  environment.transact(() => environment.tables.meta.putSync(META.format, row));
  await environment.close();
}

it.each([
  ["an older one", Buffer.from([0, 0, 0, FORMAT - 1])],
  ["a newer one", Buffer.from([0, 0, 0, FORMAT + 1])],
  ["one that is no number", Buffer.from("format")],
])("of a store: %s is refused for reading and writing, and nothing is changed", async (_, row) => {
  await setFormat(row);
  const before = readFileSync(join(path, "data.mdb"));
  for (const readOnly of [true, false]) {
    await expect(openLmdbStore({ path, readOnly })).rejects.toMatchObject({
      code: "format",
      message: expect.stringContaining(`this version reads ${FORMAT}`) as string,
    });
  }
  expect(readFileSync(join(path, "data.mdb")).equals(before)).toBe(true);
});
