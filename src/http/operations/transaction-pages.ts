// Pages of transactions: JSON for clients, records in BCS for nodes that follow this one; and what an account sent.
import { toPrefixedHex } from "../../base/hex.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { API_ROOT } from "../../interface/route.ts";
import { accountTransactionsRoute, transactionsRoute } from "../../interface/routes.ts";
import { readAccount } from "../../ledger/items/account.ts";
import { readSent, readSentBetween, type SentSummary } from "../../ledger/transaction-finder.ts";
import type { StoredRecord } from "../../ledger/view.ts";
import { formatAddress } from "../../move/address.ts";
import { type Asker, fromJson } from "../calls/asker.ts";
import { fieldOf } from "../calls/operands.ts";
import { knownOptions, type OptionNames } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { type Answer, type Context, encodedAnswer, operation } from "../operation.ts";
import { encodeRecords, RecordsPrinter } from "../printing/records-text.ts";
import { ANSWER_ADDRESS_SCHEMA, addressField, LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { ledgerVersionField, limitField, startField, U64_SCHEMA } from "../schemas/integer.ts";
import { list, named, object } from "../schemas/named.ts";
import { COMMITTED_SCHEMA } from "../schemas/transaction.ts";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

/** The documented forms of a page. */
const transactionPageAnswer = (bcsDescription: string) =>
  encodedAnswer(
    {
      schema: { type: "array", maxItems: MAX_LIMIT, items: COMMITTED_SCHEMA },
      description: "The transactions.",
    },
    bcsDescription,
  );

/** How many transactions a page has at most, for the `limit` of a request. */
export function transactionCount(limit: number = DEFAULT_LIMIT): number {
  if (limit === 0) throw new HttpError("invalid_page", "limit: expected at least 1, got 0");
  return Math.min(limit, MAX_LIMIT);
}

/** The page of these records, in the form that the request asks for. */
async function transactionPage(
  records: readonly StoredRecord[],
  { view, services, form, slices }: Pick<Context<"required">, "view" | "services" | "form" | "slices">,
): Promise<Answer<string | Uint8Array>> {
  if (form === "bcs") return { data: encodeRecords(records), version: undefined };
  const data = await new RecordsPrinter(services.types, view, slices).printList(records);
  return { data, version: undefined };
}

/** A page of transactions. */
export interface PageOptions {
  readonly start?: bigint | undefined;
  /** 25 unless given, at most 100. */
  readonly limit?: number | undefined;
}

const PAGE_NAMES: OptionNames<PageOptions> = { start: true, limit: true };

/** Which page a call asks for. */
function pageArgs(options: PageOptions) {
  const { start, limit } = knownOptions(PAGE_NAMES, options);
  return { start: fieldOf("start", ledgerVersionField, start), limit: fieldOf("limit", limitField, limit) };
}

/** A transaction. */
export interface TransactionAnswer {
  /** Undefined while it waits for a block. */
  readonly version: bigint | undefined;
  /** Hex. */
  readonly hash: string;
  /** As `GET …/by_version/{txn_version}` answers. */
  readonly transaction: Readonly<Record<string, unknown>>;
}

export function toTransaction(json: TransactionAnswer["transaction"]): TransactionAnswer {
  const { version, hash } = json;
  return {
    version: typeof version === "string" ? BigInt(version) : undefined,
    hash: hash as string,
    transaction: json,
  };
}

/** The transactions of a page in JSON. */
function toTransactions(text: string | Uint8Array): readonly TransactionAnswer[] {
  return fromJson<readonly TransactionAnswer["transaction"][]>(text).map(toTransaction);
}

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

const SUMMARY_SCHEMA = named(
  "TransactionSummary",
  object({
    sender: ANSWER_ADDRESS_SCHEMA,
    version: U64_SCHEMA,
    transaction_hash: LONG_ADDRESS_SCHEMA,
    replay_protector: named(
      "ReplayProtector",
      object({ type: { type: "string", enum: ["sequence_number", "nonce"] }, value: U64_SCHEMA }),
    ),
  }),
);

function toObject({ sender, version, hash, nonce, sequenceNumber }: SentSummary): object {
  return {
    sender: formatAddress(sender),
    version: `${version}`,
    transaction_hash: toPrefixedHex(hash),
    replay_protector:
      nonce === undefined
        ? { type: "sequence_number", value: `${sequenceNumber}` }
        : { type: "nonce", value: `${nonce}` },
  };
}

/** BCS of the only variant of a summary; that of a nonce comes before that of a sequence number. */
function toBcs(summaries: readonly SentSummary[]): Uint8Array {
  const writer = new BcsWriter(4096).uleb(summaries.length);
  for (const { sender, version, hash, nonce, sequenceNumber } of summaries) {
    writer.uleb(0).fixed(sender).u64(version).byteString(hash);
    writer.uleb(nonce === undefined ? 1 : 0).u64(nonce ?? sequenceNumber);
  }
  return writer.take();
}

/** `GET /v1/accounts/{address}/transaction_summaries` */
export const getTransactionSummaries = operation({
  id: "get_account_transaction_summaries",
  method: "GET",
  path: `${API_ROOT}/accounts/{address}/transaction_summaries`,
  summary: "Transactions of an account in short",
  description:
    "Version, hash and sequence number or nonce of the kept transactions that an account sent, in the order of their versions: from `start_version` on, else the last ones up to `end_version`. 403 on a node without an index of transactions, 503 while it builds one.",
  switch: "transactionIndex",
  maxInFlight: MAX_IN_FLIGHT,
  params: { address: addressField },
  query: {
    start_version: { ...ledgerVersionField, description: "The least version." },
    end_version: { ...ledgerVersionField, description: "The greatest version. The latest when left out." },
    limit: limitField,
  },
  answer: encodedAnswer(
    { schema: list(SUMMARY_SCHEMA), description: "The summaries." },
    "A BCS vector of IndexedTransactionSummary.",
  ),
  errors: ["invalid_page"],
  async handle({ address, start_version: from, end_version: to, limit }, { view, form }) {
    const { version: head } = view.position;
    const account = await readAccount(view, address, head);
    const summaries = await readSentBetween(view, {
      sender: address,
      nextSequenceNumber: account?.sequenceNumber ?? 0n,
      from,
      to: to === undefined || to > head ? head : to,
      limit: transactionCount(limit),
    });
    const data = form === "bcs" ? toBcs(summaries) : JSON.stringify(summaries.map(toObject));
    return { data, version: undefined };
  },
});
