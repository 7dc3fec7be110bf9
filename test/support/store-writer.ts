// A program for tests: commits a synthetic ledger to a store and prunes behind itself until killed or failed. Arguments:
// path, seed, keys, versions to keep. Prints a line after each commit and pruning step, and with the code of a failure.
// It starts when its input has data or ends.
import type { Store } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { createRandom, SYNTHETIC_IDENTITY, SyntheticLedger } from "./synthetic-ledger.ts";

const [path = "", seed = "0", keys = "1", keep = "1"] = process.argv.slice(2);

/** Latest version of the store, or undefined while it is empty. */
async function readHead(store: Store): Promise<bigint | undefined> {
  if (store.identity === undefined) return undefined;
  const view = await store.openView();
  const { version } = view.position;
  view.release();
  return version;
}

for await (const _ of process.stdin) break;
const store = await openLmdbStore({ path });
const ledger = new SyntheticLedger(Number(seed), Number(keys));
const random = createRandom(process.pid);
let head = await readHead(store);
process.stdout.write(`open ${head ?? "empty"}\n`);

async function advance(): Promise<void> {
  const next = head === undefined ? 0n : head + 1n + BigInt(random() % 20);
  await store.commit(ledger.batch(head, next), head === undefined ? SYNTHETIC_IDENTITY : undefined);
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
