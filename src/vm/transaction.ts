// The life of a transaction: prologue, payload, epilogue, each a session on top of the one before; what is kept and what
// is discarded; the fee.
import { toHex } from "../base/hex.ts";
import { sha3 } from "../base/sha3.ts";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { BcsWriter } from "../bcs/writer.ts";
import {
  type AbortLocation,
  type ExecutionStatus,
  executionStatusCodec,
} from "../ledger/execution-status.ts";
import type { AbiType } from "../move/abi.ts";
import { addressFromBytes } from "../move/address.ts";
import { readProgramTables, readScriptProgram } from "../move/bytecode/program.ts";
import { MoveError } from "../move/errors.ts";
import type { AccountAuthenticator } from "../transaction/account-authenticator.ts";
import { anyPublicKeyCodec } from "../transaction/any-key.ts";
import type { BlockMetadata } from "../transaction/block-metadata.ts";
import { type EntryFunction, entryFunctionCodec } from "../transaction/entry-function.ts";
import { rawTransactionCodec } from "../transaction/raw.ts";
import type { Script } from "../transaction/script.ts";
import type { UserTransaction } from "../transaction/user-transaction.ts";
import { abortInfoOf } from "./abort-info.ts";
import { ArgumentMaker, assertArgumentType, assertTypeArgs } from "./arguments.ts";
import {
  assertLimits,
  type Changes,
  changesOf,
  chargeChanges,
  encodeEvents,
  encodeWriteSet,
  type Metadata,
  readThrough,
  type StoredReader,
  squash,
} from "./change-set.ts";
import { invariant, STATUS, VmError } from "./errors.ts";
import { InstructionPrices, Meter } from "./gas.ts";
import { Interpreter } from "./interpreter.ts";
import { type FunctionInstance, Linker, type LoadedModule, ModuleVisits } from "./linker.ts";
import { findNative } from "./machine.ts";
import { ATTRIBUTE, isUnstable, metadataOfModule } from "./metadata.ts";
import { type PublishRequest, stringOf } from "./natives/framework.ts";
import { none, some } from "./natives/stdlib.ts";
import { assertInitialiser, checkPublish, isEmit, maxFormatVersion } from "./publish.ts";
import { Session, type SessionEvent, type TransactionFacts } from "./session.ts";
import { LedgerState, type ProgramCache, resourceStateKey, structTagOf } from "./state.ts";
import { formatType, structType, substitute, typeFromTag } from "./types.ts";
import { asBytes, byteVec, Ref, Struct, signerOf, type Value, Vec } from "./values.ts";
import { assertLinks, assertWellFormedScript } from "./verify.ts";
import { type ChainConfig, sessionHash } from "./view.ts";

const FRAMEWORK = `${"0".repeat(63)}1`;
const VALIDATION = "transaction_validation";
const MAINNET = 1;
const FEATURE = {
  structArguments: 15,
  slotMetadata: 19,
  keepInvariantViolations: 20,
  moduleEvents: 26,
  feeStatement: 27,
  deletionRefund: 28,
  sponsoredCreation: 34,
  delayedFields: 36,
  splitGroups: 41,
  refundableBytes: 51,
  multisigMismatch: 70,
  serializedScriptArguments: 72,
  simulationVariants: 78,
  accountAbstraction: 85,
  derivableAbstraction: 88,
  functionValues: 89,
  fungibleStore: 90,
  defaultAccount: 91,
  payloadV2: 93,
  orderless: 94,
} as const;

/** Statuses of transactions that leave nothing behind. */
const DISCARD = {
  invalidSignature: 1,
  tooLarge: 10,
  maxGasTooHigh: 13,
  maxGasTooLow: 14,
  priceTooLow: 15,
  priceTooHigh: 16,
  gated: 26,
  duplicateSigners: 28,
  emptyPayload: 43,
} as const;

/** How a transaction ended. */
export interface TransactionOutput {
  /** Undefined for a transaction that is discarded. */
  readonly status: ExecutionStatus | undefined;
  /** Why it is discarded. */
  readonly discardCode: number | undefined;
  readonly gasUsed: number;
  readonly writeSet: Uint8Array;
  readonly events: readonly Uint8Array[];
}

export interface ExecutorOptions {
  readonly read: StoredReader;
  readonly programs: ProgramCache;
  readonly config: ChainConfig;
  /** Place in its block, where it is known. */
  readonly transactionIndex?: number | undefined;
  readonly isSimulation?: boolean;
  /** Items and bytes of the state, as of the beginning of the epoch. The block prologue writes them down. */
  readonly usage?: { readonly items: bigint; readonly bytes: bigint } | undefined;
  /** False if a signature is wrong. The caller checks signatures: they need no state. */
  readonly areSignaturesValid: boolean;
}

