// One transaction, by its version, or by its hash, now or as soon as it is committed.
import { concatBytes } from "../../base/bytes.ts";
import { ConfigError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { decodeWith } from "../../bcs/codec.ts";
import {
  transactionByHashRoute,
  transactionByVersionRoute,
  waitByHashRoute,
} from "../../interface/routes.ts";
import { findByHash } from "../../ledger/transaction-finder.ts";
import type { LedgerView, StoredRecord } from "../../ledger/view.ts";
import { userTransactionCodec } from "../../transaction/user-transaction.ts";
import { type Asker, fromJson, orNone } from "../calls/asker.ts";
import {
  knownOptions,
  MIN_VERSION_NAMES,
  type MinVersionOptions,
  type OptionNames,
} from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { parseField } from "../field.ts";
import { type Answer, type Context, encodedAnswer, operation } from "../operation.ts";
import { TransactionPrinter } from "../printing/printer.ts";
import { RecordsPrinter } from "../printing/records-text.ts";
import {
  COMMITTED_SCHEMA,
  TRANSACTION_SCHEMA,
  transactionHashField,
  transactionVersionField,
} from "../schemas/transaction.ts";
import type { PendingTransaction, Services } from "../services.ts";
import { type TransactionAnswer, toTransaction } from "./transaction-pages.ts";

/** A long transaction is printed in turns with others. */
const MAX_BY_VERSION = 64;

export function assertCommitted({ position }: LedgerView, version: bigint): void {
  if (version <= position.version) return;
  throw new HttpError(
    "transaction_not_found",
    `no transaction at version ${version}: the latest version is ${position.version}`,
  );
}

/** `GET /v1/transactions/by_version/{txn_version}` */
export const getTransactionByVersion = operation({
  id: "get_transaction_by_version",
  ...transactionByVersionRoute,
  summary: "Transaction by version",
  description:
    "One committed transaction with its info, events and changes. Events, resources and arguments are decoded by the modules as of its version.",
  maxInFlight: MAX_BY_VERSION,
  params: { txn_version: transactionVersionField },
  answer: encodedAnswer(
    { schema: COMMITTED_SCHEMA, description: "The transaction." },
    "A zero byte, and the record as in `GET /v1/transactions`.",
  ),
  errors: ["unprintable", "transaction_not_found", "version_pruned"],
  async handle({ txn_version: version }, { view, services, form, slices }) {
    assertCommitted(view, version);
    const [record] = await view.getRecords(version, 1, 1);
    if (record === undefined) throw new Error(`no record at version ${version} of the kept range`);
    const printer = new RecordsPrinter(services.types, view, slices);
    const data =
      form === "bcs" ? concatBytes(COMMITTED, record.bytes) : await (await printer.print(record)).finish();
    return { data, version, timestampUsec: await printer.timeOf(version) };
  },
});

/** A long transaction is printed in turns with others. All that wait are served after one commit. */
const MAX_IN_FLIGHT = 200;
/** Longest wait, and most requests that wait; more are answered at once. As in the reference. */
const WAIT_MS = 1000;
const MAX_WAITING = 100;

/** Variants in BCS; the record follows, or the signed transaction. */
const COMMITTED = Uint8Array.of(0);
const PENDING = Uint8Array.of(1);

const shared = {
  switch: "transactionIndex",
  maxInFlight: MAX_IN_FLIGHT,
  params: { txn_hash: transactionHashField },
  answer: encodedAnswer(
    {
      schema: TRANSACTION_SCHEMA,
      description: "The transaction; `pending_transaction` while it waits for a block.",
    },
    "A zero byte and the record as in `GET /v1/transactions`; or, while it waits for a block, a one and the signed transaction.",
  ),
  errors: ["unprintable", "transaction_not_found"],
} as const;

/** A transaction that is committed or waits for a block, and the view that shows it. */
interface Found {
  readonly view: LedgerView;
  readonly record: StoredRecord | undefined;
  readonly pending: PendingTransaction | undefined;
}

/**
 * A transaction leaves the mempool once it is committed. One that is in neither may have been committed after the view was
 * opened, so a newer view has the last word. A fork would ask its network for one that waits here, so the mempool is
 * asked first.
 */
async function find(
  hash: Uint8Array,
  { view, newerView, services }: Pick<Context<"required">, "view" | "newerView" | "services">,
): Promise<Found> {
  const isFork = view.position.fork !== undefined;
  const record = isFork ? undefined : await findByHash(view, hash);
  if (record !== undefined) return { view, record, pending: undefined };
  const pending = await services.pendingTransaction(hash);
  if (pending !== undefined) return { view, record, pending };
  const newer = await newerView();
  // The ledger may have gone back and come to the same version. A fork has not looked yet.
  const isSame = newer.position === view.position && !isFork;
  return { view: newer, record: isSame ? undefined : await findByHash(newer, hash), pending };
}

async function answerOf(
  hash: Uint8Array,
  context: Context<"required">,
): Promise<Answer<string | Uint8Array>> {
  const { services, form, slices } = context;
  const { view, record, pending } = await find(hash, context);
  if (record !== undefined) {
    const printer = new RecordsPrinter(services.types, view, slices);
    const { version } = record;
    const data =
      form === "bcs" ? concatBytes(COMMITTED, record.bytes) : await (await printer.print(record)).finish();
    return { data, version, timestampUsec: await printer.timeOf(version) };
  }
  if (pending === undefined) {
    throw new HttpError("transaction_not_found", `no transaction has the hash ${toPrefixedHex(hash)}`);
  }
  if (form === "bcs") return { data: concatBytes(PENDING, pending.bytes), version: undefined };
  const transaction = decodeWith(userTransactionCodec, pending.bytes);
  const text = await new TransactionPrinter(services.types, view).printPending(transaction, hash);
  return { data: await text.finish(), version: undefined };
}

export interface TransactionCall {
  /** A transaction by its version or its hash; undefined if there is none. */
  transaction(which: bigint | string, options?: MinVersionOptions): Promise<TransactionAnswer | undefined>;
}

async function readTransaction(
  node: Asker,
  which: bigint | string,
  options: MinVersionOptions,
): Promise<TransactionAnswer | undefined> {
  if (typeof which !== "bigint" && typeof which !== "string") {
    throw new ConfigError(`which: expected a bigint or a text, got ${typeof which}`);
  }
  const read = (text: string | Uint8Array): TransactionAnswer => toTransaction(fromJson(text));
  if (typeof which === "string") {
    const args = { txn_hash: parseField("hash", transactionHashField, which) };
    return orNone("transaction_not_found", node.run(getTransactionByHash, args, options, read));
  }
  const args = { txn_version: parseField("version", transactionVersionField, `${which}`) };
  return orNone("transaction_not_found", node.run(getTransactionByVersion, args, options, read));
}

/** `GET /v1/transactions/by_hash/{txn_hash}` */
export const getTransactionByHash = operation({
  ...shared,
  id: "get_transaction_by_hash",
  ...transactionByHashRoute,
  summary: "Transaction by hash",
  description:
    "One transaction: committed, or waiting for a block on a node that makes them. 404 for one that is neither, or was pruned. 403 on a node without an index of transactions, 503 while it builds one.",
  handle: ({ txn_hash: hash }, context) => answerOf(hash, context),
  calls: (node: Asker): TransactionCall => ({
    transaction: async (which, options = {}) =>
      readTransaction(node, which, knownOptions(MIN_VERSION_NAMES, options)),
  }),
});

/** Whether a transaction is committed, or never will be as far as this node knows: the handler looks again. */
async function isSettled(view: LedgerView, services: Services, hash: Uint8Array): Promise<boolean> {
  const isFork = view.position.fork !== undefined;
  if (isFork && (await services.pendingTransaction(hash)) !== undefined) return false;
  if ((await findByHash(view, hash)) !== undefined) return true;
  // A node that takes no transactions knows of no waiting ones, so any may still come.
  return services.submissions !== undefined && (await services.pendingTransaction(hash)) === undefined;
}

/** How long to wait. */
export interface WaitOptions {
  /** 1000 unless given. */
  readonly waitMs?: number | undefined;
}

const WAIT_NAMES: OptionNames<WaitOptions> = { waitMs: true };

export interface WaitCall {
  /** A transaction by its hash once it is committed; after the wait, what `transaction` returns. */
  waitForTransaction(hash: string, options?: WaitOptions): Promise<TransactionAnswer | undefined>;
}

/** `GET /v1/transactions/wait_by_hash/{txn_hash}` */
export const waitTransactionByHash = operation({
  ...shared,
  id: "wait_transaction_by_hash",
  ...waitByHashRoute,
  summary: "Transaction by hash, once it is committed",
  description: `As by hash, but waits up to ${WAIT_MS} ms for the transaction to be committed. At most ${MAX_WAITING} requests wait; more are answered at once.`,
  awaited: {
    waitMs: WAIT_MS,
    maxWaiting: MAX_WAITING,
    isThere: ({ txn_hash: hash }, view, services) => isSettled(view, services, hash),
  },
  handle: ({ txn_hash: hash }, context) => answerOf(hash, context),
  calls: (node: Asker): WaitCall => ({
    waitForTransaction: async (hash, options = {}) => {
      const { waitMs = WAIT_MS } = knownOptions(WAIT_NAMES, options);
      if (!(Number.isFinite(waitMs) && waitMs >= 0)) {
        throw new ConfigError(`waitMs: expected a number from 0 on, got ${waitMs}`);
      }
      const untilMs = performance.now() + waitMs;
      for (;;) {
        const head = await node.withView(({ position }) => position.version);
        const found = await readTransaction(node, hash, {});
        const leftMs = untilMs - performance.now();
        if (found?.version !== undefined || leftMs <= 0) return found;
        await node.waitFor(head + 1n, leftMs);
      }
    },
  }),
});
