// A program for tests: commits a synthetic ledger in the store's thread, and exits in the middle of a commit. Arguments:
// path, milliseconds until the exit after the thread has started.
import { type Logger, silentLogger } from "../../src/base/log.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { THREAD_STARTED } from "../../src/store/lmdb/write-thread.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "./synthetic-ledger.ts";

const [path = "", delayMs = "0"] = process.argv.slice(2);
const debug: Logger["debug"] = (_, message) => {
  if (message === THREAD_STARTED) setTimeout(() => process.exit(7), Number(delayMs));
};
const store = await openLmdbStore({ path, logger: { ...silentLogger, debug } });
const ledger = new SyntheticLedger(6, 400);
await store.commit(ledger.batch(undefined, 2n), SYNTHETIC_IDENTITY, { isFollowed: true });
for (let head = 2n; ; head += 40n) {
  await store.commit(ledger.batch(head, head + 40n), undefined, { isFollowed: true });
  await new Promise((resolve) => setImmediate(resolve));
}
