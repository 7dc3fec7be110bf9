// What a chain does with a transaction before a block has it: checks it against the ledger, simulates it, or makes it
// itself, for the faucet.

import { encodeWith } from "../../bcs/codec.ts";
import { u64 } from "../../bcs/scalars.ts";
import { contractEventCodec } from "../../ledger/event.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { writeSetCodec } from "../../ledger/write-set.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import { addressCodec } from "../../move/wire.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import { type RawTransaction, rawTransactionCodec } from "../../transaction/raw.ts";
import { signingMessage } from "../../transaction/signing-message.ts";
import { refuse, SubmissionError, VALIDATION_CODES } from "../../transaction/submission-error.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import type { Tracer } from "../../vm/session.ts";
import { CallFailure } from "../functions/aborts.ts";
import { CallState } from "../functions/call-state.ts";
import { coinBalance, NATIVE_COIN } from "../functions/coins.ts";
import type { Keypair } from "../keys.ts";
import type { NetworkFramework } from "../network-framework.ts";
import { WorkingState } from "../working-state.ts";
import { MAX_GAS_AMOUNT } from "./gas.ts";
import {
  assertUnsigned,
  type Checked,
  checkOnMachine,
  type SimulatedFields,
  simulatedRecord,
  simulateOnMachine,
  withEstimates,
} from "./on-machine.ts";
import { asModelled, meterOf, type RunResult, runCall, runSubmitted } from "./run.ts";
import { areSignaturesValid } from "./signatures.ts";
import { type Submitted, toSubmitted } from "./submitted.ts";
import { checkPrologue } from "./transaction-prologue.ts";

/** For transactions of the chain's owner, whose clock may be set to any time. */
export const NO_EXPIRATION_SECS = 0xffff_ffff_ffff_ffffn;
const FAUCET_GAS = 2000n;

export interface CheckOptions {
  /** The owner of the chain asks for it, who needs no signature. Never true for what comes over HTTP. */
  readonly isOwners?: boolean;
  /** The time of the next block; the ledger's own if left out. */
  readonly timestampUsec?: bigint;
}

export class Submissions {
  readonly #framework: NetworkFramework;
  readonly #faucet: Keypair;

  constructor({ framework, faucet }: { readonly framework: NetworkFramework; readonly faucet: Keypair }) {
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
  async takeApart(
    view: LedgerView,
    transaction: UserTransaction,
    { isFree = false }: { readonly isFree?: boolean } = {},
  ): Promise<Submitted> {
    return toSubmitted(transaction, { isFree, hasCode: await this.#framework.hasCode(view) });
  }

  /** Checks a transaction against the ledger's head. Throws SubmissionError for one that no block can take. */
  async check(
    view: LedgerView,
    submitted: Submitted,
    { isOwners = false, timestampUsec = view.position.timestampUsec }: CheckOptions = {},
  ): Promise<Checked> {
    if (!isOwners && !(await areSignaturesValid(submitted.transaction))) throw refuse("INVALID_SIGNATURE");
    const head = await this.#framework.open(view, "requests");
    if (head === undefined) return asModelled(() => this.#check(view, submitted, timestampUsec));
    head.setTime(timestampUsec);
    return checkOnMachine(head, view, submitted, this.faucet);
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
    tracer?: Tracer,
  ): Promise<Uint8Array> {
    const head = await this.#framework.open(view, "requests");
    head?.setTime(timestampUsec);
    if (head !== undefined) return simulateOnMachine(head, view, given, fields, tracer);
    await assertUnsigned(given);
    const call = this.#callState(view);
    const held = await coinBalance(call, given.raw.sender, NATIVE_COIN);
    const transaction = { ...given, raw: withEstimates(given.raw, fields, held, MAX_GAS_AMOUNT) };
    const submitted = toSubmitted(transaction, { isFree: false, hasCode: false });
    const { chainId } = view.position;
    let result: RunResult;
    try {
      result = await runSubmitted(call, submitted, { chainId, timestampUsec, isSimulation: true });
    } catch (error) {
      if (!(error instanceof SubmissionError) || error.validation === undefined) throw error;
      const statusCode = BigInt(VALIDATION_CODES[error.validation]);
      result = { status: { kind: "miscellaneous", statusCode }, gasUsed: 0n };
    }
    return simulatedRecord(view, transaction, {
      ...result,
      events: call.events.map((event) => encodeWith(contractEventCodec, event)),
      changes: encodeWith(writeSetCodec, { kind: "v0", writes: call.state.finish() }),
    });
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
    const isFramework = await this.#framework.hasCode(view);
    return calls.map((call, index) =>
      toSubmitted(this.#sign(call, first + BigInt(index), chainId), { isFree: true, hasCode: isFramework }),
    );
  }

  #sign(call: EntryFunction, sequenceNumber: bigint, chainId: number): UserTransaction {
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
    return { raw, authenticator: { kind: "ed25519", publicKey, signature } };
  }
}

function entryFunction(module: string, name: string, args: readonly Uint8Array[]): EntryFunction {
  return { module: { address: FRAMEWORK, name: module }, function: name, typeArgs: [], args };
}
