// Transactions or events as they are committed, or of a range, chosen by a filter.
import { concatBytes } from "../../base/bytes.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { EVENT_STREAM_PATH, TRANSACTION_STREAM_PATH } from "../../interface/route.ts";
import { indexedId } from "../../ledger/watch/event-id.ts";
import { matchesTransaction, matchingEvents } from "../../ledger/watch/record-filter.ts";
import type { Asker } from "../calls/asker.ts";
import { operation } from "../operation.ts";
import { LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { TRUST_SCHEMA } from "../schemas/event-stream.ts";
import { U64_SCHEMA } from "../schemas/integer.ts";
import { named, object } from "../schemas/named.ts";
import { COMMITTED_SCHEMA, EVENT } from "../schemas/transaction.ts";
import {
  type RecordBatch,
  type RecordsOptions,
  recordBatches,
  recordStream,
} from "./shared/record-operation.ts";
import { printing, type RecordFeed } from "./shared/record-stream.ts";

const [ONLY, NONE] = [new Set([0]), new Set<number>()];

const printTransactions = (isBrief: boolean) =>
  printing(
    async (printer, record, spans) => [await printer.print(record, spans, isBrief)],
    () => 1,
  );

export const TRANSACTION_FEED: RecordFeed = {
  name: "transaction",
  matching: (filter, facts) => (matchesTransaction(filter, facts) ? ONLY : NONE),
  print: {
    json: printTransactions(false),
    // A line has neither the changes nor the events.
    csv: printTransactions(true),
    bcs: (_, { bytes }) => [{ index: 0, text: bytes }],
  },
  idOf: (id) => id,
  columns: [
    ...["version", "timestamp", "hash", "type", "sender", "sequence_number", "payload.function", "success"],
    ...["vm_status", "gas_used", "gas_unit_price", "trust", "unprintable"],
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
    TRANSACTION_FEED,
    COMMITTED_SCHEMA,
    "Only transactions that call an entry function of this module.",
    "the records, as in `get_transactions`, one after the other.",
  ),
  calls: (node: Asker): TransactionsCall => ({
    transactions: (options = {}) => recordBatches(TRANSACTION_FEED, node, options),
  }),
});

const MEMBERS = {
  version: U64_SCHEMA,
  index: { type: "integer", minimum: 0, description: "Its place among the transaction's events." },
  transaction_hash: LONG_ADDRESS_SCHEMA,
  timestamp: { ...U64_SCHEMA, description: "Time of the block, in microseconds." },
  trust: TRUST_SCHEMA,
  ...EVENT,
};

const EVENT_FEED: RecordFeed = {
  name: "event",
  matching: matchingEvents,
  print: {
    json: printing(
      async (printer, { version }, spans) => {
        const hash = toPrefixedHex(spans.info.transactionHash);
        const timestamp = await printer.timeOf(version);
        return printer.printEventsOf(
          spans,
          (index) =>
            `"version":"${version}","index":${index},"transaction_hash":"${hash}","timestamp":"${timestamp}",`,
        );
      },
      ({ events }) => events.length,
    ),
    bcs: (_, { version }, { spans }) =>
      spans.events.map((event, index) => {
        const place = new BcsWriter(16).u64(version).u64(BigInt(index)).take();
        return { index, text: concatBytes(place, event) };
      }),
  },
  idOf: indexedId,
  columns: ["version", "index", "timestamp", "transaction_hash", "type", "data", "trust", "unprintable"],
};

const CONTRACT_EVENT_SCHEMA = named("StreamedEvent", object(MEMBERS));

export interface EventsCall {
  /** Events in batches, each with a cursor to go on behind: of a range, or on and on. */
  events(options?: RecordsOptions): AsyncIterable<RecordBatch>;
}

/** `GET /v1/events/stream` */
export const streamEvents = operation({
  id: "stream_events",
  path: EVENT_STREAM_PATH,
  summary: "Events as they are committed, or of a range",
  description:
    "Every event that fits the filter, once and in order: as soon as its transaction is committed, or up to `end`. Different parameters must all fit. The id of an event names its version and its index there: a client that connects again with `Last-Event-ID` misses nothing, and gets nothing twice. A range that fails midway lacks HTTP's final chunk.",
  ...recordStream(
    EVENT_FEED,
    CONTRACT_EVENT_SCHEMA,
    "Only events whose type is of this module.",
    "for each event its version and its index, both u64, and the event, one after the other.",
  ),
  calls: (node: Asker): EventsCall => ({
    events: (options = {}) => recordBatches(EVENT_FEED, node, options),
  }),
});
