// Pages of transactions: JSON for clients, records in BCS for nodes that follow this one.

import { transactionsRoute } from "../../interface/routes.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { limitField, startField } from "../schemas/integer.ts";
import { transactionCount, transactionPage, transactionPageAnswer } from "./shared/transaction-page.ts";

/** Most bytes of a page, so that a few requests cannot hold much memory; a single record may be larger. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** The same for a page in JSON, which takes several times the bytes. */
const MAX_PRINTED_BYTES = 2 * 1024 * 1024;

function lastPageStart(head: bigint, oldest: bigint, count: number): bigint {
  return head - oldest < BigInt(count) ? oldest : head - BigInt(count - 1);
}

/** `GET /v1/transactions` */
export const getTransactions = operation({
  id: "get_transactions",
  ...transactionsRoute,
  summary: "Transactions of a range of versions",
  description:
    "Consecutive transactions, each with its info, events and changes. In BCS they are the records that another node needs to follow and verify. A page may hold fewer than asked for.",
  ledger: "required",
  switchable: true,
  params: {},
  query: { start: startField, limit: limitField },
  answer: transactionPageAnswer("A BCS vector of records."),
  errors: ["invalid_page", "unprintable", "version_pruned"],
  async handle({ start, limit }, context) {
    const { view, form } = context;
    const { version: head, oldestVersion } = view.position;
    const count = transactionCount(limit);
    const first = start ?? lastPageStart(head, oldestVersion, count);
    if (first > head) {
      throw new HttpError("invalid_page", `start: expected at most the latest version ${head}, got ${first}`);
    }
    const maxBytes = form === "bcs" ? MAX_PAGE_BYTES : MAX_PRINTED_BYTES;
    return transactionPage(await view.getRecords(first, count, maxBytes), context);
  },
});
