// A program for tests: opens a store for writing, prints a line, and runs until
// killed. Argument: path.
import { openLmdbStore } from "../../src/store/lmdb/store.ts";

const [path = ""] = process.argv.slice(2);
await openLmdbStore({ path });
process.stdout.write("writes\n");
setInterval(() => {}, 1 << 30);
