// A program for tests: commits a synthetic ledger to a store and prunes behind itself until killed or failed. Arguments:
// path, seed, keys, versions to keep, and `thread` to write in the store's thread. Prints a line after each commit and pruning step, and with the code of a failure.
// It starts when its input has data or ends.
import { type Logger, silentLogger } from "../../src/base/log.ts";
import type { Store } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { THREAD_STARTED } from "../../src/store/lmdb/write-thread.ts";
import { createRandom, SYNTHETIC_IDENTITY, SyntheticLedger } from "./synthetic-ledger.ts";

const [path = "", seed = "0", keys = "1", keep = "1", mode = ""] = process.argv.slice(2);
const isFollowed = mode === "thread";

/** Latest version of the store, or undefined while it is empty. */
async function readHead(store: Store): Promise<bigint | undefined> {
  if (store.identity === undefined) return undefined;
  const view = await store.openView();
  const { version } = view.position;
  view.release();
  return version;
}

for await (const _ of process.stdin) break;
let onStart: () => void = () => {};
const started = new Promise<void>((resolve) => {
  onStart = resolve;
});
const logger: Logger = {
  ...silentLogger,
  debug: (_, message) => (message === THREAD_STARTED ? onStart() : undefined),
};
// A thread that starts keeps no process alive.
setInterval(() => {}, 1000);
const store = await openLmdbStore({ path, logger });
const ledger = new SyntheticLedger(Number(seed), Number(keys));
const random = createRandom(process.pid);
let head = await readHead(store);
process.stdout.write(`open ${head ?? "empty"}\n`);

async function advance(): Promise<void> {
  const next = head === undefined ? 0n : head + 1n + BigInt(random() % 20);
  const identity = head === undefined ? SYNTHETIC_IDENTITY : undefined;
  await store.commit(ledger.batch(head, next), identity, { isFollowed });
  // The store itself writes the first batch, which starts the thread.
  if (isFollowed) await started;
  head = next;
  process.stdout.write(`commit ${head}\n`);
  if (head > BigInt(keep)) {
    const floor = ledger.blockAt(head - BigInt(keep), head).firstVersion;
    const step = await store.prune(floor, 1 + (random() % 60));
    process.stdout.write(`prune ${step.oldestVersion}\n`);
  }
  await new Promise((resolve) => setImmediate(resolve));
}

try {
  for (;;) await advance();
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
  process.stdout.write(`fail ${error.code}\n`, () => process.exit(3));
}
