// Submission of transactions to the local chain, over HTTP and in-process.
import { toPrefixedHex } from "../base/hex.ts";
import { nextTurn } from "../base/turns.ts";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { vector } from "../bcs/sequences.ts";
import type { BlockSource } from "../chain/local-chain.ts";
import type { Mempool } from "../chain/mempool.ts";
import type { Checked } from "../chain/submission/submissions.ts";
import { decodeSubmitted, MAX_TRANSACTION_BYTES, type Submitted } from "../chain/submission/submitted.ts";
import { HttpError } from "../http/errors.ts";
import type {
  PendingTransaction,
  SimulationEstimates,
  SubmissionBody,
  SubmissionHandler,
} from "../http/services.ts";
import { parseJson } from "../json/parse.ts";
import { readAccount } from "../ledger/account.ts";
import type { StateTypes } from "../ledger/state-types.ts";
import type { LedgerPosition, LedgerView } from "../ledger/view.ts";
import type { ModuleLoader } from "../move/abi.ts";
import type { Address } from "../move/address.ts";
import type { RawTransaction } from "../transaction/raw.ts";
import { createRawTransaction } from "../transaction/raw-from-request.ts";
import type { TransactionRequest } from "../transaction/request.ts";
import { refuse, SubmissionError } from "../transaction/submission-error.ts";
import { parseSubmission, parseSubmissions, tooMany } from "../transaction/submission-request.ts";
import { type UserTransaction, userTransactionCodec } from "../transaction/user-transaction.ts";
import { type ImpersonatedCall, impersonation } from "./impersonation.ts";
import { MAX_BATCH, type SubmissionResults } from "./submissions/messages.ts";
import { LARGE_SUBMISSION_BYTES } from "./submissions/thread.ts";

/** Longer JSON is no transaction that the chain takes, and would keep others waiting while it is parsed. */
const MAX_JSON_BYTES = 4 * MAX_TRANSACTION_BYTES;
const MAX_BATCH_JSON_BYTES = 1024 * 1024;

const NO_ESTIMATES: SimulationEstimates = { maxGasAmount: false, gasUnitPrice: undefined };

/** What a transaction would do on the head of the local chain. */
export interface SimulationResult {
  readonly hash: string;
  readonly success: boolean;
  /** As the API tells it, such as `Executed successfully`. */
  readonly vmStatus: string;
  readonly gasUsed: bigint;
  readonly gasUnitPrice: bigint;
  /** The transaction with its events and changes, as `POST /v1/transactions/simulate` answers it. */
  readonly transaction: Readonly<Record<string, unknown>>;
}

export interface SubmissionServiceOptions {
  readonly chain: BlockSource;
  /** The mempool of the writer; undefined while another process writes. */
  readonly mempool: () => Mempool | undefined;
  /** The time that the next block after a ledger has. */
  readonly nextTimeUsec: (position: LedgerPosition) => bigint;
  readonly loadModule: (view: LedgerView) => ModuleLoader;
  /** Parses large JSON in a thread. */
  readonly parseInThread: <Kind extends "submission" | "submissions">(
    kind: Kind,
    body: Uint8Array,
    view: LedgerView,
  ) => Promise<SubmissionResults[Kind]>;
  readonly types: StateTypes;
}

export class SubmissionService implements SubmissionHandler {
  readonly #options: SubmissionServiceOptions;

  constructor(options: SubmissionServiceOptions) {
    this.#options = options;
  }

