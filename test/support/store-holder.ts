// A program for tests: opens a store for writing, as on a file system shared by machines, prints a line, and runs until
// killed. Argument: path.
import { openLmdbStore } from "../../src/store/lmdb/store.ts";

const [path = ""] = process.argv.slice(2);
await openLmdbStore({ path, sharing: { isShared: true } });
process.stdout.write("writes\n");
setInterval(() => {}, 1 << 30);
