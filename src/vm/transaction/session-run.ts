// Sessions of a transaction: each has a data cache of its own on what the sessions before changed.
import { toHex } from "../../base/hex.ts";
import type { Pieces } from "../../base/pieces.ts";
import {
  type Changes,
  changesOf,
  isModule,
  type Metadata,
  readThrough,
  type StoredReader,
  type WrittenItems,
} from "../change-set.ts";
import type { Meter } from "../gas.ts";
import { Interpreter } from "../interpreter.ts";
import { type ChainConfig, sessionHash } from "../ledger/chain-config.ts";
import {
  Linker,
  type ModuleSource,
  type ModuleVisits,
  type NativeSource,
  type SharedCode,
} from "../linker.ts";
import { findNative } from "../native-table.ts";
import { Session, type Tracer, type TransactionFacts } from "../session.ts";
import { LedgerState, moduleStateKey, type ProgramCache, resourceStateKey, structTagOf } from "../state.ts";
import { FRAMEWORK, structType } from "../types.ts";
import { Ref, type Value } from "../values.ts";

export const VALIDATION = "transaction_validation";
export const FEATURE = {
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
  /** Made by the owner of the chain: any gas price, and the accounts' own keys where the transaction names none. */
  readonly isOwners?: boolean;
  /** Natives of a chain whose framework has no code; its entry functions are natives too. */
  readonly natives?: NativeSource | undefined;
  /** Modules of the state that `read` reads, where they are at hand. */
  readonly modules?: ModuleSource | undefined;
  readonly tracer?: Tracer | undefined;
  /** Of those modules. */
  readonly shared?: SharedCode | undefined;
}

/** One session: a data cache of its own on what the sessions before changed. */
export class SessionRun {
  readonly linker: Linker;
  readonly session: Session;
  readonly read: StoredReader;
  readonly hasNativeEntries: boolean;

  constructor(transaction: Run, id: Uint8Array, counter: number) {
    const { options, meter, visits } = transaction;
    this.read = readThrough(transaction.changes, options.read);
    this.hasNativeEntries = options.natives !== undefined;
    const state = new LedgerState((key) => this.read(key)?.data, options.programs);
    const hasNewModules = [...transaction.changes.values()].some(isModule);
    const isChanged = (at: string, of: string): boolean =>
      hasNewModules && transaction.changes.has(toHex(moduleStateKey(at, of)));
    this.linker = new Linker({
      meter,
      natives: options.natives ?? findNative,
      source: (at, of) =>
        options.modules === undefined || isChanged(at, of) ? state.module(at, of) : options.modules(at, of),
      visits,
      shared: hasNewModules ? undefined : options.shared,
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
      tracer: options.tracer,
    });
  }

  interpreter(): Interpreter {
    return new Interpreter(this.linker, this.session);
  }

  /** Calls a function of the framework. */
  *callFramework(module: string, name: string, args: readonly Value[]): Pieces<readonly Value[]> {
    const loaded = this.linker.module(FRAMEWORK, module);
    const instance = this.linker.functionIn(loaded, name, []);
    // A signer that a function takes by reference is given a place.
    const given = args.map((value, i) =>
      instance.definition.params[i]?.kind === "reference" ? new Ref([value], 0) : value,
    );
    return yield* this.interpreter().callInPieces(instance, given);
  }

  *changes(transaction: Run, written?: WrittenItems): Pieces<Changes> {
    const time = this.read(TIME_KEY)?.data;
    const creationTimeUsec = time === undefined ? 0n : Buffer.from(time).readBigUInt64LE(0);
    const created: Metadata | undefined = transaction.options.config.features.has(FEATURE.slotMetadata)
      ? { slotDeposit: 0n, bytesDeposit: 0n, creationTimeUsec }
      : undefined;
    return yield* changesOf(this.session, { read: this.read, created }, written);
  }
}

export const TIME_KEY: Uint8Array = resourceStateKey(
  FRAMEWORK,
  structTagOf(structType(FRAMEWORK, "timestamp", "CurrentTimeMicroseconds")),
  "resource",
);

export function accountKey(address: string): Uint8Array {
  return resourceStateKey(address, structTagOf(structType(FRAMEWORK, "account", "Account")), "resource");
}

/** What all sessions of a transaction share. */
export interface Run {
  readonly options: ExecutorOptions;
  readonly meter: Meter;
  readonly visits: ModuleVisits;
  readonly changes: Changes;
  readonly scriptHash: Uint8Array;
  readonly facts: TransactionFacts | undefined;
}
