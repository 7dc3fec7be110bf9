// The thread that writes batches, see write-thread.ts. A commit here is the same transaction with the same checks as in
// the store itself.
import { parentPort, workerData } from "node:worker_threads";
import { CodedError, errorText } from "../../base/errors.ts";
import { THREAD_END, THREAD_READY } from "../../base/thread.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { StoreError } from "../errors.ts";
import { decodeBatch } from "./batch-bytes.ts";
import { commitBatch } from "./commit.ts";
import { openInThread } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { assertLease } from "./lease.ts";
import { toFastTable } from "./native.ts";
import { countDamagedReads } from "./sealed-rows.ts";
import { assertNotSetBack, noteSetBack } from "./set-back.ts";
import type { SentError, ThreadCommit, ThreadData, ThreadReport } from "./write-thread.ts";

const port = parentPort;
if (port === null) throw new Error("this file runs as a thread of a node");
const { environment, lease, setBack, turn } = workerData as ThreadData;
const { tables, transact, close } = openInThread(environment);
const items = toFastTable(tables.items);
const leaseRow = Buffer.from(lease);

function commit({ batch, identity }: ThreadCommit): ThreadReport {
  const damagedBefore = countDamagedReads();
  let wasSetBack = false;
  let error: SentError | undefined;
  Atomics.store(turn.isWriting, 0, 1);
  try {
    if (Atomics.load(turn.isOver, 0) === 1) throw new Error("the process ends");
    transact(
      () => {
        assertLease(tables, leaseRow, environment.path);
        assertNotSetBack(setBack, environment.path);
        commitBatch(tables, items, decodeBatch(batch), identity);
      },
      () => {
        noteSetBack(setBack);
        wasSetBack = true;
      },
    );
  } catch (thrown) {
    error = toSentError(toStoreError(thrown, environment.path));
  }
  Atomics.store(turn.isWriting, 0, 0);
  Atomics.notify(turn.isWriting, 0);
  return { error, wasSetBack, damagedReads: countDamagedReads() - damagedBefore };
}

function toSentError(error: unknown): SentError {
  const room = error instanceof StoreError ? "store" : error instanceof LedgerError ? "ledger" : "other";
  const [code, details] = error instanceof CodedError ? [error.code, error.details] : ["", {}];
  return { room, code, message: errorText(error), details };
}

port.on("message", (order: ThreadCommit | typeof THREAD_END) => {
  if (order === THREAD_END) void close().then(() => port.close());
  else port.postMessage(commit(order));
});
port.postMessage(THREAD_READY);
