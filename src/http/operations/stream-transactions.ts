// Transactions as they are committed, chosen by a filter.
import { API_ROOT } from "../../interface/route.ts";
import { operation } from "../operation.ts";
import { streamRefusedQuery } from "../schemas/event-stream.ts";
import { filterFields, filterOf, minTrustField } from "../schemas/record-filter.ts";
import { COMMITTED_SCHEMA } from "../schemas/transaction.ts";
import { beginRecords, recordForms, streamStartField, TRANSACTIONS } from "./shared/record-stream.ts";

/** `GET /v1/transactions/stream` */
export const streamTransactions = operation({
  id: "stream_transactions",
  method: "GET",
  path: `${API_ROOT}/transactions/stream`,
  summary: "Transactions as they are committed",
  description:
    "Every transaction that fits the filter, once and in order, as soon as it is committed. Different parameters must all fit. A client that connects again with `Last-Event-ID` misses nothing. A client that reads slowly gets the rest from the history, at its own pace.",
  ledger: "required",
  switchable: false,
  sendsEvents: true,
  params: {},
  query: {
    start: streamStartField,
    ...filterFields("Only transactions that call an entry function of this module."),
    min_trust: minTrustField,
  },
  refusedQuery: streamRefusedQuery,
  answer: recordForms("transaction", COMMITTED_SCHEMA),
  errors: ["invalid_page", "version_pruned"],
  handle: (args, context) => beginRecords(TRANSACTIONS, context, filterOf(args), args),
});
