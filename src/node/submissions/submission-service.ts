// Submission of transactions to the local chain, over HTTP and in-process.
import { toPrefixedHex } from "../../base/hex.ts";
import { USEC_PER_SEC } from "../../base/numbers.ts";
import { nextTurn } from "../../base/wait.ts";
import { encodeWith } from "../../bcs/codec.ts";
import type { BlockSource } from "../../chain/local-chain.ts";
import type { Mempool } from "../../chain/mempool.ts";
import type { Checked } from "../../chain/submission/on-machine.ts";
import { type Submitted, toSubmitted } from "../../chain/submission/submitted.ts";
import type { PendingTransaction, SubmissionBody, SubmissionHandler } from "../../http/services.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { readAccount } from "../../ledger/items/account.ts";
import type { LedgerPosition, LedgerView } from "../../ledger/view.ts";
import type { Address } from "../../move/address.ts";
import { type UserTransaction, userTransactionCodec } from "../../transaction/user-transaction.ts";
import { type ImpersonatedCall, impersonation } from "../api/impersonation.ts";
import { type BodyParts, decodeBatch, decodeBody } from "./bodies.ts";

export interface SubmissionServiceOptions extends BodyParts {
  readonly chain: BlockSource;
  /** The mempool of the writer; undefined while another process writes. */
  readonly mempool: () => Mempool | undefined;
  /** The time that the next block after a ledger has. */
  readonly nextTimeUsec: (position: LedgerPosition) => bigint;
}

export class SubmissionService implements SubmissionHandler {
  readonly #options: SubmissionServiceOptions;

  constructor(options: SubmissionServiceOptions) {
    this.#options = options;
  }

  #mempool(): Mempool {
    const mempool = this.#options.mempool();
    if (mempool === undefined || mempool.isClosed)
      throw new LedgerError("unavailable", "this node does not make blocks at the moment");
    return mempool;
  }

  /** Takes a transaction that passes all checks. */
  async submit(body: SubmissionBody, view: LedgerView): Promise<PendingTransaction> {
    return toPending(await this.take(await decodeBody(this.#options, body, view), view));
  }

  /** Checks a transaction and puts it into the mempool. Returns the one that waits. */
  async take(transaction: UserTransaction, view: LedgerView): Promise<Submitted> {
    const submitted = toSubmitted(transaction);
    // One that waits already was checked before.
    if (this.#mempool().get(submitted.hash) !== undefined) return submitted;
    const timestampUsec = this.#options.nextTimeUsec(view.position);
    return this.#add(view, await this.#options.chain.submissions.check(view, submitted, timestampUsec));
  }

  /** Puts transactions of the chain's owner into the mempool; returns their hashes. */
  async #takeOwners(view: LedgerView, owners: readonly Submitted[]): Promise<string[]> {
    const timestampUsec = this.#options.nextTimeUsec(view.position);
    const checked = await this.#options.chain.submissions.checkOwners(view, owners, timestampUsec);
    return checked.map((one) => toPrefixedHex(this.#add(view, one).hash));
  }

  /** Asks for the mempool again: it may have been closed during the check. */
  #add({ position }: LedgerView, { submitted, sequenceNumber }: Checked): Submitted {
    const nowSecs = this.#options.nextTimeUsec(position) / USEC_PER_SEC;
    return this.#mempool().add(submitted, { sequenceNumber, nowSecs });
  }

  /**
   * Puts a call of any account into the mempool, without the account's signature: only for the owner of the chain, never
   * over HTTP. It pays no gas. Returns its hash.
   */
  async impersonate(view: LedgerView, sender: Address, call: ImpersonatedCall): Promise<string> {
    const account = await readAccount(view, sender, view.position.version);
    const body = impersonation(sender, call, account?.sequenceNumber ?? 0n);
    const transaction = await decodeBody(this.#options, { bytes: body, isJson: true }, view);
    const [hash = ""] = await this.#takeOwners(view, [toSubmitted(transaction, { isOwners: true })]);
    return hash;
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
    return this.#takeOwners(view, signed);
  }
}

function toPending({ transaction, hash }: Submitted): PendingTransaction {
  return { hash, bytes: encodeWith(userTransactionCodec, transaction) };
}
