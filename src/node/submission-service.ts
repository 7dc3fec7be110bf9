// Submission of transactions to the local chain, over HTTP and in-process.
import { toPrefixedHex } from "../base/hex.ts";
import { nextTurn } from "../base/turns.ts";
import { encodeWith } from "../bcs/codec.ts";
import type { BlockSource } from "../chain/local-chain.ts";
import type { Mempool } from "../chain/mempool.ts";
import type { Submitted } from "../chain/submission/submitted.ts";
import { HttpError } from "../http/errors.ts";
import type {
  PendingTransaction,
  SimulationEstimates,
  SubmissionBody,
  SubmissionHandler,
} from "../http/services.ts";
import { readAccount } from "../ledger/account.ts";
import type { StateTypes } from "../ledger/state-types.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { Address } from "../move/address.ts";
import { type UserTransaction, userTransactionCodec } from "../transaction/user-transaction.ts";
import { type ImpersonatedCall, impersonation } from "./impersonation.ts";
import { type BodyParts, decodeBatch, decodeBody } from "./submissions/bodies.ts";

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

export interface SubmissionServiceOptions extends BodyParts {
  readonly chain: BlockSource;
  /** The mempool of the writer; undefined while another process writes. */
  readonly mempool: () => Mempool | undefined;
  readonly types: StateTypes;
}

export class SubmissionService implements SubmissionHandler {
  readonly #options: SubmissionServiceOptions;
  /** Settles when the faucet's last transaction is in the mempool: each needs the sequence number after it. */
  #funding: Promise<unknown> = Promise.resolve();

  constructor(options: SubmissionServiceOptions) {
    this.#options = options;
  }

  #mempool(): Mempool {
    const mempool = this.#options.mempool();
    if (mempool === undefined)
      throw new HttpError("unavailable", "this node does not make blocks at the moment");
    return mempool;
  }

  /** Takes a transaction that passes all checks. */
  async submit(body: SubmissionBody, view: LedgerView): Promise<PendingTransaction> {
    return toPending(await this.take(await decodeBody(this.#options, body, view), view));
  }

  /** Checks a transaction and puts it into the mempool. Returns the one that waits. */
  async take(transaction: UserTransaction, view: LedgerView): Promise<Submitted> {
    const mempool = this.#mempool();
    const { submissions } = this.#options.chain;
    const submitted = submissions.takeApart(transaction);
    // One that waits already was checked before.
    if (mempool.get(submitted.hash) !== undefined) return submitted;
    const { sequenceNumber } = await submissions.check(view, submitted);
    return mempool.add(submitted, { sequenceNumber, nowSecs: nowSecsOf(view) });
  }

  /**
   * Puts a call of any account into the mempool, without the account's signature: only for the owner of the chain, never
   * over HTTP. It pays no gas. Returns its hash.
   */
  async impersonate(view: LedgerView, sender: Address, call: ImpersonatedCall): Promise<string> {
    const mempool = this.#mempool();
    const { submissions } = this.#options.chain;
    const account = await readAccount(view, sender, view.position.version);
    const body = impersonation(sender, call, account?.sequenceNumber ?? 0n);
    const transaction = await decodeBody(this.#options, { bytes: body, isJson: true }, view);
    const submitted = submissions.takeApart(transaction, { isFree: true });
    const { sequenceNumber } = await submissions.check(view, submitted, { isImpersonated: true });
    return toPrefixedHex(mempool.add(submitted, { sequenceNumber, nowSecs: nowSecsOf(view) }).hash);
  }

  /** Takes each transaction for itself; returns the errors, in the order of the transactions. */
  async submitBatch(body: SubmissionBody, view: LedgerView): Promise<(unknown | undefined)[]> {
    const errors: (unknown | undefined)[] = [];
    for (const parse of await decodeBatch(this.#options, body, view)) {
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

  async simulate(
    body: SubmissionBody,
    view: LedgerView,
    estimates: SimulationEstimates = NO_ESTIMATES,
  ): Promise<Uint8Array> {
    const { submissions } = this.#options.chain;
    return submissions.simulate(view, await decodeBody(this.#options, body, view), estimates);
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

  /** Mints the native coin for an account; returns the hashes of the faucet's transactions. */
  fund(view: LedgerView, address: Address, amount: bigint): Promise<string[]> {
    const funded = this.#funding.then(() => this.#fund(view, address, amount));
    this.#funding = funded.catch(() => {});
    return funded;
  }

  async #fund(view: LedgerView, address: Address, amount: bigint): Promise<string[]> {
    const mempool = this.#mempool();
    const { submissions } = this.#options.chain;
    const checked = await submissions.fund(view, address, amount, (own) =>
      mempool.nextSequenceNumber(submissions.faucet, own),
    );
    for (const { submitted, sequenceNumber } of checked)
      mempool.add(submitted, { sequenceNumber, nowSecs: nowSecsOf(view) });
    return checked.map(({ submitted }) => toPrefixedHex(submitted.hash));
  }
}

function toPending({ transaction, hash }: Submitted): PendingTransaction {
  return { hash, bytes: encodeWith(userTransactionCodec, transaction) };
}

function nowSecsOf({ position }: LedgerView): bigint {
  return position.timestampUsec / 1_000_000n;
}
