// The life of a user transaction: prologue, payload, epilogue, each a session on top of the one before; what is kept and
// what is discarded; the fee.
import { toHex } from "../../base/hex.ts";
import type { Pieces } from "../../base/pieces.ts";
import { sha3 } from "../../base/sha3.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import type { ExecutionStatus } from "../../ledger/formats/transaction-info.ts";
import { entryFunctionCodec } from "../../transaction/executable.ts";
import { rawTransactionCodec } from "../../transaction/raw.ts";
import { createType } from "../../transaction/requests/type-arguments.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import {
  assertLimits,
  type Changes,
  chargeChanges,
  encodeEvents,
  encodeWriteSet,
  type StoredReader,
  squash,
} from "../change-set.ts";
import { invariant, STATUS, VmError } from "../errors.ts";
import { Meter } from "../gas.ts";
import { ModuleVisits } from "../linker.ts";
import type { SessionEvent, TransactionFacts } from "../session.ts";
import { formatType } from "../types.ts";
import { asBytes, byteVec, Struct, type Value } from "../values.ts";
import { decodeMultisigPayload, publishRequested, runEntry, runScript } from "./payload.ts";
import { type Request, requestOf, type SignerKey, type Signers, signersOf } from "./request.ts";
import { accountKey, type ExecutorOptions, FEATURE, type Run, SessionRun } from "./session-run.ts";
import {
  DISCARD,
  Discarded,
  discardedWith,
  emptySuccess,
  executionError,
  keptStatus,
  prologueStatus,
  type TransactionOutput,
  UNEXPECTED_ERROR,
} from "./status.ts";
import { runEpilogue, runPrologue, type Terms } from "./validation.ts";

/** Runs one user transaction. */
export class UserExecution implements Run {
  readonly options: ExecutorOptions;
  readonly meter: Meter;
  readonly visits: ModuleVisits = new ModuleVisits();
  readonly changes: Changes = new Map();
  readonly scriptHash: Uint8Array;
  readonly facts: TransactionFacts;
  readonly #transaction: UserTransaction;
  readonly #request: Request;
  readonly #signers: Signers;
  readonly #maxGas: number;
  readonly #bytes: number;
  readonly #createsAccount: boolean;

  constructor(transaction: UserTransaction, options: ExecutorOptions) {
    this.options = options;
    this.#transaction = transaction;
    this.#request = requestOf(transaction.raw);
    const signers = signersOf(transaction);
    this.#signers = options.isOwners === true ? withOwnKeys(signers, options.read) : signers;
    const { raw } = transaction;
    const { script, entry, multisig } = this.#request;
    this.scriptHash = script === undefined ? new Uint8Array(0) : sha3(script.code);
    this.#bytes = encodeWith(rawTransactionCodec, raw).length;
    this.#maxGas = Number(raw.maxGasAmount);
    this.meter = new Meter(options.config.schedule, this.#maxGas);
    const { sender, secondary, feePayer } = this.#signers;
    this.facts = {
      sender: sender.address,
      secondarySigners: secondary.map(({ address }) => address),
      gasPayer: feePayer?.address ?? sender.address,
      maxGasAmount: raw.maxGasAmount,
      gasUnitPrice: raw.gasUnitPrice,
      entry: entry && {
        address: toHex(entry.module.address),
        module: entry.module.name,
        name: entry.function,
        typeArgs: entry.typeArgs.map((tag) => formatType(createType(tag))),
        args: entry.args,
      },
      multisig,
      transactionIndex: options.transactionIndex,
      sessionCounter: 0,
    };
    const { features } = options.config;
    const mayCreate =
      features.has(FEATURE.defaultAccount) ||
      (features.has(FEATURE.sponsoredCreation) && feePayer !== undefined);
    this.#createsAccount =
      mayCreate &&
      this.#request.nonce === undefined &&
      raw.sequenceNumber === 0n &&
      options.read(accountKey(sender.address)) === undefined;
  }

  get #isOrderless(): boolean {
    return this.#request.nonce !== undefined;
  }

  /** Runs the transaction to its end. */
  *run(): Pieces<TransactionOutput> {
    return yield* this.#orDiscarded();
  }

