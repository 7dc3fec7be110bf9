// A program for tests: rewinds the store in a directory in small steps. Arguments: path, writes per step. It waits for the
// version to return to on its input, and prints a line after each step and at the end.
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";

const [path = "", stepWrites = "1"] = process.argv.slice(2);

let to = "";
for await (const line of process.stdin.setEncoding("utf8")) {
  to = String(line).trim();
  break;
}
const store = await openLmdbStore({ path });
process.stdout.write("open\n");
await rewindLedger({
  store,
  to: BigInt(to),
  stepWrites: Number(stepWrites),
  onProgress: (done) => process.stdout.write(`step ${done}\n`),
  signal: new AbortController().signal,
});
process.stdout.write("done\n");
await store.close();
