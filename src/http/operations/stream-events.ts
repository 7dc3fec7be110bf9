// Events as they are committed, chosen by a filter.
import { EVENT_STREAM_PATH } from "../../interface/route.ts";
import { operation } from "../operation.ts";
import { LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { streamRefusedQuery, TRUST_SCHEMA } from "../schemas/event-stream.ts";
import { U64_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";
import { filterFields, filterOf, minTrustField } from "../schemas/record-filter.ts";
import { EVENT } from "../schemas/transaction.ts";
import { beginRecords, EVENTS, recordForms, streamStartField } from "./shared/record-stream.ts";

const MEMBERS = {
  version: U64_SCHEMA,
  index: { type: "integer", minimum: 0, description: "Its place among the transaction's events." },
  transaction_hash: LONG_ADDRESS_SCHEMA,
  timestamp: { ...U64_SCHEMA, description: "Time of the block, in microseconds." },
  trust: TRUST_SCHEMA,
  ...EVENT,
};

const CONTRACT_EVENT_SCHEMA = named("StreamedEvent", {
  type: "object",
  required: Object.keys(MEMBERS),
  properties: MEMBERS,
});

/** `GET /v1/events/stream` */
export const streamEvents = operation({
  id: "stream_events",
  method: "GET",
  path: EVENT_STREAM_PATH,
  summary: "Events as they are committed",
  description:
    "Every event that fits the filter, once and in order, as soon as its transaction is committed. Different parameters must all fit. The id of an event names its version and its index there: a client that connects again with `Last-Event-ID` misses nothing, and gets nothing twice.",
  ledger: "required",
  switchable: false,
  sendsEvents: true,
  params: {},
  query: {
    start: streamStartField,
    ...filterFields("Only events whose type is of this module."),
    min_trust: minTrustField,
  },
  refusedQuery: streamRefusedQuery,
  answer: recordForms("event", CONTRACT_EVENT_SCHEMA),
  errors: ["invalid_page", "version_pruned"],
  handle: (args, context) => beginRecords(EVENTS, context, filterOf(args), args),
});
