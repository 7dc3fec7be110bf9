// Runs code on a version of a ledger without holding the event loop: in slices, and again from its beginning once an item
// that it needs is fetched.
import { toHex } from "../../base/hex.ts";
import type { Slices } from "../../base/wait.ts";
import { stateValueData } from "../../ledger/formats/state-value.ts";
import { keyHashOfBcs } from "../../ledger/key-hash.ts";
import type { LedgerView, StateItem } from "../../ledger/view.ts";
import { addressFromBytes } from "../../move/address.ts";
import { readStoredModule, type StoredModule } from "../../move/module-cache.ts";
import { NeedsItem, STATUS, VmError } from "../errors.ts";
import { interfaceConfig, withoutBodies } from "../interface-modules.ts";
import { type LoadedModule, SharedCode } from "../linker.ts";
import type { Pieces } from "../pieces.ts";
import { createModuleMap, type Programs } from "../programs.ts";
import { moduleStateKey } from "../state.ts";
import { moduleKey } from "../types.ts";
import { type ChainConfig, configKeys, loadConfig } from "./view.ts";

/** A run that must fetch more items than this one after the other is refused. */
const MAX_ROUNDS = 1024;
/** Modules that are fetched because another one uses them. */
const MAX_PREFETCHED = 256;
const LATEST_BYTES = 64 << 20;
/** Runs that take longer than a slice, at the same time: each may hold as much memory as the chain allows. */
const MAX_LONG_RUNS = 2;

/** Lets a number of runs on, and the others wait in line. */
export class LongRuns {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  async enter(): Promise<void> {
    if (this.#count < MAX_LONG_RUNS) this.#count++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#count--;
    else next();
  }
}

/** The code and configuration of a state. */
export interface KnownState {
  readonly config: ChainConfig;
  /** True for a chain whose framework has no code: its functions are natives. */
  readonly isInterface: boolean;
  readonly modules: ReturnType<typeof createModuleMap>;
  readonly shared: SharedCode;
  /** Views of a framework without code have other natives than its transactions. */
  readonly sharedViews: SharedCode;
}

export interface LedgerRunOptions {
  readonly view: LedgerView;
  readonly version: bigint;
  readonly programs: Programs;
  /** Code and configuration of the version, where they are at hand. */
  readonly known: KnownState | undefined;
  readonly slices: Slices;
  /** Undefined for work that waits for nobody. */
  readonly longRuns: LongRuns | undefined;
  /** Longest work on one run, all its rounds together. The chain's limit of work is reached long before. */
  readonly maxWorkMs: number;
  /** Fetches modules with what they use: for transactions, which use much of the framework. */
  readonly fetchesDependencies: boolean;
}

type ModuleName = readonly [address: string, name: string];

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString("latin1");
}

/** A version of a ledger, for one run or several. */
export class LedgerRun {
  readonly #options: LedgerRunOptions;
  /** Items that were read, by their keys. */
  readonly #fetched = new Map<string, StateItem | undefined>();
  #state: KnownState | undefined;

  constructor(options: LedgerRunOptions) {
    this.#options = options;
  }

  readonly read = (key: Uint8Array): Uint8Array | undefined => {
    const value = this.stored(key)?.value;
    return value === undefined ? undefined : stateValueData(value);
  };

  /** An item with the version that wrote it. Throws NeedsItem. */
  stored(key: Uint8Array): StateItem | undefined {
    const { view, version } = this.#options;
    const name = nameOf(key);
    if (this.#fetched.has(name)) return this.#fetched.get(name);
    const items = view.getItems([keyHashOfBcs(key, view.keyTrace)], version);
    if (!(items instanceof Promise)) {
      this.#fetched.set(name, items[0]);
      return items[0];
    }
    throw new NeedsItem(items.then(([item]) => this.#fetched.set(name, item)));
  }

  /** Reads several items at once, where that has to be waited for. */
  async fetch(keys: readonly Uint8Array[]): Promise<void> {
    const { view, version } = this.#options;
    const items = view.getItems(
      keys.map((key) => keyHashOfBcs(key, view.keyTrace)),
      version,
    );
    if (!(items instanceof Promise)) return;
    const found = await items;
    for (const [i, key] of keys.entries()) this.#fetched.set(nameOf(key), found[i]);
  }

  /** Does work that may need items: fetches each and does it again. */
  async withItems<T>(work: () => T | Promise<T>): Promise<T> {
    for (let round = 0; ; round++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof NeedsItem)) throw error;
        if (round === MAX_ROUNDS)
          throw new VmError(STATUS.ioLimitReached, `the run fetches more than ${MAX_ROUNDS} items`);
        await error.fetch;
      }
    }
  }

