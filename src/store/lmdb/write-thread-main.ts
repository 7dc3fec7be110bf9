// The thread that writes batches, see write-thread.ts. A commit here is the same transaction with the same checks as in
// the store itself.
import { parentPort, workerData } from "node:worker_threads";
import { CodedError, errorText } from "../../base/errors.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { StoreError } from "../errors.ts";
import { decodeBatch } from "./batch-bytes.ts";
import { commitBatch } from "./commit.ts";
import { openInThread } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { assertLease } from "./lease.ts";
import { toFastTable } from "./native.ts";
import { assertNotSetBack, noteSetBack } from "./set-back.ts";
import type { ThreadData, ThreadOrder, ThreadReport } from "./write-thread.ts";

const port = parentPort;
if (port === null) throw new Error("this file runs as a thread of a node");
const { environment, lease, setBack, started } = workerData as ThreadData;
const { tables, transact, close } = openInThread(environment);
const items = toFastTable(tables.items);
const leaseRow = Buffer.from(lease);

function report(message: ThreadReport): void {
  port?.postMessage(message);
}

function commit({ batch, identity }: Extract<ThreadOrder, { kind: "commit" }>): void {
  transact(
    () => {
      assertLease(tables, leaseRow, environment.path);
      assertNotSetBack(setBack, environment.path);
      commitBatch(tables, items, decodeBatch(batch), identity);
    },
    () => {
      noteSetBack(setBack);
      report({ kind: "setBack" });
    },
  );
}

port.on("message", (order: ThreadOrder) => {
  if (order.kind === "end") {
    void close().then(() => port.close());
    return;
  }
  try {
    commit(order);
    report({ kind: "stored" });
  } catch (thrown) {
    const error = toStoreError(thrown, environment.path);
    const room = error instanceof StoreError ? "store" : error instanceof LedgerError ? "ledger" : "other";
    const [code, details] = error instanceof CodedError ? [error.code, error.details] : ["", {}];
    report({ kind: "failed", error: { room, code, message: errorText(error), details } });
  }
});
Atomics.store(started, 0, 1);
report({ kind: "started" });
