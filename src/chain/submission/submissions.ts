// What the local chain does with a transaction before a block has it: checks it against the ledger, simulates it, or
// makes it itself, for the faucet.

import { encodeWith } from "../../bcs/codec.ts";
import { u64 } from "../../bcs/scalars.ts";
import { contractEventCodec } from "../../ledger/event.ts";
import { encodeRecord } from "../../ledger/record.ts";
import { transactionCodec } from "../../ledger/transaction.ts";
import { transactionInfoCodec } from "../../ledger/transaction-info.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { writeSetCodec } from "../../ledger/write-set.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import { addressCodec } from "../../move/wire.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import { type RawTransaction, rawTransactionCodec } from "../../transaction/raw.ts";
import { signingMessage } from "../../transaction/signing-message.ts";
import { refuse, SubmissionError, unmodelled, VALIDATION_CODES } from "../../transaction/submission-error.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import type { Framework } from "../framework.ts";
import { CallFailure } from "../functions/aborts.ts";
import { CallState } from "../functions/call-state.ts";
import { coinBalance, NATIVE_COIN } from "../functions/coins.ts";
import type { Keypair } from "../keys.ts";
import { WorkingState } from "../working-state.ts";
import { MAX_GAS_AMOUNT } from "./gas.ts";
import { asModelled, meterOf, type RunResult, runCall, runSubmitted } from "./run.ts";
import { areSignaturesValid } from "./signatures.ts";
import { type Submitted, toSubmitted } from "./submitted.ts";
import { checkPrologue } from "./transaction-prologue.ts";

/** For transactions of the chain's owner, whose clock may be set to any time. */
export const NO_EXPIRATION_SECS = 0xffff_ffff_ffff_ffffn;
const FAUCET_GAS = 2000n;
/** Least gas that an estimate gives, in whole units. */
const LEAST_ESTIMATE = 2n;
const NO_HASH = new Uint8Array(32);

/** What a simulation uses in the place of the transaction's own fields. */
export interface SimulatedFields {
  /** True for the most gas that the sender can pay for. */
  readonly maxGasAmount: boolean;
  readonly gasUnitPrice: bigint | undefined;
}

export interface CheckOptions {
  /** The owner of the chain asks for it, who needs no signature. Never true for what comes over HTTP. */
  readonly isOwners?: boolean;
  /** The time of the next block; the ledger's own if left out. */
  readonly timestampUsec?: bigint;
}

/** A transaction that a block may take. */
export interface Checked {
  readonly submitted: Submitted;
  /** The sender's sequence number on the ledger that it was checked against. */
  readonly sequenceNumber: bigint;
}

export class Submissions {
  readonly #framework: Framework;
  readonly #faucet: Keypair;

  constructor({ framework, faucet }: { readonly framework: Framework; readonly faucet: Keypair }) {
    this.#framework = framework;
    this.#faucet = faucet;
  }

  /** The account that mints. */
  get faucet(): Address {
    return this.#faucet.address;
  }

