// What the local chain does with a transaction before a block has it: checks it against the ledger, simulates it, or
// makes it itself, for the faucet.

import { encodeWith } from "../../bcs/codec.ts";
import { u64 } from "../../bcs/scalars.ts";
import type { ExecutionStatus } from "../../ledger/execution-status.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { Writes } from "../../ledger/write-set.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { addressCodec } from "../../move/wire.ts";
import type { EntryFunction } from "../../transaction/entry-function.ts";
import { type RawTransaction, rawTransactionCodec } from "../../transaction/raw.ts";
import { signingMessage } from "../../transaction/signing-message.ts";
import { refuse, SubmissionError, unmodelled, VALIDATION_CODES } from "../../transaction/submission-error.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import type { Framework } from "../framework.ts";
import { MoveAbort } from "../functions/aborts.ts";
import { accountItem, CallState } from "../functions/call-state.ts";
import type { Keypair } from "../keys.ts";
import { WorkingState } from "../working-state.ts";
import { runSubmitted } from "./run.ts";
import { areSignaturesValid } from "./signatures.ts";
import { type Submitted, toSubmitted } from "./submitted.ts";
import { checkPrologue } from "./transaction-prologue.ts";

/** 2100-01-01. */
const FAR_FUTURE_SECS = 4_102_444_800n;
const FAUCET_GAS = 2000n;
const FRAMEWORK = parseAddress("0x1");

/** What a transaction would do. */
export interface Simulation {
  readonly submitted: Submitted;
  readonly status: ExecutionStatus;
  readonly gasUsed: bigint;
  readonly writes: Writes;
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

  #take(transaction: UserTransaction): Submitted {
    if (!this.#framework.hasFungibleAssets)
      throw unmodelled("transactions on a genesis without fungible assets");
    return toSubmitted(transaction);
  }

  /** Checks a transaction against the ledger's head. Throws SubmissionError for one that no block can take. */
  async check(view: LedgerView, transaction: UserTransaction): Promise<Submitted> {
    const submitted = this.#take(transaction);
    if (!areSignaturesValid(transaction)) throw refuse("INVALID_SIGNATURE");
    const { chainId, timestampUsec } = view.position;
    const call = this.#callState(view);
    await checkPrologue(call, submitted, { chainId, timestampUsec, mayWait: true });
    // A first run on the present state finds what the model does not have. Its result counts for nothing else.
    await submitted.call.run(call, transaction.raw.sender).catch((error: unknown) => {
      if (!(error instanceof MoveAbort)) throw error;
    });
    return submitted;
  }

  /** Runs a transaction on the ledger's head and keeps nothing. It must not be signed, because a signed one could be submitted. */
  async simulate(view: LedgerView, transaction: UserTransaction): Promise<Simulation> {
    if (areSignaturesValid(transaction)) {
      throw new SubmissionError("signed", "a transaction to simulate must not have a valid signature");
    }
    const submitted = this.#take(transaction);
    const { chainId, timestampUsec } = view.position;
    const call = this.#callState(view);
    try {
      const { status, gasUsed } = await runSubmitted(call, submitted, { chainId, timestampUsec });
      return { submitted, status, gasUsed, writes: call.state.finish() };
    } catch (error) {
      if (!(error instanceof SubmissionError) || error.validation === undefined) throw error;
      const statusCode = BigInt(VALIDATION_CODES[error.validation]);
      const status = { kind: "miscellaneous", statusCode } as const;
      return { submitted, status, gasUsed: 0n, writes: [] };
    }
  }

  /**
   * The faucet's transactions that mint the native coin for an account, and create it where it is missing. `waiting` is
   * the number of the faucet's transactions that wait for a block.
   */
  async fund(view: LedgerView, address: Address, amount: bigint, waiting: number): Promise<Submitted[]> {
    const call = this.#callState(view);
    const account = await call.read(accountItem(this.faucet));
    const first = (account?.sequenceNumber ?? 0n) + BigInt(waiting);
    const calls: EntryFunction[] = [];
    const isMissing = (await call.read(accountItem(address))) === undefined;
    if (isMissing && !(await call.hasDefaultAccounts())) {
      calls.push(entryFunction("aptos_account", "create_account", [encodeWith(addressCodec, address)]));
    }
    calls.push(
      entryFunction("aptos_coin", "mint", [encodeWith(addressCodec, address), encodeWith(u64, amount)]),
    );
    const { chainId } = view.position;
    return calls.map((call, index) => this.#sign(call, first + BigInt(index), chainId));
  }

  #sign(call: EntryFunction, sequenceNumber: bigint, chainId: number): Submitted {
    const raw: RawTransaction = {
      sender: this.faucet,
      sequenceNumber,
      payload: { kind: "entryFunction", entryFunction: call },
      maxGasAmount: FAUCET_GAS,
      gasUnitPrice: 0n,
      expirationTimestampSecs: FAR_FUTURE_SECS,
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
