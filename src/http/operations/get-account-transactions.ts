// The transactions that an account sent.

import { accountTransactionsRoute } from "../../interface/routes.ts";
import { readAccount } from "../../ledger/items/account.ts";
import { readSent } from "../../ledger/transaction-finder.ts";
import type { Asker } from "../calls/asker.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { ledgerVersionField, limitField } from "../schemas/integer.ts";
import {
  type PageOptions,
  pageArgs,
  type TransactionAnswer,
  toTransactions,
  transactionCount,
  transactionPage,
  transactionPageAnswer,
} from "./shared/transaction-page.ts";

const MAX_IN_FLIGHT = 64;

export interface AccountTransactionsCall {
  /** Transactions that an account sent, from a sequence number on; the last ones when `start` is left out. */
  accountTransactions(address: string, options?: PageOptions): Promise<readonly TransactionAnswer[]>;
}

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
  answer: transactionPageAnswer("A BCS vector of records as in `GET /v1/transactions`."),
  errors: ["invalid_page", "unprintable"],
  async handle({ address, start, limit }, context) {
    const { view } = context;
    const count = transactionCount(limit);
    let first = start;
    if (first === undefined) {
      const account = await readAccount(view, address, view.position.version);
      const next = account?.sequenceNumber ?? 0n;
      first = next > BigInt(count) ? next - BigInt(count) : 0n;
    }
    const records = await readSent(view, { sender: address, start: first, limit: count });
    return transactionPage(records, context);
  },
  calls: (node: Asker): AccountTransactionsCall => ({
    accountTransactions: async (address, options = {}) => {
      const args = { address: node.args.address(address), ...pageArgs(options) };
      return node.run(getAccountTransactions, args, {}, toTransactions);
    },
  }),
});