/** Discards a transaction: it leaves nothing behind. */
class Discarded extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the transaction is discarded with status ${status}`);
    this.status = status;
  }
}

/** One session: a data cache of its own on what the sessions before changed. */
class SessionRun {
  readonly linker: Linker;
  readonly session: Session;
  readonly prices: InstructionPrices;
  readonly read: StoredReader;

  constructor(transaction: Run, id: Uint8Array, counter: number) {
    const { options, meter, visits } = transaction;
    this.read = readThrough(transaction.changes, options.read);
    const state = new LedgerState((key) => this.read(key)?.data, options.programs);
    this.linker = new Linker({
      meter,
      natives: findNative,
      source: (at, of) => state.module(at, of),
      visits,
      hasDelayedFields:
        options.isSimulation !== true &&
        options.config.features.has(FEATURE.delayedFields) &&
        options.config.features.has(FEATURE.splitGroups),
    });
    const { chainId, features } = options.config;
    this.session = new Session({
      state,
      linker: this.linker,
      chainId,
      features,
      sessionHash: sessionHash(id),
      scriptHash: transaction.scriptHash,
      facts: transaction.facts && { ...transaction.facts, sessionCounter: counter },
      usage: options.usage ?? { items: 0n, bytes: 0n },
    });
    this.prices = new InstructionPrices(meter);
  }

  interpreter(): Interpreter {
    return new Interpreter(this.linker, this.session, this.prices);
  }

  /** Calls a function of the framework. */
  callFramework(module: string, name: string, args: readonly Value[]): readonly Value[] {
    const loaded = this.linker.module(FRAMEWORK, module);
    const instance = this.linker.functionIn(loaded, name, []);
    // A signer that a function takes by reference is given a place.
    const given = args.map((value, i) =>
      instance.definition.params[i]?.kind === "reference" ? new Ref([value], 0) : value,
    );
    return this.interpreter().call(instance, given);
  }

  changes(transaction: Run, modules?: ReadonlyMap<string, Uint8Array>): Changes {
    const time = this.read(TIME_KEY)?.data;
    const creationTimeUsec = time === undefined ? 0n : Buffer.from(time).readBigUInt64LE(0);
    const created: Metadata | undefined = transaction.options.config.features.has(FEATURE.slotMetadata)
      ? { slotDeposit: 0n, bytesDeposit: 0n, creationTimeUsec }
      : undefined;
    return changesOf(this.session, { read: this.read, created }, modules);
  }
}

const TIME_KEY = resourceStateKey(
  FRAMEWORK,
  structTagOf(structType(FRAMEWORK, "timestamp", "CurrentTimeMicroseconds")),
  "resource",
);

function accountKey(address: string): Uint8Array {
  return resourceStateKey(address, structTagOf(structType(FRAMEWORK, "account", "Account")), "resource");
}

/** What all sessions of a transaction share. */
interface Run {
  readonly options: ExecutorOptions;
  readonly meter: Meter;
  readonly visits: ModuleVisits;
  readonly changes: Changes;
  readonly scriptHash: Uint8Array;
  readonly facts: TransactionFacts | undefined;
}

interface SignerKey {
  readonly address: string;
  /** Undefined where a simulation names no key. */
  readonly authenticationKey: Uint8Array | undefined;
}

function authenticationKeyOf(account: AccountAuthenticator): Uint8Array | undefined {
  switch (account.kind) {
    case "ed25519":
      return sha3(Buffer.concat([account.publicKey, Buffer.of(0)]));
    case "multiEd25519":
      return sha3(Buffer.concat([account.publicKey, Buffer.of(1)]));
    case "singleKey":
      return sha3(Buffer.concat([encodeWith(anyPublicKeyCodec, account.publicKey), Buffer.of(2)]));
    case "multiKey": {
      const writer = new BcsWriter(128);
      writer.count(account.publicKeys.length);
      for (const key of account.publicKeys) anyPublicKeyCodec.write(writer, key);
      writer.u8(account.signaturesRequired);
      return sha3(Buffer.concat([writer.take(), Buffer.of(3)]));
    }
    case "none":
    case "abstract":
      return undefined;
  }
}

function signersOf({ raw, authenticator }: UserTransaction): {
  readonly sender: SignerKey;
  readonly secondary: readonly SignerKey[];
  readonly feePayer: SignerKey | undefined;
} {
  const sender = toHex(raw.sender);
  const of = (address: string, account: AccountAuthenticator): SignerKey => ({
    address,
    authenticationKey: authenticationKeyOf(account),
  });
  switch (authenticator.kind) {
    case "ed25519":
    case "multiEd25519":
      return { sender: of(sender, authenticator), secondary: [], feePayer: undefined };
    case "singleSender":
      return { sender: of(sender, authenticator.sender), secondary: [], feePayer: undefined };
    default: {
      const secondary = authenticator.secondarySigners.map((account, i) =>
        of(toHex(authenticator.secondaryAddresses[i] ?? new Uint8Array(32)), account),
      );
      const feePayer =
        authenticator.kind === "feePayer"
          ? of(toHex(authenticator.feePayerAddress), authenticator.feePayer)
          : undefined;
      return { sender: of(sender, authenticator.sender), secondary, feePayer };
    }
  }
}

/** What a payload asks for, whatever its form. */
interface Request {
  readonly entry: EntryFunction | undefined;
  readonly script: Script | undefined;
  readonly multisig: string | undefined;
  readonly nonce: bigint | undefined;
  readonly isPayloadV2: boolean;
  /** A form of payload that the chain no longer takes, or not yet. */
  readonly isUnsupported: boolean;
}

function requestOf({ payload }: UserTransaction["raw"]): Request {
  const plain = {
    entry: undefined,
    script: undefined,
    multisig: undefined,
    nonce: undefined,
    isPayloadV2: false,
    isUnsupported: false,
  };
  switch (payload.kind) {
    case "script":
      return { ...plain, script: payload.script };
    case "entryFunction":
      return { ...plain, entry: payload.entryFunction };
    case "multisig": {
      const inner = payload.transactionPayload;
      return {
        ...plain,
        multisig: toHex(payload.multisigAddress),
        entry: inner?.kind === "entryFunction" ? inner.entryFunction : undefined,
        script: inner?.kind === "script" ? inner.script : undefined,
      };
    }
    case "payload": {
      const { executable, extraConfig } = payload.payload;
      const { multisigAddress, replayProtectionNonce } = extraConfig;
      return {
        entry: executable.kind === "entryFunction" ? executable.entryFunction : undefined,
        script: executable.kind === "script" ? executable.script : undefined,
        multisig: multisigAddress === undefined ? undefined : toHex(multisigAddress),
        nonce: replayProtectionNonce,
        isPayloadV2: true,
        isUnsupported: false,
      };
    }
    default:
      return { ...plain, isUnsupported: true };
  }
}

/** Statuses of the prologue's aborts, by category and reason. */
const PROLOGUE_STATUS: Readonly<Record<string, number>> = {
  "1/1001": 2,
  "1/1002": 3,
  "1/1003": 4,
  "1/1004": 7,
  "1/1005": 5,
  "1/1006": 6,
  "1/1007": 23,
  "1/1009": 27,
  "1/1010": 36,
  "1/1012": 42,
  "1/1013": 44,
  "2/1008": 24,
  "3/1011": 37,
  "3/2002": 31,
  "5/2003": 32,
  "6/2006": 33,
  "1/2009": 34,
  "1/2008": 35,
  "1/2010": 40,
};
const UNEXPECTED_ERROR = 2015;

function prologueStatus(error: VmError): number {
  if (error.status !== STATUS.aborted || error.subStatus === undefined)
    return error.status < 1000 ? error.status : UNEXPECTED_ERROR;
  const key = `${error.subStatus >> 16n}/${error.subStatus & 0xffffn}`;
  const module = error.location;
  if (module !== `${FRAMEWORK}::${VALIDATION}` && module !== `${FRAMEWORK}::multisig_account`)
    return UNEXPECTED_ERROR;
  return PROLOGUE_STATUS[key] ?? UNEXPECTED_ERROR;
}

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
  readonly #signers: ReturnType<typeof signersOf>;
  readonly #maxGas: number;
  readonly #bytes: number;
  readonly #createsAccount: boolean;

  constructor(transaction: UserTransaction, options: ExecutorOptions) {
    this.options = options;
    this.#transaction = transaction;
    this.#request = requestOf(transaction.raw);
    this.#signers = signersOf(transaction);
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
        typeArgs: entry.typeArgs.map((tag) => formatType(typeFromTag(tag))),
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
  run(): TransactionOutput {
    try {
      this.#assertAllowed();
      this.#prologue();
      return this.#execute();
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
    if (raw.gasUnitPrice < BigInt(price("min_price_per_gas_unit"))) throw new Discarded(DISCARD.priceTooLow);
    if (raw.gasUnitPrice > BigInt(price("max_price_per_gas_unit"))) throw new Discarded(DISCARD.priceTooHigh);
    if (this.#createsAccount) {
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

  #unmetered<T>(run: () => T): T {
    this.meter.isMetered = false;
    try {
      return run();
    } finally {
      this.meter.isMetered = true;
    }
  }

  #prologue(): void {
    const { raw } = this.#transaction;
    const { sender, secondary, feePayer } = this.#signers;
    const { features, chainId } = this.options.config;
    const isSimulation = this.options.isSimulation === true;
    const key = ({ authenticationKey }: SignerKey): Value =>
      authenticationKey === undefined ? none() : some(byteVec(authenticationKey));
    const terms: Value[] = [raw.gasUnitPrice, raw.maxGasAmount, raw.expirationTimestampSecs, raw.chainId];
    void chainId;
    const addresses = new Vec(
      "address",
      secondary.map(({ address }) => address),
    );
    const keys = new Vec("other", secondary.map(key));
    const run = this.#session(3);
    try {
      this.#unmetered(() => {
        if (features.has(FEATURE.accountAbstraction) || features.has(FEATURE.derivableAbstraction)) {
          const isV2 = features.has(FEATURE.payloadV2);
          const { nonce } = this.#request;
          const protector: Value = isV2
            ? nonce === undefined
              ? new Struct([raw.sequenceNumber], 1)
              : new Struct([nonce], 0)
            : raw.sequenceNumber;
          const suffix = isV2 ? "_v2" : "";
          if (feePayer === undefined)
            run.callFramework(VALIDATION, `unified_prologue${suffix}`, [
              signerOf(sender.address),
              key(sender),
              protector,
              addresses,
              keys,
              ...terms,
              isSimulation,
            ]);
          else
            run.callFramework(VALIDATION, `unified_prologue_fee_payer${suffix}`, [
              signerOf(sender.address),
              signerOf(feePayer.address),
              key(sender),
              key(feePayer),
              protector,
              addresses,
              keys,
              ...terms,
              isSimulation,
            ]);
        } else this.#oldPrologue(run, terms, isSimulation);
        const { multisig } = this.#request;
        if (multisig !== undefined && (!isSimulation || features.has(FEATURE.simulationVariants)))
          run.callFramework("multisig_account", "validate_multisig_transaction", [
            signerOf(sender.address),
            multisig,
            byteVec(this.#multisigPayload()),
          ]);
      });
    } catch (error) {
      if (error instanceof VmError) throw new Discarded(prologueStatus(error));
      throw error;
    }
    squash(this.changes, run.changes(this));
  }

  #oldPrologue(run: SessionRun, terms: readonly Value[], isSimulation: boolean): void {
    const { raw } = this.#transaction;
    const { sender, secondary, feePayer } = this.#signers;
    const extended = this.options.config.features.has(FEATURE.simulationVariants);
    const suffix = extended ? "_extended" : "";
    const last: Value[] = extended ? [isSimulation] : [];
    const key = ({ authenticationKey }: SignerKey): Value => byteVec(authenticationKey ?? new Uint8Array(0));
    const addresses = new Vec(
      "address",
      secondary.map(({ address }) => address),
    );
    const keys = new Vec("other", secondary.map(key));
    const begin: Value[] = [signerOf(sender.address), raw.sequenceNumber, key(sender)];
    if (feePayer !== undefined)
      run.callFramework(VALIDATION, `fee_payer_script_prologue${suffix}`, [
        ...begin,
        addresses,
        keys,
        feePayer.address,
        key(feePayer),
        ...terms,
        ...last,
      ]);
    else if (secondary.length > 0)
      run.callFramework(VALIDATION, `multi_agent_script_prologue${suffix}`, [
        ...begin,
        addresses,
        keys,
        ...terms,
        ...last,
      ]);
    else
      run.callFramework(VALIDATION, `script_prologue${suffix}`, [
        ...begin,
        ...terms,
        byteVec(this.scriptHash),
        ...last,
      ]);
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

  #execute(): TransactionOutput {
    const kept = new Map(this.changes);
    let run: SessionRun;
    try {
      run = this.#session(0);
      if (this.#createsAccount)
        run.callFramework("account", "create_account_if_does_not_exist", [this.#signers.sender.address]);
    } catch (error) {
      if (error instanceof VmError) throw new Discarded(error.status);
      throw error;
    }
    try {
      this.meter.charge(this.#intrinsic());
      if (this.#request.multisig !== undefined) return this.#finishMultisig(run);
      this.#payload(run);
      this.#endUser(run);
      // Changes of the prologue are paid for too.
      const refund = this.#charge(this.changes, run.session.events);
      return this.#epilogue({ kind: "success" }, refund, run.session.events);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      this.#restore(kept);
      return this.#fail(error);
    }
  }

  /** Publishes what the code asked for, and joins the changes to those of the prologue. */
  #endUser(run: SessionRun): void {
    const modules = this.#publish(run);
    squash(this.changes, run.changes(this, modules));
    assertLimits(this.meter, this.changes, run.session.events);
  }

  #publish(run: SessionRun): ReadonlyMap<string, Uint8Array> {
    const request = run.session.extensions.get("publish") as PublishRequest | undefined;
    if (request === undefined) return new Map();
    const { linker } = run;
    const { features, chainId } = this.options.config;
    const modules = checkPublish(request, { linker, features, chainId });
    for (const { program, loaded, old } of modules) {
      const definition = program.functions.find(({ name }) => name === "init_module");
      if (old !== undefined || definition === undefined) continue;
      assertInitialiser(definition, this.meter.version);
      const signer = signerOf(request.destination);
      const given: Value = definition.params[0]?.kind === "reference" ? new Ref([signer], 0) : signer;
      run.interpreter().call(linker.instance(loaded, definition, []), [given]);
    }
    return new Map(modules.map(({ loaded, bytes }) => [loaded.key, bytes]));
  }

  #charge(changes: Changes, events: readonly SessionEvent[]): bigint {
    return chargeChanges(this.meter, changes, events, {
      transactionBytes: this.#bytes,
      gasUnitPrice: this.#transaction.raw.gasUnitPrice,
      readBefore: this.options.read,
      hasRefundableBytes: this.options.config.features.has(FEATURE.refundableBytes),
    });
  }

  /** Runs what the payload asks for. */
  #payload(run: SessionRun): void {
    const { script, entry } = this.#request;
    const { sender, secondary } = this.#signers;
    const signers = [sender, ...secondary].map(({ address }) => address);
    if (script !== undefined) this.#script(run, script, signers);
    else if (entry !== undefined) this.#entry(run, entry, signers);
  }

  #entry(run: SessionRun, entry: EntryFunction, signers: readonly string[]): void {
    const { linker } = run;
    const module = linker.module(toHex(entry.module.address), entry.module.name);
    const typeArgs = entry.typeArgs.map(typeFromTag);
    for (const type of typeArgs) loadTypes(linker, type);
    const definition = module.program.functions.find((one) => one.name === entry.function);
    if (definition === undefined)
      throw new VmError(
        STATUS.functionResolutionFailure,
        `there is no function ${module.key}::${entry.function}`,
      );
    assertTypeArgs(linker, definition.typeParams, typeArgs);
    if (definition.body === undefined)
      throw new VmError(STATUS.userDefinedNativeNotAllowed, "a native function is no entry function");
    if (definition.visibility !== "public" && isRandom(module, entry.function)) run.session.markUnbiasable();
    const instance = linker.instance(module, definition, typeArgs);
    const args = makeArguments(run, instance, signers, entry.args);
    if (!definition.isEntry)
      throw new VmError(STATUS.entryFunctionNotEntry, "the function is no entry function");
    run.interpreter().call(instance, args());
  }

  #script(run: SessionRun, script: Script, signers: readonly string[]): void {
    const { linker } = run;
    const { features, chainId } = this.options.config;
    const isSerialized = script.args.some(({ kind }) => kind === "serialized");
    if (isSerialized && !features.has(FEATURE.serializedScriptArguments)) throw new Discarded(DISCARD.gated);
    let program: ReturnType<typeof readScriptProgram>;
    try {
      program = readScriptProgram(script.code);
    } catch (error) {
      if (!(error instanceof MoveError)) throw error;
      throw new VmError(STATUS.codeDeserializationError, error.message);
    }
    if (program.version > maxFormatVersion(features))
      throw new VmError(STATUS.codeDeserializationError, "the script has a format that is not supported");
    const tables = readProgramTables(script.code, "script");
    assertWellFormedScript(program, tables);
    for (const { address, name } of program.dependencies) linker.module(toHex(address), name);
    assertLinks(tables, undefined, linker);
    const typeArgs = script.typeArgs.map(typeFromTag);
    for (const type of typeArgs) loadTypes(linker, type);
    assertTypeArgs(linker, program.main.typeParams, typeArgs);
    const instance = linker.script(program, typeArgs);
    if (chainId === MAINNET && isUnstable(program.metadata))
      throw new VmError(STATUS.unstableBytecodeRejected, "the script is marked as not stable");
    if (program.functions.some(isEmit))
      throw new VmError(STATUS.invalidOperationInScript, "a script cannot emit events");
    const args = script.args.map((argument) => scriptArgumentBytes(argument));
    run.interpreter().call(instance, makeArguments(run, instance, signers, args)());
  }

  #finishMultisig(run: SessionRun): TransactionOutput {
    const { multisig } = this.#request;
    const { sender } = this.#signers;
    if (multisig === undefined) throw invariant("no multisig account");
    const provided = byteVec(this.#multisigPayload());
    const [stored] = run.callFramework("multisig_account", "get_next_transaction_payload", [
      multisig,
      provided,
    ]);
    const bytes = asBytes(stored);
    const inner = decodeMultisigPayload(bytes);
    const before = new Map(this.changes);
    const args: Value[] = [sender.address, multisig, byteVec(bytes)];
    try {
      this.#entry(run, inner, [multisig]);
      this.#endUser(run);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      // The transaction succeeds, without what the inner call did.
      this.#restore(before);
      return this.#epilogue({ kind: "success" }, 0n, [], (epilogue) => {
        epilogue.callFramework("multisig_account", "failed_transaction_execution_cleanup", [
          ...args,
          executionError(error),
        ]);
      });
    }
    const { events } = run.session;
    const refund = this.#charge(this.changes, events);
    return this.#epilogue({ kind: "success" }, refund, events, (epilogue) => {
      epilogue.callFramework("multisig_account", "successful_transaction_execution_cleanup", args);
    });
  }

  #restore(changes: Changes): void {
    this.changes.clear();
    for (const [name, change] of changes) this.changes.set(name, change);
  }

  /** What is left of a transaction that failed: its fee, and the account that it was to create. */
  #fail(error: VmError): TransactionOutput {
    const status = this.#keptStatus(error);
    if (status === undefined) throw new Discarded(error.status);
    let events: readonly SessionEvent[] = [];
    if (this.#createsAccount) {
      const hook = this.#session(6);
      const create = (): void => {
        hook.callFramework("account", "create_account_if_does_not_exist", [this.#signers.sender.address]);
      };
      try {
        create();
      } catch (caught) {
        if (!(caught instanceof VmError)) throw caught;
        this.#unmetered(create);
      }
      squash(this.changes, hook.changes(this));
      try {
        this.#charge(this.changes, hook.session.events);
      } catch (caught) {
        if (!(caught instanceof VmError)) throw caught;
      }
      events = hook.session.events;
    }
    return this.#epilogue(status, 0n, events);
  }

  #keptStatus(error: VmError): ExecutionStatus | undefined {
    return keptStatus(error, this.options, this.meter.version);
  }

  #epilogue(
    status: ExecutionStatus,
    refund: bigint,
    userEvents: readonly SessionEvent[],
    cleanup?: (run: SessionRun) => void,
  ): TransactionOutput {
    const { raw } = this.#transaction;
    const { sender, feePayer } = this.#signers;
    const { features } = this.options.config;
    const { meter } = this;
    const left = BigInt(Math.floor(meter.balance / meter.scaling));
    const gasUsed = this.#maxGas - Number(left);
    const hasStatement = features.has(FEATURE.moduleEvents) && features.has(FEATURE.feeStatement);
    const hasRefund = hasStatement && features.has(FEATURE.deletionRefund);
    const returned = hasRefund ? refund : 0n;
    const isSimulation = this.options.isSimulation === true;
    const run = this.#session(4);
    if (cleanup !== undefined) this.#unmetered(() => cleanup(run));
    try {
      this.#unmetered(() => {
        const amounts: Value[] = [returned, raw.gasUnitPrice, raw.maxGasAmount, left];
        const payer = feePayer?.address ?? sender.address;
        if (features.has(FEATURE.accountAbstraction) || features.has(FEATURE.derivableAbstraction)) {
          const isV2 = features.has(FEATURE.payloadV2);
          run.callFramework(VALIDATION, isV2 ? "unified_epilogue_v2" : "unified_epilogue", [
            signerOf(sender.address),
            signerOf(payer),
            ...amounts,
            isSimulation,
            ...(isV2 ? [this.#isOrderless] : []),
          ]);
        } else {
          const extended = features.has(FEATURE.simulationVariants);
          const suffix = extended ? "_extended" : "";
          const last: Value[] = extended ? [isSimulation] : [];
          if (feePayer === undefined)
            run.callFramework(VALIDATION, `epilogue${suffix}`, [
              signerOf(sender.address),
              ...amounts,
              ...last,
            ]);
          else
            run.callFramework(VALIDATION, `epilogue_gas_payer${suffix}`, [
              signerOf(sender.address),
              payer,
              ...amounts,
              ...last,
            ]);
        }
        if (hasStatement)
          run.callFramework("transaction_fee", "emit_fee_statement", [this.#feeStatement(gasUsed, refund)]);
      });
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      const isFeeTooHigh = error.status === STATUS.aborted && error.subStatus === ((2n << 16n) | 1005n);
      if (status.kind === "success" && isFeeTooHigh) throw error;
      throw new Discarded(UNEXPECTED_ERROR);
    }
    squash(this.changes, run.changes(this));
    return {
      status,
      discardCode: undefined,
      gasUsed,
      writeSet: encodeWriteSet(this.changes),
      events: encodeEvents([...userEvents, ...run.session.events]),
    };
  }

  #feeStatement(total: number, refund: bigint): Struct {
    const { executionUsed, ioUsed, storageFee, scaling } = this.meter;
    const units = (amount: number): bigint => BigInt(Math.ceil(amount / scaling));
    return new Struct([BigInt(total), units(executionUsed), units(ioUsed), BigInt(storageFee), refund]);
  }
}

function discardedWith(status: number): TransactionOutput {
  return { status: undefined, discardCode: status, gasUsed: 0, writeSet: Uint8Array.of(0, 0), events: [] };
}

/** Loads the structs of a type argument. */
function loadTypes(linker: Linker, type: AbiType): void {
  if (type.kind === "vector") loadTypes(linker, type.item);
  if (type.kind !== "struct") return;
  linker.struct(type);
  for (const one of type.typeArgs) loadTypes(linker, one);
}

/**
 * The arguments of an entry function or script: first the signers, then the values. Values with constructors are made at
 * once, plain ones when the result is called: the chain decodes them when the function begins.
 */
function makeArguments(
  run: SessionRun,
  instance: FunctionInstance,
  signers: readonly string[],
  args: readonly Uint8Array[],
): () => Value[] {
  const { linker } = run;
  if (instance.definition.returns.length > 0)
    throw new VmError(STATUS.invalidMainSignature, "an entry function returns nothing");
  const params = instance.definition.params.map((type) => substitute(type, instance.typeArgs));
  const isSigner = (type: AbiType): boolean =>
    type.kind === "signer" || (type.kind === "reference" && type.to.kind === "signer");
  const count = params.filter(isSigner).length;
  const rest = params.slice(count);
  for (const type of rest) assertArgumentType(type);
  if (rest.length !== args.length)
    throw new VmError(
      STATUS.numberOfArgumentsMismatch,
      `expected ${rest.length} arguments, got ${args.length}`,
    );
  if (count > 0 && count !== signers.length)
    throw new VmError(
      STATUS.numberOfSignerArgumentsMismatch,
      `expected ${count} signers, got ${signers.length}`,
    );
  const maker = new ArgumentMaker(linker, () => run.interpreter());
  const values = rest.map((type, i) => maker.prepare(type, args[i] ?? new Uint8Array(0)));
  return () => {
    const given = params.slice(0, count).map((type, i): Value => {
      const signer = signerOf(signers[i] ?? "");
      return type.kind === "reference" ? new Ref([signer], 0) : signer;
    });
    return [...given, ...values.map((value) => value())];
  };
}

function scriptArgumentBytes(argument: Script["args"][number]): Uint8Array {
  const writer = new BcsWriter(64);
  switch (argument.kind) {
    case "address":
      return writer.fixed(argument.value).take();
    case "bytes":
      return writer.byteString(argument.value).take();
    case "serialized":
      return argument.value;
    case "bool":
      return writer.bool(argument.value).take();
    case "u8":
    case "u16":
    case "u32":
    case "i8":
    case "i16":
    case "i32":
      return writer[argument.kind](argument.value).take();
    default:
      return writer[argument.kind](argument.value).take();
  }
}

function executionError(error: VmError): Struct {
  const { status, subStatus, location, offset } = error;
  const isAbort = status === STATUS.aborted && subStatus !== undefined;
  const isFailure = status >= 4000 && status < 5000 && location !== undefined && offset !== undefined;
  if (!isAbort && !isFailure) return new Struct([stringOf(""), stringOf("VMError"), BigInt(keptCode(error))]);
  const place = location === undefined || location === "script" ? "Script" : location;
  const kind = isAbort ? "MoveAbort" : "MoveExecutionFailure";
  return new Struct([stringOf(place), stringOf(kind), isAbort ? subStatus : BigInt(status)]);
}

/** What a multisig account runs: an entry function, the only kind there is. */
function decodeMultisigPayload(bytes: Uint8Array): EntryFunction {
  try {
    if (bytes[0] === 0) return decodeWith(entryFunctionCodec, bytes.subarray(1));
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
  }
  throw new VmError(
    STATUS.failedToDeserializeArgument,
    "the payload of the multisig account does not decode",
  );
}

/** True if a function may take random numbers. */
function isRandom({ program }: LoadedModule, name: string): boolean {
  const attributes = metadataOfModule(program)?.functions.find(([key]) => key === name)?.[1] ?? [];
  return attributes.some(({ kind }) => kind === ATTRIBUTE.randomness);
}

const KEPT_AS_MISCELLANEOUS: ReadonlySet<number> = new Set([4030, 4031, 4032, 4036, 4041]);

/** What the ledger keeps of a fault; undefined if the transaction is discarded. */
function keptStatus(
  error: VmError,
  { config, read, programs }: ExecutorOptions,
  gasVersion: number,
): ExecutionStatus | undefined {
  const { status, subStatus, location, functionIndex, offset } = error;
  const place: AbortLocation =
    location === undefined || location === "script"
      ? { kind: "script" }
      : { kind: "module", module: moduleIdOf(location) };
  if (status === STATUS.aborted && subStatus !== undefined) {
    const info =
      place.kind === "script"
        ? undefined
        : abortInfoOf(location ?? "", subStatus, (key) => read(key)?.data, programs);
    return { kind: "moveAbort", location: place, code: subStatus, info };
  }
  if (status === STATUS.outOfGas) return { kind: "outOfGas" };
  const isMiscellaneous =
    KEPT_AS_MISCELLANEOUS.has(status) ||
    (status === STATUS.valueDepthReached && config.features.has(FEATURE.functionValues)) ||
    (status === STATUS.memoryLimitExceeded && gasVersion >= 42);
  if (status >= 4000 && status < 5000 && !isMiscellaneous) {
    if (offset === undefined)
      return { kind: "executionFailure", location: { kind: "script" }, function: 0, codeOffset: 0 };
    return { kind: "executionFailure", location: place, function: functionIndex ?? 0, codeOffset: offset };
  }
  if (status < 1000) return undefined;
  if (status >= 2000 && status < 3000 && !config.features.has(FEATURE.keepInvariantViolations))
    return undefined;
  return { kind: "miscellaneous", statusCode: BigInt(keptCode(error)) };
}

/** Linking faults inside of a running call are told as a fault of verification. */
function keptCode({ status, isInside }: VmError): number {
  return status >= 1000 && status < 2000 && isInside && status !== STATUS.dependencyLimitReached
    ? STATUS.verificationError
    : status;
}

function moduleIdOf(key: string): {
  readonly address: ReturnType<typeof addressFromBytes>;
  readonly name: string;
} {
  const [address = "", name = ""] = key.split("::");
  return { address: addressFromBytes(Buffer.from(address, "hex")), name };
}

/** Runs a transaction of the chain itself: nothing is charged, and a fault is one of the chain. */
export class SystemExecution implements Run {
  readonly options: ExecutorOptions;
  readonly meter: Meter;
  readonly visits: ModuleVisits = new ModuleVisits();
  readonly changes: Changes = new Map();
  readonly scriptHash: Uint8Array = new Uint8Array(0);
  readonly facts: undefined = undefined;

  constructor(options: ExecutorOptions) {
    this.options = options;
    this.meter = new Meter(options.config.schedule, 0);
    this.meter.isMetered = false;
  }

  /** The transaction that opens a block; `seed` is given where the chain has random numbers. */
  blockPrologue(block: BlockMetadata, seed?: { readonly bytes: Uint8Array | undefined }): TransactionOutput {
    const id = new BcsWriter(40)
      .uleb(seed === undefined ? 1 : 7)
      .byteString(block.id)
      .take();
    const run = new SessionRun(this, id, seed === undefined ? 10 : 15);
    const nobody = "0".repeat(64);
    const failed = new Vec(
      "u64",
      block.failedProposers.map((index) => BigInt(index)),
    );
    const args: Value[] = [
      signerOf(nobody),
      toHex(block.id),
      block.epoch,
      block.round,
      toHex(block.proposer),
      failed,
      byteVec(block.previousVotes),
      block.timestampUsec,
    ];
    if (seed === undefined) run.callFramework("block", "block_prologue", args);
    else
      run.callFramework("block", "block_prologue_ext", [
        ...args,
        seed.bytes === undefined ? none() : some(byteVec(seed.bytes)),
      ]);
    return this.#finish(run);
  }

  /** The transaction that closes a block. A fault leaves an empty success. */
  blockEpilogue(blockId: Uint8Array, fees: ReadonlyMap<bigint, bigint>): TransactionOutput {
    const id = new BcsWriter(40).uleb(13).byteString(blockId).take();
    const run = new SessionRun(this, id, 65);
    try {
      run.callFramework("block", "block_epilogue", [
        signerOf("0".repeat(64)),
        new Vec("u64", [...fees.keys()]),
        new Vec("u64", [...fees.values()]),
      ]);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      return emptySuccess();
    }
    return this.#finish(run);
  }

  #finish(run: SessionRun): TransactionOutput {
    squash(this.changes, run.changes(this));
    return {
      status: { kind: "success" },
      discardCode: undefined,
      gasUsed: 0,
      writeSet: encodeWriteSet(this.changes),
      events: encodeEvents(run.session.events),
    };
  }
}

export function emptySuccess(): TransactionOutput {
  return {
    status: { kind: "success" },
    discardCode: undefined,
    gasUsed: 0,
    writeSet: Uint8Array.of(0, 0),
    events: [],
  };
}

export function encodeStatus(status: ExecutionStatus): Uint8Array {
  return encodeWith(executionStatusCodec, status);
}