  /** Runs the prologue alone: an empty success, unless it refuses the transaction. */
  *validate(): Pieces<TransactionOutput> {
    return yield* this.#orDiscarded(emptySuccess());
  }

  *#orDiscarded(valid?: TransactionOutput): Pieces<TransactionOutput> {
    try {
      this.#assertAllowed();
      yield* this.#prologue();
      return valid ?? (yield* this.#execute());
    } catch (error) {
      if (error instanceof Discarded) return discardedWith(error.status);
      if (error instanceof VmError) return discardedWith(error.status);
      throw error;
    }
  }

  /** Session ids: 0 transaction, 3 prologue, 4 epilogue, 6 abort hook; each has a form for orderless transactions. */
  #sessionId(kind: 0 | 3 | 4 | 6): Uint8Array {
    const { sender, sequenceNumber, expirationTimestampSecs } = this.#transaction.raw;
    const writer = new BcsWriter(96);
    const { nonce } = this.#request;
    if (nonce === undefined) writer.uleb(kind).fixed(sender).u64(sequenceNumber);
    else
      writer.uleb({ 0: 9, 3: 10, 4: 11, 6: 12 }[kind]).fixed(sender).u64(nonce).u64(expirationTimestampSecs);
    return writer.byteString(this.scriptHash).take();
  }

  #counter(kind: 0 | 3 | 4 | 6): number {
    return { 0: 35, 3: 25, 4: 55, 6: 45 }[kind] + (this.#isOrderless ? 5 : 0);
  }

  #session(kind: 0 | 3 | 4 | 6): SessionRun {
    return new SessionRun(this, this.#sessionId(kind), this.#counter(kind));
  }

  /** Checks that need no code. */
  #assertAllowed(): void {
    const { sender, secondary } = this.#signers;
    const { features } = this.options.config;
    if (!this.options.areSignaturesValid) throw new Discarded(DISCARD.invalidSignature);
    const addresses = [sender, ...secondary].map(({ address }) => address);
    if (new Set(addresses).size !== addresses.length) throw new Discarded(DISCARD.duplicateSigners);
    if (this.#request.isPayloadV2 && !features.has(FEATURE.payloadV2)) throw new Discarded(DISCARD.gated);
    if (this.#isOrderless && !features.has(FEATURE.orderless)) throw new Discarded(DISCARD.gated);
    if (this.#request.isUnsupported) throw new Discarded(DISCARD.gated);
    this.#assertGas();
    const { multisig, entry, script } = this.#request;
    if (multisig === undefined && entry === undefined && script === undefined)
      throw new Discarded(DISCARD.emptyPayload);
    if (multisig !== undefined && script !== undefined) throw new Discarded(DISCARD.gated);
  }

  /** Size, most gas and price. */
  #assertGas(): void {
    const { raw } = this.#transaction;
    const { features } = this.options.config;
    const { meter } = this;
    const price = (name: string): number => meter.price(`txn.${name}`);
    if (this.#bytes > price("max_transaction_size_in_bytes")) throw new Discarded(DISCARD.tooLarge);
    if (raw.maxGasAmount > BigInt(price("maximum_number_of_gas_units")))
      throw new Discarded(DISCARD.maxGasTooHigh);
    if (this.#maxGas < Math.ceil(this.#intrinsic() / this.meter.scaling))
      throw new Discarded(DISCARD.maxGasTooLow);
    if (raw.gasUnitPrice < BigInt(price("min_price_per_gas_unit")) && this.options.isOwners !== true)
      throw new Discarded(DISCARD.priceTooLow);
    if (raw.gasUnitPrice > BigInt(price("max_price_per_gas_unit"))) throw new Discarded(DISCARD.priceTooHigh);
    if (this.#createsAccount && this.options.isOwners !== true) {
      const slots = features.has(FEATURE.fungibleStore) ? 1n : 2n;
      const deposit =
        slots * BigInt(price("storage_fee_per_state_slot") + 300 * price("storage_fee_per_state_byte"));
      if (raw.gasUnitPrice * raw.maxGasAmount < raw.gasUnitPrice * 10n + deposit)
        throw new Discarded(DISCARD.maxGasTooLow);
    }
  }

  #intrinsic(): number {
    const { meter } = this;
    const over = Math.max(0, this.#bytes - meter.price("txn.large_transaction_cutoff"));
    return meter.price("txn.min_transaction_gas_units") + meter.price("txn.intrinsic_gas_per_byte") * over;
  }

  *#unmetered<T>(run: Pieces<T>): Pieces<T> {
    this.meter.isMetered = false;
    try {
      return yield* run;
    } finally {
      this.meter.isMetered = true;
    }
  }

  *#prologue(): Pieces<void> {
    const run = this.#session(3);
    try {
      yield* this.#unmetered(runPrologue(run, this.#terms()));
    } catch (error) {
      if (error instanceof VmError) throw new Discarded(prologueStatus(error));
      throw error;
    }
    squash(this.changes, yield* run.changes(this));
  }

  #terms(): Terms {
    const { raw } = this.#transaction;
    const { nonce, multisig } = this.#request;
    return {
      raw,
      ...this.#signers,
      nonce,
      multisig: multisig === undefined ? undefined : { address: multisig, payload: this.#multisigPayload() },
      scriptHash: this.scriptHash,
      features: this.options.config.features,
      isSimulation: this.options.isSimulation === true,
    };
  }

  /** BCS of what a multisig account runs, as its owner gives it. */
  #multisigPayload(): Uint8Array {
    const { entry } = this.#request;
    if (entry === undefined)
      return this.options.config.features.has(FEATURE.multisigMismatch)
        ? new Uint8Array(0)
        : Uint8Array.of(0);
    return Buffer.concat([Buffer.of(0), encodeWith(entryFunctionCodec, entry)]);
  }

  *#execute(): Pieces<TransactionOutput> {
    const kept = new Map(this.changes);
    let run: SessionRun;
    try {
      run = this.#session(0);
      if (this.#createsAccount) yield* createAccount(run, this.#signers.sender);
    } catch (error) {
      if (error instanceof VmError) throw new Discarded(error.status);
      throw error;
    }
    try {
      this.meter.charge(this.#intrinsic());
      if (this.#request.multisig !== undefined) return yield* this.#finishMultisig(run);
      yield* this.#payload(run);
      yield* this.#endUser(run);
      // Changes of the prologue are paid for too.
      const refund = yield* this.#charge(this.changes, run.session.events);
      return yield* this.#epilogue({ kind: "success" }, refund, run.session.events);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      // A fault outside of calls too, as of a package that is refused.
      this.options.tracer?.fail(error, run.session);
      this.#restore(kept);
      return yield* this.#fail(error);
    }
  }

  /** Publishes what the code asked for, and joins the changes to those of the prologue. */
  *#endUser(run: SessionRun): Pieces<void> {
    const modules = yield* publishRequested(run, this.options.config);
    squash(this.changes, yield* run.changes(this, modules));
    assertLimits(this.meter, this.changes, run.session.events);
  }

  #charge(changes: Changes, events: readonly SessionEvent[]): Pieces<bigint> {
    return chargeChanges(this.meter, changes, events, {
      transactionBytes: this.#bytes,
      gasUnitPrice: this.#transaction.raw.gasUnitPrice,
      readBefore: this.options.read,
      hasRefundableBytes: this.options.config.features.has(FEATURE.refundableBytes),
    });
  }

  /** Runs what the payload asks for. */
  *#payload(run: SessionRun): Pieces<void> {
    const { script, entry } = this.#request;
    const { sender, secondary } = this.#signers;
    const signers = [sender, ...secondary].map(({ address }) => address);
    if (script !== undefined) yield* runScript(run, script, signers, this.options.config);
    else if (entry !== undefined) yield* runEntry(run, entry, signers);
  }

  *#finishMultisig(run: SessionRun): Pieces<TransactionOutput> {
    const { multisig } = this.#request;
    const { sender } = this.#signers;
    if (multisig === undefined) throw invariant("no multisig account");
    const provided = byteVec(this.#multisigPayload());
    const [stored] = yield* run.callFramework("multisig_account", "get_next_transaction_payload", [
      multisig,
      provided,
    ]);
    const bytes = asBytes(stored);
    const inner = decodeMultisigPayload(bytes);
    const before = new Map(this.changes);
    const args: Value[] = [sender.address, multisig, byteVec(bytes)];
    try {
      yield* runEntry(run, inner, [multisig]);
      yield* this.#endUser(run);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      // The transaction succeeds, without what the inner call did.
      this.options.tracer?.fail(error, run.session);
      this.#restore(before);
      return yield* this.#epilogue({ kind: "success" }, 0n, [], {
        name: "failed_transaction_execution_cleanup",
        args: [...args, executionError(error)],
      });
    }
    const { events } = run.session;
    const refund = yield* this.#charge(this.changes, events);
    return yield* this.#epilogue({ kind: "success" }, refund, events, {
      name: "successful_transaction_execution_cleanup",
      args,
    });
  }

  #restore(changes: Changes): void {
    this.changes.clear();
    for (const [name, change] of changes) this.changes.set(name, change);
  }

  /** What is left of a transaction that failed: its fee, and the account that it was to create. */
  *#fail(error: VmError): Pieces<TransactionOutput> {
    const status = keptStatus(error, this.options, this.meter.version);
    if (status === undefined) throw new Discarded(error.status);
    let events: readonly SessionEvent[] = [];
    if (this.#createsAccount) {
      const hook = this.#session(6);
      try {
        yield* createAccount(hook, this.#signers.sender);
      } catch (caught) {
        if (!(caught instanceof VmError)) throw caught;
        yield* this.#unmetered(createAccount(hook, this.#signers.sender));
      }
      squash(this.changes, yield* hook.changes(this));
      try {
        yield* this.#charge(this.changes, hook.session.events);
      } catch (caught) {
        if (!(caught instanceof VmError)) throw caught;
      }
      events = hook.session.events;
    }
    return yield* this.#epilogue(status, 0n, events);
  }

  *#epilogue(
    status: ExecutionStatus,
    refund: bigint,
    userEvents: readonly SessionEvent[],
    cleanup?: { readonly name: string; readonly args: readonly Value[] },
  ): Pieces<TransactionOutput> {
    const { features } = this.options.config;
    const { meter } = this;
    const gasLeft = BigInt(Math.floor(meter.balance / meter.scaling));
    const gasUsed = this.#maxGas - Number(gasLeft);
    const hasStatement = features.has(FEATURE.moduleEvents) && features.has(FEATURE.feeStatement);
    const run = this.#session(4);
    if (cleanup !== undefined)
      yield* this.#unmetered(run.callFramework("multisig_account", cleanup.name, cleanup.args));
    try {
      const statement = hasStatement ? this.#feeStatement(gasUsed, refund) : undefined;
      yield* this.#unmetered(runEpilogue(run, this.#terms(), { gasLeft, refund, statement }));
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      const isFeeTooHigh = error.status === STATUS.aborted && error.subStatus === ((2n << 16n) | 1005n);
      if (status.kind === "success" && isFeeTooHigh) throw error;
      throw new Discarded(UNEXPECTED_ERROR);
    }
    squash(this.changes, yield* run.changes(this));
    return {
      status,
      discardCode: undefined,
      gasUsed,
      writeSet: yield* encodeWriteSet(this.changes),
      events: yield* encodeEvents([...userEvents, ...run.session.events]),
    };
  }

  #feeStatement(total: number, refund: bigint): Struct {
    const { executionUsed, ioUsed, storageFee, scaling } = this.meter;
    const units = (amount: number): bigint => BigInt(Math.ceil(amount / scaling));
    return new Struct([BigInt(total), units(executionUsed), units(ioUsed), BigInt(storageFee), refund]);
  }
}

function* createAccount(run: SessionRun, { address }: SignerKey): Pieces<void> {
  yield* run.callFramework("account", "create_account_if_does_not_exist", [address]);
}

/** Signers that name no key get the keys of their accounts. */
function withOwnKeys({ sender, secondary, feePayer }: Signers, read: StoredReader): Signers {
  const keyed = ({ address, authenticationKey }: SignerKey): SignerKey => {
    const account = authenticationKey === undefined ? read(accountKey(address))?.data : undefined;
    const own = account === undefined ? Buffer.from(address, "hex") : new BcsReader(account).byteString();
    return { address, authenticationKey: authenticationKey ?? own };
  };
  return { sender: keyed(sender), secondary: secondary.map(keyed), feePayer: feePayer && keyed(feePayer) };
}
