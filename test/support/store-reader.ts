// A program for tests: opens a store for reading, holds one view, prints a line, and runs until killed. Argument: path.
import { openLmdbStore } from "../../src/store/lmdb/store.ts";

const [path = ""] = process.argv.slice(2);
const store = await openLmdbStore({ path, readOnly: true });
const view = await store.openView();
process.stdout.write(`holds ${view.position.version}\n`);
setInterval(() => {}, 1 << 30);