  #callState(view: LedgerView): CallState {
    const { timestampUsec: createdUsec } = view.position;
    return new CallState({ state: new WorkingState(), view, createdUsec, faucet: this.faucet });
  }

  /** Takes a transaction apart. Throws SubmissionError for one that is not modelled. Checks nothing else. */
  takeApart(transaction: UserTransaction, options: { readonly isFree?: boolean } = {}): Submitted {
    const { hasFungibleAssets, unmodelledReason } = this.#framework;
    if (!hasFungibleAssets) throw unmodelled("transactions on a ledger without fungible assets");
    if (unmodelledReason !== undefined) throw unmodelled(unmodelledReason);
    return toSubmitted(transaction, options);
  }

  /** Checks a transaction against the ledger's head. Throws SubmissionError for one that no block can take. */
  async check(
    view: LedgerView,
    submitted: Submitted,
    { isOwners = false, timestampUsec = view.position.timestampUsec }: CheckOptions = {},
  ): Promise<Checked> {
    if (!isOwners && !(await areSignaturesValid(submitted.transaction))) throw refuse("INVALID_SIGNATURE");
    return asModelled(() => this.#check(view, submitted, timestampUsec));
  }

  async #check(view: LedgerView, submitted: Submitted, timestampUsec: bigint): Promise<Checked> {
    const { transaction } = submitted;
    const { chainId } = view.position;
    const call = this.#callState(view);
    const context = { chainId, timestampUsec, mayWait: true };
    await checkPrologue(call, submitted, context);
    // A first run on the present state finds what the model does not have. Its result counts for nothing else.
    await runCall(call, submitted, meterOf(submitted), context).catch((error: unknown) => {
      if (!(error instanceof CallFailure)) throw error;
    });
    call.rollBack();
    const account = await call.read(call.account(transaction.raw.sender));
    return { submitted, sequenceNumber: account?.sequenceNumber ?? 0n };
  }

  /**
   * Runs a transaction on the ledger's head and keeps nothing; returns the record that it would leave, with zeros for the
   * hashes. It must not be signed, because a signed one could be submitted.
   */
  async simulate(
    view: LedgerView,
    given: UserTransaction,
    fields: SimulatedFields,
    timestampUsec: bigint = view.position.timestampUsec,
  ): Promise<Uint8Array> {
    if (await areSignaturesValid(given))
      throw new SubmissionError("signed", "Simulated transactions must not have a valid signature");
    const call = this.#callState(view);
    const raw = await this.#estimate(call, given.raw, fields);
    const transaction: UserTransaction = { ...given, raw };
    const submitted = this.takeApart(transaction);
    const { chainId, version } = view.position;
    let result: RunResult;
    try {
      result = await runSubmitted(call, submitted, { chainId, timestampUsec, isSimulation: true });
    } catch (error) {
      if (!(error instanceof SubmissionError) || error.validation === undefined) throw error;
      const statusCode = BigInt(VALIDATION_CODES[error.validation]);
      result = { status: { kind: "miscellaneous", statusCode }, gasUsed: 0n };
    }
    const info = {
      kind: "v0",
      ...result,
      transactionHash: submitted.hash,
      eventRootHash: NO_HASH,
      stateChangeHash: NO_HASH,
      stateCheckpointHash: undefined,
      auxiliaryInfoHash: undefined,
    } as const;
    const changes = { kind: "v0", writes: call.state.finish() } as const;
    return encodeRecord({
      version,
      transaction: encodeWith(transactionCodec, { kind: "user", transaction }),
      info: encodeWith(transactionInfoCodec, info),
      events: call.events.map((event) => encodeWith(contractEventCodec, event)),
      accumulatorRoot: NO_HASH,
      changes: encodeWith(writeSetCodec, changes),
    });
  }

  async #estimate(call: CallState, raw: RawTransaction, fields: SimulatedFields): Promise<RawTransaction> {
    const { gasUnitPrice = raw.gasUnitPrice } = fields;
    let { maxGasAmount } = raw;
    if (fields.maxGasAmount) {
      const held = await coinBalance(call, raw.sender, NATIVE_COIN);
      const affordable = gasUnitPrice === 0n ? held : held / gasUnitPrice;
      maxGasAmount = affordable;
      if (maxGasAmount > MAX_GAS_AMOUNT) maxGasAmount = MAX_GAS_AMOUNT;
      if (maxGasAmount < LEAST_ESTIMATE) maxGasAmount = LEAST_ESTIMATE;
    }
    return { ...raw, gasUnitPrice, maxGasAmount };
  }

  /**
   * The faucet's transactions that mint the native coin for an account, and create it where it is missing. `next` tells
   * the sequence number of the first one, from that of the faucet's account.
   */
  async fund(
    view: LedgerView,
    address: Address,
    amount: bigint,
    next: (accountSequenceNumber: bigint) => bigint,
  ): Promise<Submitted[]> {
    const call = this.#callState(view);
    const account = await call.read(call.account(this.faucet));
    const sequenceNumber = account?.sequenceNumber ?? 0n;
    const calls: EntryFunction[] = [];
    const isMissing = (await call.read(call.account(address))) === undefined;
    if (isMissing && !(await call.hasFeature("defaultAccounts"))) {
      calls.push(entryFunction("aptos_account", "create_account", [encodeWith(addressCodec, address)]));
    }
    calls.push(
      entryFunction("aptos_coin", "mint", [encodeWith(addressCodec, address), encodeWith(u64, amount)]),
    );
    const { chainId } = view.position;
    const first = next(sequenceNumber);
    return calls.map((call, index) => this.#sign(call, first + BigInt(index), chainId));
  }

  #sign(call: EntryFunction, sequenceNumber: bigint, chainId: number): Submitted {
    const raw: RawTransaction = {
      sender: this.faucet,
      sequenceNumber,
      payload: { kind: "entryFunction", entryFunction: call },
      maxGasAmount: FAUCET_GAS,
      gasUnitPrice: 0n,
      expirationTimestampSecs: NO_EXPIRATION_SECS,
      chainId,
    };
    const signature = this.#faucet.sign(signingMessage(encodeWith(rawTransactionCodec, raw)));
    const { publicKey } = this.#faucet;
    return toSubmitted({ raw, authenticator: { kind: "ed25519", publicKey, signature } }, { isFree: true });
  }
}

function entryFunction(module: string, name: string, args: readonly Uint8Array[]): EntryFunction {
  return { module: { address: FRAMEWORK, name: module }, function: name, typeArgs: [], args };
}
