// Transactions on top of a ledger, one after the other: each sees what those before it changed.
import { equalBytes, toMapKey } from "../../base/bytes.ts";
import { forEach, type Pieces } from "../../base/pieces.ts";
import { decodeWith, encodeWith, readWhole } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { u64 } from "../../bcs/scalars.ts";
import { stateKeyCodec } from "../../ledger/formats/state-key.ts";
import { stateValueCodec } from "../../ledger/formats/state-value.ts";
import type { Transaction } from "../../ledger/formats/transaction.ts";
import { keyHashOfBcs } from "../../ledger/key-hash.ts";
import { readStateWrites, readWrittenData } from "../../ledger/state-writes.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import { metadataOf, type StoredItem } from "../change-set.ts";
import type { LoadedModule, NativeSource, SharedCode } from "../linker.ts";
import { moduleStateKey } from "../state.ts";
import { execute, executeEdit, type StateEdit } from "../transaction/execute.ts";
import { type ExecutorOptions, TIME_KEY } from "../transaction/session-run.ts";
import type { TransactionOutput } from "../transaction/status.ts";
import { UserExecution } from "../transaction/user.ts";
import { moduleKey } from "../types.ts";
import { type ChainConfig, CONFIG_KEYS, configKey, loadConfig } from "./chain-config.ts";
import type { LedgerRun } from "./ledger-run.ts";

/** How a transaction is run. */
export type ExecuteOptions = Pick<
  ExecutorOptions,
  "areSignaturesValid" | "isOwners" | "isSimulation" | "tracer" | "transactionIndex" | "usage"
>;

/** A change of the state: BCS of the state value, undefined for a deletion. */
export interface StateChange {
  readonly keyHash: Uint8Array;
  readonly value: Uint8Array | undefined;
}

interface Written {
  readonly keyHash: Uint8Array;
  readonly item: StoredItem | undefined;
  readonly value: Uint8Array | undefined;
}

/** Paths of modules begin with this byte. */
const CODE_PATH = 0;
/** They are applied in about a millisecond. */
const WRITES_PER_PIECE = 256;

const USAGE_KEY = configKey("state_storage", "StateStorageUsage");
const usageCodec = struct({ epoch: u64, items: u64, bytes: u64 });

const CONFIG_NAMES: ReadonlySet<string> = new Set(CONFIG_KEYS.map(toMapKey));

function decodeItem(value: Uint8Array): StoredItem {
  const stored = decodeWith(stateValueCodec, value);
  return { data: stored.data, metadata: metadataOf(stored) };
}

function isModuleKey(key: Uint8Array): boolean {
  const stateKey = decodeWith(stateKeyCodec, key);
  return stateKey.kind === "accessPath" && stateKey.path[0] === CODE_PATH;
}

const asIs = (key: Uint8Array): Uint8Array => key;

export class LedgerTransactions {
  readonly #run: LedgerRun;
  /** By their keys. */
  readonly #written = new Map<string, Written>();
  /** State keys of modules that were looked for. */
  readonly #moduleNames = new Map<string, string>();
  readonly #natives: NativeSource | undefined;
  #config: ChainConfig;
  /** Undefined once a module changed. */
  #shared: SharedCode | undefined;

  /** With natives for a chain whose framework has no code. */
  constructor(run: LedgerRun, natives: NativeSource | undefined) {
    this.#run = run;
    this.#natives = natives;
    this.#config = run.state.config;
    this.#shared = run.state.shared;
  }

