// Transactions on top of a ledger, one after the other: each sees what those before it changed.
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { keyHashOfBcs } from "../ledger/key-hash.ts";
import { stateKeyCodec } from "../ledger/state-key.ts";
import { stateValueCodec } from "../ledger/state-value.ts";
import type { Transaction } from "../ledger/transaction.ts";
import { writeSetCodec, writtenValue } from "../ledger/write-set.ts";
import type { UserTransaction } from "../transaction/user-transaction.ts";
import { metadataOf, type StoredItem } from "./change-set.ts";
import type { LedgerRun } from "./ledger-run.ts";
import type { LoadedModule, SharedCode } from "./linker.ts";
import { moduleStateKey } from "./state.ts";
import { execute } from "./transaction/execute.ts";
import { type ExecutorOptions, TIME_KEY } from "./transaction/session-run.ts";
import type { TransactionOutput } from "./transaction/status.ts";
import { UserExecution } from "./transaction/user.ts";
import { moduleKey } from "./types.ts";
import { type ChainConfig, configKeys, loadConfig } from "./view.ts";

/** How a transaction is run. */
export type ExecuteOptions = Pick<
  ExecutorOptions,
  "areSignaturesValid" | "isOwners" | "isSimulation" | "tracer" | "transactionIndex"
>;

/** A change of the state: BCS of the state value, undefined for a deletion. */
export interface StateChange {
  readonly keyHash: Uint8Array;
  readonly value: Uint8Array | undefined;
}

interface Written {
  readonly key: Uint8Array;
  readonly item: StoredItem | undefined;
  readonly value: Uint8Array | undefined;
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString("latin1");
}

/** Paths of modules begin with this byte. */
const CODE_PATH = 0;

const CONFIG_NAMES: ReadonlySet<string> = new Set(configKeys().map(nameOf));

function decodeItem(value: Uint8Array): StoredItem {
  const stored = decodeWith(stateValueCodec, value);
  return { data: stored.data, metadata: metadataOf(stored) };
}

export class LedgerTransactions {
  readonly #run: LedgerRun;
  /** By their keys. */
  readonly #written = new Map<string, Written>();
  #config: ChainConfig;
  /** Undefined once a module changed. */
  #shared: SharedCode | undefined;

  constructor(run: LedgerRun) {
    this.#run = run;
    this.#config = run.state.config;
    this.#shared = run.state.shared;
  }

  readonly #read = (key: Uint8Array): StoredItem | undefined => {
    const written = this.#written.get(nameOf(key));
    if (written !== undefined) return written.item;
    const value = this.#run.stored(key)?.value;
    return value === undefined ? undefined : decodeItem(value);
  };

  readonly #module = (address: string, name: string): LoadedModule | undefined => {
    const written = this.#written.get(nameOf(moduleStateKey(address, name)));
    if (written === undefined) return this.#run.module(address, name);
    return written.item && this.#run.program(moduleKey(address, name), written.item.data);
  };

  #options(options: ExecuteOptions): ExecutorOptions {
    return {
      ...options,
      read: this.#read,
      programs: this.#run.program,
      modules: this.#module,
      config: this.#config,
      shared: this.#shared,
    };
  }

  /** Most gas of a transaction. */
  get mostGas(): bigint {
    return BigInt(this.#config.schedule.prices.get("txn.maximum_number_of_gas_units") ?? 0);
  }

  /** Data of an item after the transactions so far. */
  item(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#run.withItems(() => this.#read(key)?.data);
  }

  /** Reads items at once that a transaction will need. */
  fetch(keys: readonly Uint8Array[]): Promise<void> {
    return this.#run.fetch(keys);
  }

  /** Runs a transaction and keeps nothing. Throws VmError for a fault of the chain's own transactions. */
  execute(transaction: Transaction, options: ExecuteOptions): Promise<TransactionOutput> {
    return this.#run.run(() => {
      options.tracer?.begin();
      return execute(transaction, this.#options(options));
    });
  }

  /** Runs a transaction's prologue and keeps nothing: an empty success, or a discarded transaction. */
  validate(transaction: UserTransaction, options: ExecuteOptions): Promise<TransactionOutput> {
    return this.#run.run(() => new UserExecution(transaction, this.#options(options)).validate());
  }

  /** Lets later transactions see the changes of a write set in BCS. */
  async apply(writeSet: Uint8Array): Promise<void> {
    let isConfig = false;
    for (const [stateKey, op] of decodeWith(writeSetCodec, writeSet).writes) {
      const key = encodeWith(stateKeyCodec, stateKey);
      const stored = writtenValue(op);
      const value = stored && encodeWith(stateValueCodec, stored);
      this.#set(key, value);
      if (stateKey.kind === "accessPath" && stateKey.path[0] === CODE_PATH) this.#shared = undefined;
      isConfig ||= CONFIG_NAMES.has(nameOf(key));
    }
    if (isConfig) this.#config = await this.#run.withItems(() => loadConfig((key) => this.#read(key)?.data));
  }

  #set(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#written.set(nameOf(key), { key, item: value && decodeItem(value), value });
  }

  /** Sets the chain's time for what comes: for a transaction of a block that is not made. */
  setTime(timestampUsec: bigint): void {
    const data = new Uint8Array(8);
    new DataView(data.buffer).setBigUint64(0, timestampUsec, true);
    this.#set(TIME_KEY, encodeWith(stateValueCodec, { kind: "v0", data }));
  }

  /** All changes so far, one for each item. */
  *changes(): Iterable<StateChange> {
    for (const { key, value } of this.#written.values())
      yield { keyHash: keyHashOfBcs(key, undefined), value };
  }
}
