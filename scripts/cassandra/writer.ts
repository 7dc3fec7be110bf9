// A process that writes the model ledger to a cluster whenever it holds the lease, and reports in lines of JSON. It
// retries after transient errors and acquires a lost lease again.
import { setTimeout as sleep } from "node:timers/promises";
import { openCassandraStore } from "../../src/store/cassandra/store.ts";
import { isPassingFault, StoreError } from "../../src/store/errors.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../test/support/synthetic-ledger.ts";

/** Arguments of a writer process. */
export interface WriterTask {
  readonly hosts: readonly string[];
  readonly keyspace: string;
  readonly ledger: string;
  readonly seed: number;
  readonly keys: number;
  readonly maxBatch: number;
  readonly leaseTimeMs: number;
}

/** A report of a writer process. */
export type WriterLine =
  | { readonly kind: "ready" }
  | { readonly kind: "holds"; readonly token: string }
  | { readonly kind: "committed"; readonly version: string; readonly ms: number }
  | { readonly kind: "lost"; readonly message: string }
  | { readonly kind: "error"; readonly code: string };

const task = JSON.parse(process.argv[2] ?? "{}") as WriterTask;
const report = (line: WriterLine): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
// The parent process ended.
process.stdout.on("error", () => process.exit(1));
const model = new SyntheticLedger(task.seed, task.keys);
const store = await openCassandraStore({ ...task, headMaxAgeMs: 0 });
const { lease } = store;
report({ kind: "ready" });

async function holdLease(): Promise<void> {
  while (lease.token === undefined) {
    const token = await lease.acquire().catch(() => undefined);
    if (token !== undefined) report({ kind: "holds", token: token.toString() });
    else await sleep(lease.ttlMs / 4);
  }
}

setInterval(() => {
  if (lease.token !== undefined) lease.renew().catch(() => {});
}, task.leaseTimeMs / 3);

async function readHead(): Promise<bigint | undefined> {
  try {
    const view = await store.openView();
    view.release();
    return view.position.version;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "no_ledger") return undefined;
    throw error;
  }
}

for (let turn = 0; ; turn++) {
  await holdLease();
  try {
    for (let head = await readHead(); ; ) {
      const started = performance.now();
      const last = (head ?? -1n) + BigInt(1 + (turn++ % task.maxBatch));
      await store.commit(model.batch(head, last), head === undefined ? SYNTHETIC_IDENTITY : undefined);
      head = last;
      report({ kind: "committed", version: last.toString(), ms: Math.round(performance.now() - started) });
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === "locked")
      report({ kind: "lost", message: error.message });
    else if (isPassingFault(error)) report({ kind: "error", code: error.code });
    else throw error;
    await sleep(200);
  }
}
