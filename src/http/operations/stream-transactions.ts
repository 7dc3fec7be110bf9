// Transactions as they are committed, or of a range, chosen by a filter.
import { TRANSACTION_STREAM_PATH } from "../../interface/route.ts";
import type { Asker } from "../calls/asker.ts";
import { operation } from "../operation.ts";
import { COMMITTED_SCHEMA } from "../schemas/transaction.ts";
import {
  type RecordBatch,
  type RecordFeed,
  type RecordsOptions,
  recordBatches,
  recordStream,
} from "./shared/record-operation.ts";
import { RAW_TRANSACTIONS, TRANSACTIONS } from "./shared/record-stream.ts";

const FEED: RecordFeed = {
  name: "transaction",
  printed: TRANSACTIONS,
  raw: RAW_TRANSACTIONS,
  columns: [
    "version",
    "timestamp",
    "hash",
    "type",
    "sender",
    "sequence_number",
    "payload.function",
    "success",
    "vm_status",
    "gas_used",
    "gas_unit_price",
    "trust",
    "unprintable",
  ],
};

export interface TransactionsCall {
  /** Transactions in batches, each with a cursor to go on behind: of a range, or on and on. */
  transactions(options?: RecordsOptions): AsyncIterable<RecordBatch>;
}

/** `GET /v1/transactions/stream` */
export const streamTransactions = operation({
  id: "stream_transactions",
  path: TRANSACTION_STREAM_PATH,
  summary: "Transactions as they are committed, or of a range",
  description:
    "Every transaction that fits the filter, once and in order: as soon as it is committed, or up to `end`. Different parameters must all fit. A client that connects again with `Last-Event-ID` misses nothing. A client that reads slowly gets the rest from the history, at its own pace. A range that fails midway lacks HTTP's final chunk.",
  ...recordStream(
    FEED,
    COMMITTED_SCHEMA,
    "Only transactions that call an entry function of this module.",
    "the records, as in `get_transactions`, one after the other.",
  ),
  calls: (node: Asker): TransactionsCall => ({
    transactions: (options = {}) => recordBatches(FEED, node, options),
  }),
});