  readonly #read = (key: Uint8Array): StoredItem | undefined => {
    const written = this.#written.get(toMapKey(key));
    if (written !== undefined) return written.item;
    const value = this.#run.stored(key)?.value;
    return value === undefined ? undefined : decodeItem(value);
  };

  readonly #module = (address: string, name: string): LoadedModule | undefined => {
    const key = moduleKey(address, name);
    const stateKey = this.#moduleNames.get(key) ?? toMapKey(moduleStateKey(address, name));
    this.#moduleNames.set(key, stateKey);
    const written = this.#written.get(stateKey);
    if (written === undefined) return this.#run.module(address, name);
    return written.item && this.#run.program(key, written.item.data);
  };

  #options(options: ExecuteOptions): ExecutorOptions {
    return {
      ...options,
      read: this.#read,
      programs: this.#run.program,
      modules: this.#module,
      config: this.#config,
      shared: this.#shared,
      natives: this.#natives,
    };
  }

  /** True if the framework has no code. */
  get isInterface(): boolean {
    return this.#natives !== undefined;
  }

  /** Most gas of a transaction. */
  get mostGas(): bigint {
    return BigInt(this.#config.schedule.prices.get("txn.maximum_number_of_gas_units") ?? 0);
  }

  /** Data of an item after the transactions so far. */
  async item(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#run.withItems(() => this.#read(key)?.data);
  }

  /** Reads items at once that a transaction will need. */
  fetch(keys: readonly Uint8Array[]): Promise<void> {
    return this.#run.fetch(keys);
  }

  /** Runs a transaction and keeps nothing. Throws VmError for a fault of the chain's own transactions. */
  async execute(transaction: Transaction, options: ExecuteOptions): Promise<TransactionOutput> {
    return this.#run.run(() => {
      options.tracer?.begin();
      return execute(transaction, this.#options(options));
    });
  }

  /** Makes a change that is no transaction's, and keeps nothing. */
  async change(change: StateEdit): Promise<TransactionOutput> {
    return this.#run.run(() => executeEdit(change, this.#options({ areSignaturesValid: true })));
  }

  /** Runs a transaction's prologue and keeps nothing: an empty success, or a discarded transaction. */
  async validate(transaction: UserTransaction, options: ExecuteOptions): Promise<TransactionOutput> {
    return this.#run.run(() => new UserExecution(transaction, this.#options(options)).validate());
  }

  /** Lets later transactions see the changes of a write set in BCS. */
  async apply(writeSet: Uint8Array): Promise<void> {
    await this.#run.run(() => this.#apply(writeSet));
  }

  *#apply(writeSet: Uint8Array): Pieces<void> {
    let isConfig = false;
    const writes = readWhole(writeSet, readStateWrites);
    yield* forEach(writes, WRITES_PER_PIECE, ({ key, keyHash, value }) => {
      this.#set(key, value, keyHash);
      if (isModuleKey(key)) this.#shared = undefined;
      isConfig ||= CONFIG_NAMES.has(toMapKey(key));
    });
    if (isConfig && !this.isInterface) this.#config = loadConfig((key) => this.#read(key)?.data);
  }

  #set(key: Uint8Array, value: Uint8Array | undefined, keyHash = keyHashOfBcs(key, undefined)): void {
    this.#written.set(toMapKey(key), { keyHash, item: value && decodeItem(value), value });
  }

  /** Sets the chain's time for what comes: for a transaction of a block that is not made. */
  setTime(timestampUsec: bigint): void {
    const data = new Uint8Array(8);
    new DataView(data.buffer).setBigUint64(0, timestampUsec, true);
    this.#set(TIME_KEY, encodeWith(stateValueCodec, { kind: "v0", data }));
  }

  /** The size of the state that the transaction of a write set was told, which the framework keeps; undefined for most. */
  usageIn(writeSet: Uint8Array): ExecuteOptions["usage"] {
    const writes = readWhole(writeSet, (reader) => readStateWrites(reader, asIs, readWrittenData));
    for (const { key, value } of writes)
      if (value !== undefined && equalBytes(key, USAGE_KEY)) return decodeWith(usageCodec, value);
    return undefined;
  }

  /** All changes so far, one for each item. */
  changes(): Iterable<StateChange> {
    return this.#written.values();
  }
}
