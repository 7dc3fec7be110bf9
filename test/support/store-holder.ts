// A program for tests: opens a store to write it, as on a file system of several machines, and says so. It ends when it
// is killed. Argument: path.
import { openLmdbStore } from "../../src/store/lmdb/store.ts";

const [path = ""] = process.argv.slice(2);
await openLmdbStore({ path, sharing: { isShared: true } });
process.stdout.write("writes\n");
setInterval(() => {}, 1 << 30);