  #mempool(): Mempool {
    const mempool = this.#options.mempool();
    if (mempool === undefined || mempool.isClosed)
      throw new HttpError("unavailable", "this node does not make blocks at the moment");
    return mempool;
  }

  /** Takes a transaction that passes all checks. */
  async submit(body: SubmissionBody, view: LedgerView): Promise<PendingTransaction> {
    return toPending(await this.take(await this.#decode(body, view), view));
  }

  async #decode({ bytes, isJson }: SubmissionBody, view: LedgerView): Promise<UserTransaction> {
    if (!isJson) return decodeSubmitted(bytes);
    if (bytes.length > MAX_JSON_BYTES) throw refuse("EXCEEDED_MAX_TRANSACTION_SIZE");
    if (bytes.length < LARGE_SUBMISSION_BYTES) {
      return parseSubmission(parseJson(bytes), this.#rawMaker(view));
    }
    return decodeWith(userTransactionCodec, await this.#options.parseInThread("submission", bytes, view));
  }

  #rawMaker(view: LedgerView): (request: TransactionRequest) => Promise<RawTransaction> {
    const context = { chainId: view.position.chainId, loadModule: this.#options.loadModule(view) };
    return async (request) => createRawTransaction(request, context);
  }

  /** Checks a transaction and puts it into the mempool. Returns the one that waits. */
  async take(transaction: UserTransaction, view: LedgerView): Promise<Submitted> {
    const submitted = this.#options.chain.submissions.takeApart(transaction);
    // One that waits already was checked before.
    if (this.#mempool().get(submitted.hash) !== undefined) return submitted;
    return this.#add(view, await this.#check(view, submitted, false));
  }

  #check(view: LedgerView, submitted: Submitted, isOwners: boolean): Promise<Checked> {
    const timestampUsec = this.#options.nextTimeUsec(view.position);
    return this.#options.chain.submissions.check(view, submitted, { isOwners, timestampUsec });
  }

  /** Asks for the mempool again: it may have been closed during the check. */
  #add({ position }: LedgerView, { submitted, sequenceNumber }: Checked): Submitted {
    const nowSecs = this.#options.nextTimeUsec(position) / 1_000_000n;
    return this.#mempool().add(submitted, { sequenceNumber, nowSecs });
  }

  /**
   * Puts a call of any account into the mempool, without the account's signature: only for the owner of the chain, never
   * over HTTP. It pays no gas. Returns its hash.
   */
  async impersonate(view: LedgerView, sender: Address, call: ImpersonatedCall): Promise<string> {
    const account = await readAccount(view, sender, view.position.version);
    const body = impersonation(sender, call, account?.sequenceNumber ?? 0n);
    const transaction = await this.#decode({ bytes: body, isJson: true }, view);
    const submitted = this.#options.chain.submissions.takeApart(transaction, { isFree: true });
    return toPrefixedHex(this.#add(view, await this.#check(view, submitted, true)).hash);
  }

  /** Takes each transaction for itself; returns the errors, in the order of the transactions. */
  async submitBatch({ bytes, isJson }: SubmissionBody, view: LedgerView): Promise<(unknown | undefined)[]> {
    const given: readonly (() => Promise<UserTransaction> | UserTransaction)[] = isJson
      ? await this.#parseBatch(bytes, view)
      : decodeBatch(bytes).map((transaction) => () => transaction);
    const errors: (unknown | undefined)[] = [];
    for (const parse of given) {
      await nextTurn();
      try {
        await this.take(await parse(), view);
        errors.push(undefined);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }

  async #parseBatch(
    bytes: Uint8Array,
    view: LedgerView,
  ): Promise<(() => Promise<UserTransaction> | UserTransaction)[]> {
    if (bytes.length > MAX_BATCH_JSON_BYTES) throw refuse("EXCEEDED_MAX_TRANSACTION_SIZE");
    if (bytes.length < LARGE_SUBMISSION_BYTES) {
      return parseSubmissions(parseJson(bytes), this.#rawMaker(view), MAX_BATCH);
    }
    const parsed = await this.#options.parseInThread("submissions", bytes, view);
    return parsed.map((one) => () => {
      if (one instanceof Error) throw one;
      return decodeWith(userTransactionCodec, one);
    });
  }

  async simulate(
    body: SubmissionBody,
    view: LedgerView,
    estimates: SimulationEstimates = NO_ESTIMATES,
  ): Promise<Uint8Array> {
    const { chain, nextTimeUsec } = this.#options;
    const transaction = await this.#decode(body, view);
    return chain.submissions.simulate(view, transaction, estimates, nextTimeUsec(view.position));
  }

  /** A simulation in the form of the in-process call. */
  async simulateInProcess(body: SubmissionBody, view: LedgerView): Promise<SimulationResult> {
    const record = await this.simulate(body, view);
    const { TransactionPrinter } = await import("../http/transaction-json/printer.ts");
    const text = await new TransactionPrinter(this.#options.types, view).print(
      record,
      view.position.timestampUsec,
    );
    const transaction = JSON.parse(`${Buffer.from(await text.finish())}`) as Readonly<
      Record<string, unknown>
    >;
    return {
      hash: String(transaction.hash),
      success: transaction.success === true,
      vmStatus: String(transaction.vm_status),
      gasUsed: BigInt(String(transaction.gas_used)),
      gasUnitPrice: BigInt(String(transaction.gas_unit_price)),
      transaction,
    };
  }

  async pendingTransaction(hash: Uint8Array): Promise<PendingTransaction | undefined> {
    const submitted = this.#options.mempool()?.get(hash);
    return submitted && toPending(submitted);
  }

  /**
   * Mints the native coin for an account; returns the hashes of the faucet's transactions. To be called between two
   * blocks: two calls at once would sign the same sequence number.
   */
  async fund(view: LedgerView, address: Address, amount: bigint): Promise<string[]> {
    const { submissions } = this.#options.chain;
    const signed = await submissions.fund(view, address, amount, (own) =>
      this.#mempool().nextSequenceNumber(submissions.faucet, own),
    );
    const checked: Checked[] = [];
    for (const submitted of signed) checked.push(await this.#check(view, submitted, true));
    return checked.map((one) => toPrefixedHex(this.#add(view, one).hash));
  }
}

function toPending({ transaction, hash }: Submitted): PendingTransaction {
  return { hash, bytes: encodeWith(userTransactionCodec, transaction) };
}

const batchCodec = vector(userTransactionCodec);

function decodeBatch(bytes: Uint8Array): readonly UserTransaction[] {
  const mostBytes = MAX_BATCH * MAX_TRANSACTION_BYTES;
  if (bytes.length > mostBytes)
    throw new SubmissionError(
      "malformed",
      `expected at most ${mostBytes} bytes in a batch, got ${bytes.length}`,
    );
  let transactions: readonly UserTransaction[];
  try {
    transactions = decodeWith(batchCodec, Uint8Array.from(bytes));
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new SubmissionError(
      "malformed",
      `the body is not a list of signed transactions: ${error.message}`,
      {
        cause: error,
      },
    );
  }
  if (transactions.length > MAX_BATCH) throw tooMany(transactions.length, MAX_BATCH);
  return transactions;
}
