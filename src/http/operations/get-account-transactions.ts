// The transactions that an account sent.
import { accountTransactionsRoute } from "../../interface/routes.ts";
import { readAccount } from "../../ledger/account.ts";
import { readSent } from "../../ledger/transaction-finder.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { ledgerVersionField, limitField } from "../schemas/integer.ts";
import { COMMITTED_SCHEMA } from "../schemas/transaction.ts";
import { encodeRecords, RecordsPrinter } from "../transaction-json/records-text.ts";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;
const MAX_IN_FLIGHT = 64;

/** `GET /v1/accounts/{address}/transactions` */
export const getAccountTransactions = operation({
  id: "get_account_transactions",
  ...accountTransactionsRoute,
  summary: "Transactions of an account",
  description:
    "The kept transactions that an account sent with sequence numbers, in the order of these; those with nonces have no place in it. A page may hold fewer than asked for. 403 on a node without an index of transactions, 503 while it builds one.",
  ledger: "required",
  switchable: true,
  switch: "transactionIndex",
  maxInFlight: MAX_IN_FLIGHT,
  params: { address: addressField },
  query: {
    start: {
      ...ledgerVersionField,
      description: "The least sequence number. When left out, the page ends with the account's latest.",
      example: "0",
    },
    limit: limitField,
  },
  answer: {
    json: {
      schema: { type: "array", maxItems: MAX_LIMIT, items: COMMITTED_SCHEMA },
      description: "The transactions.",
      encode: (page: string | Uint8Array) => page,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "A BCS vector of records as in `GET /v1/transactions`.",
      encode: (page: string | Uint8Array) => page,
    },
  },
  errors: [
    "malformed_request",
    "invalid_page",
    "unprintable",
    "disabled",
    "internal",
    "unavailable",
    "overloaded",
  ],
  async handle({ address, start, limit = DEFAULT_LIMIT }, { view, services, form }) {
    if (limit === 0) throw new HttpError("invalid_page", "limit: expected at least 1, got 0");
    const count = Math.min(limit, MAX_LIMIT);
    let first = start;
    if (first === undefined) {
      const account = await readAccount(view, address, view.position.version);
      const next = account?.sequenceNumber ?? 0n;
      first = next > BigInt(count) ? next - BigInt(count) : 0n;
    }
    const records = await readSent(view, { sender: address, start: first, limit: count });
    if (form === "bcs") return { data: encodeRecords(records), version: undefined };
    const data = await new RecordsPrinter(services.types, view).printList(records);
    return { data, version: undefined };
  },
});