  /** Runs code in slices; `begin` is called again after an item was fetched. Throws VmError. */
  async run<T>(begin: () => Pieces<T>): Promise<T> {
    let workMs = 0;
    return this.withItems(async () => {
      const { slices, longRuns, maxWorkMs } = this.#options;
      const pieces = begin();
      let isLong = false;
      try {
        for (;;) {
          const startMs = performance.now();
          const { done, value } = pieces.next();
          workMs += performance.now() - startMs;
          if (done === true) return value;
          if (workMs > maxWorkMs)
            throw new VmError(STATUS.executionLimitReached, `the code runs longer than ${maxWorkMs} ms`);
          const pause = slices.pause();
          if (pause === undefined) continue;
          await pause;
          if (!isLong) await longRuns?.enter();
          isLong = true;
        }
      } finally {
        if (isLong) longRuns?.leave();
      }
    });
  }

  /** Code and configuration, once they are read. */
  get state(): KnownState {
    if (this.#state === undefined) throw new Error("the state was not opened");
    return this.#state;
  }

  /** Reads what every run needs. */
  async open(): Promise<KnownState> {
    const { known } = this.#options;
    if (known === undefined) await this.fetch(configKeys());
    this.#state = known ?? (await this.withItems(() => this.#load()));
    return this.#state;
  }

  #load(): KnownState {
    const found = loadConfig(this.read);
    const isInterface = found.schedule.prices.size === 0;
    const config = isInterface ? interfaceConfig(found) : found;
    const shared = new SharedCode();
    const sharedViews = isInterface ? new SharedCode() : shared;
    return { config, isInterface, modules: createModuleMap(LATEST_BYTES), shared, sharedViews };
  }

  /** A module; undefined if there is none. Throws NeedsItem, and ModuleError for one that does not parse. */
  readonly module = (address: string, name: string): LoadedModule | undefined => {
    const { modules, isInterface } = this.state;
    const key = moduleKey(address, name);
    let module = modules.get(key);
    if (module === undefined) {
      const item = this.#storedModule(address, name);
      if (item?.value === undefined) return undefined;
      module = this.#parse(key, { version: item.version, bytes: stateValueData(item.value) });
      modules.set(key, module);
      // Reading a large module takes milliseconds, so others get their turn before the run begins again.
      const pause = isInterface ? undefined : this.#options.slices.pause();
      if (pause !== undefined) throw new NeedsItem(pause);
    }
    return module;
  };

  #storedModule(address: string, name: string): StateItem | undefined {
    try {
      return this.stored(moduleStateKey(address, name));
    } catch (error) {
      if (!(error instanceof NeedsItem) || !this.#options.fetchesDependencies) throw error;
      throw new NeedsItem(error.fetch.then(() => this.#fetchDependencies([address, name])));
    }
  }

  /** Fetches what a module uses, and what that uses: a few questions in the place of one for each module. */
  async #fetchDependencies(first: ModuleName): Promise<void> {
    let count = 0;
    for (let level = [first]; level.length > 0 && count < MAX_PREFETCHED; count += level.length) {
      const next = new Map<string, ModuleName>();
      for (const [address, name] of level) {
        const value = this.#fetched.get(nameOf(moduleStateKey(address, name)))?.value;
        for (const used of value === undefined ? [] : this.#dependencies([address, name], value))
          if (!this.#fetched.has(nameOf(moduleStateKey(...used)))) next.set(moduleKey(...used), used);
        await this.#options.slices.pause();
      }
      level = [...next.values()].slice(0, MAX_PREFETCHED - count);
      await this.fetch(level.map((used) => moduleStateKey(...used)));
    }
  }

  #dependencies([address, name]: ModuleName, value: Uint8Array): readonly ModuleName[] {
    try {
      const { program } = this.program(moduleKey(address, name), stateValueData(value));
      return (program.dependencies ?? []).map((used) => [toHex(used.address), used.name]);
    } catch (error) {
      // The run that uses the module says what is wrong with it.
      if (error instanceof VmError) return [];
      throw error;
    }
  }

  /** Throws ModuleError for a module that does not parse: it says where the module is from. */
  #parse(key: string, { version, bytes }: StoredModule): LoadedModule {
    try {
      return this.program(key, bytes);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      const [address = "", name = ""] = key.split("::");
      const module = { address: addressFromBytes(Buffer.from(address, "hex")), name };
      readStoredModule(module, { version, bytes, origin: this.#options.view.originOf?.(version) });
      throw error;
    }
  }

  readonly program = (key: string, bytes: Uint8Array): LoadedModule => {
    const module = this.#options.programs.get(key, bytes);
    return this.#state?.isInterface === true ? withoutBodies(module) : module;
  };
}
