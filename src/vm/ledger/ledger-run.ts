// Runs code on a version of a ledger without holding the event loop: in slices, and again from its beginning once an item
// that it needs is fetched.
import { equalBytes, toMapKey } from "../../base/bytes.ts";
import { toHex } from "../../base/hex.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Pieces } from "../../base/pieces.ts";
import type { RecentMap } from "../../base/recent.ts";
import type { Slices } from "../../base/wait.ts";
import { stateValueData } from "../../ledger/formats/state-value.ts";
import { keyHashOfBcs } from "../../ledger/key-hash.ts";
import type { LedgerView, StateItem } from "../../ledger/view.ts";
import { addressFromBytes } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import { moduleError } from "../../move/module-cache.ts";
import { NeedsItem, STATUS, VmError } from "../errors.ts";
import { interfaceConfig, withoutBodies } from "../interface-modules.ts";
import { type LoadedModule, SharedCode } from "../linker.ts";
import { createModuleMap, type Programs } from "../programs.ts";
import { DecodedItems } from "../session.ts";
import { moduleStateKey } from "../state.ts";
import { moduleKey } from "../types.ts";
import { type ChainConfig, CONFIG_KEYS, loadConfig } from "./chain-config.ts";

/** A run that must fetch more items than this one after the other is refused. */
const MAX_ROUNDS = 1024;
/** Modules that are fetched because another one uses them. */
const MAX_PREFETCHED = 256;
const LATEST_BYTES = 64 << 20;
/** Code of more bytes is read again for each version: comparing takes a time that others wait. */
const MAX_COMPARED_BYTES = 8 << 20;
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

/** An item that code or configuration was read from. */
interface Source {
  readonly keyHash: Uint8Array;
  /** A copy. */
  readonly value: Uint8Array | undefined;
}

function sourceOf(key: Uint8Array, value: Uint8Array | undefined): Source {
  return { keyHash: keyHashOfBcs(key, undefined), value: value && new Uint8Array(value) };
}

interface ReadConfig {
  readonly config: ChainConfig;
  /** True for a chain whose framework has no code: its functions are natives. */
  readonly isInterface: boolean;
}

/** The code and configuration of a state, as far as runs have read them. */
export class KnownState {
  readonly config: ChainConfig;
  readonly isInterface: boolean;
  modules: RecentMap<string, LoadedModule> = createModuleMap(LATEST_BYTES);
  readonly shared: SharedCode;
  /** Views of a framework without code have other natives than its transactions. */
  readonly sharedViews: SharedCode;
  /** What views read. It stays with the version. */
  readonly decoded: DecodedItems = new DecodedItems();
  /** True once another state took the code. Runs that began with it begin again: they would put code of theirs into it. */
  isTaken = false;
  #sources: Source[];
  #sourceBytes = 0;

  constructor(config: ReadConfig, sources: Source[], shared = new SharedCode(), sharedViews?: SharedCode) {
    this.config = config.config;
    this.isInterface = config.isInterface;
    this.shared = shared;
    this.sharedViews = sharedViews ?? (config.isInterface ? new SharedCode() : shared);
    this.#sources = sources;
  }

  addModule(key: string, module: LoadedModule, source: Source): void {
    this.modules.set(key, module);
    this.#sourceBytes += source.value?.length ?? 0;
    if (this.#sourceBytes > MAX_COMPARED_BYTES) this.#sources = [];
    else this.#sources.push(source);
  }

  /** Moves the code to the state of another version that has the same items; undefined if it has others. */
  async takeFor(view: LedgerView, version: bigint): Promise<KnownState | undefined> {
    // Code that came while the view was asked is not compared.
    const sources = this.#sources;
    const count = sources.length;
    if (this.#sourceBytes > MAX_COMPARED_BYTES) return undefined;
    const items = await view.getItems(
      sources.map(({ keyHash }) => keyHash),
      version,
    );
    const isSame = sources.length === count && !this.isTaken && items.every(isValueOf, sources);
    return isSame ? this.#take() : undefined;
  }

  #take(): KnownState {
    const shared = this.shared.take();
    const sharedViews = this.isInterface ? this.sharedViews.take() : shared;
    const taken = new KnownState(this, this.#sources, shared, sharedViews);
    taken.modules = this.modules;
    taken.#sourceBytes = this.#sourceBytes;
    this.modules = createModuleMap(LATEST_BYTES);
    this.#sources = [];
    this.isTaken = true;
    return taken;
  }
}

function isValueOf(this: readonly Source[], item: StateItem | undefined, index: number): boolean {
  const before = this[index]?.value;
  if (item?.value === undefined || before === undefined) return item?.value === before;
  return equalBytes(item.value, before);
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

/** Time that a run worked, in all its rounds. */
interface Work {
  ms: number;
}

/** Counted for the first piece of each round without a look at the clock: most runs end in it. */
const FIRST_PIECE_MS = 1;

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
    const value = this.stored(key, false)?.value;
    return value === undefined ? undefined : stateValueData(value);
  };

  /** An item with the version that wrote it. One that is there at once need not be kept. Throws NeedsItem. */
  stored(key: Uint8Array, isKept = true): StateItem | undefined {
    const { view, version } = this.#options;
    if (this.#fetched.size > 0) {
      const name = toMapKey(key);
      if (this.#fetched.has(name)) return this.#fetched.get(name);
    }
    const items = view.getItems([keyHashOfBcs(key, view.keyTrace)], version);
    if (items instanceof Promise)
      throw new NeedsItem(items.then(([item]) => this.#fetched.set(toMapKey(key), item)));
    if (isKept) this.#fetched.set(toMapKey(key), items[0]);
    return items[0];
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
    for (const [i, key] of keys.entries()) this.#fetched.set(toMapKey(key), found[i]);
  }

  /** Does work that may need items: fetches each and does it again. Not a promise if it needs none. */
  withItems<T>(work: () => MaybePromise<T>, round = 0): MaybePromise<T> {
    const again = (error: unknown): Promise<T> => {
      if (!(error instanceof NeedsItem)) throw error;
      if (round === MAX_ROUNDS)
        throw new VmError(STATUS.ioLimitReached, `the run fetches more than ${MAX_ROUNDS} items`);
      return error.fetch.then(() => this.withItems(work, round + 1));
    };
    try {
      const done = work();
      return done instanceof Promise ? done.catch(again) : done;
    } catch (error) {
      return again(error);
    }
  }

  /** Runs code in slices; `begin` is called again after an item was fetched. Throws VmError. */
  run<T>(begin: () => Pieces<T>): MaybePromise<T> {
    const work: Work = { ms: 0 };
    return this.withItems(() => {
      const pieces = begin();
      work.ms += FIRST_PIECE_MS;
      const { done, value } = pieces.next();
      return done === true ? value : this.#runOn(pieces, work);
    });
  }

  /** Runs the pieces after the first. */
  async #runOn<T>(pieces: Pieces<T>, work: Work): Promise<T> {
    const { slices, longRuns, maxWorkMs } = this.#options;
    const { state } = this;
    const wasTaken = state.isTaken;
    let isLong = false;
    try {
      for (;;) {
        if (work.ms > maxWorkMs)
          throw new VmError(STATUS.executionLimitReached, `it needs more than ${maxWorkMs} ms of work`);
        const pause = slices.pause();
        if (pause !== undefined) {
          await pause;
          if (!isLong) await longRuns?.enter();
          isLong = true;
          if (state.isTaken && !wasTaken) throw new NeedsItem(Promise.resolve());
        }
        const startMs = performance.now();
        const { done, value } = pieces.next();
        work.ms += performance.now() - startMs;
        if (done === true) return value;
      }
    } finally {
      if (isLong) longRuns?.leave();
    }
  }

  /** Code and configuration, once they are read. */
  get state(): KnownState {
    if (this.#state === undefined) throw new Error("the state was not opened");
    return this.#state;
  }

  /** Reads what every run needs. */
  open(): MaybePromise<KnownState> {
    const { known } = this.#options;
    this.#state = known;
    return known ?? this.#openUnknown();
  }

  async #openUnknown(): Promise<KnownState> {
    await this.fetch(CONFIG_KEYS);
    this.#state = await this.withItems(() => this.#load());
    return this.#state;
  }

  #load(): KnownState {
    const found = loadConfig(this.read);
    const isInterface = found.schedule.prices.size === 0;
    const config = isInterface ? interfaceConfig(found) : found;
    const sources = CONFIG_KEYS.map((key) => sourceOf(key, this.stored(key)?.value));
    return new KnownState({ config, isInterface }, sources);
  }

  /** A module; undefined if there is none. Throws NeedsItem, and ModuleError for one that does not parse. */
  readonly module = (address: string, name: string): LoadedModule | undefined => {
    const { state } = this;
    const key = moduleKey(address, name);
    let module = state.modules.get(key);
    if (module === undefined) {
      const item = this.#storedModule(address, name);
      if (item?.value === undefined) return undefined;
      module = this.#parse(key, item.version, stateValueData(item.value));
      state.addModule(key, module, sourceOf(moduleStateKey(address, name), item.value));
      // Reading modules takes milliseconds, so others get their turn before the run begins again.
      const pause = state.isInterface ? undefined : this.#options.slices.pause();
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
        const value = this.#fetched.get(toMapKey(moduleStateKey(address, name)))?.value;
        const found = value && (await this.withItems(() => this.#dependencies([address, name], value)));
        for (const used of found ?? [])
          if (!this.#fetched.has(toMapKey(moduleStateKey(...used)))) next.set(moduleKey(...used), used);
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
  #parse(key: string, version: bigint, bytes: Uint8Array): LoadedModule {
    try {
      return this.program(key, bytes);
    } catch (error) {
      if (!(error instanceof VmError && error.cause instanceof MoveError)) throw error;
      const [address = "", name = ""] = key.split("::");
      const module = { address: addressFromBytes(Buffer.from(address, "hex")), name };
      throw moduleError(module, { version, origin: this.#options.view.originOf?.(version) }, error.cause);
    }
  }

  /** The module of some bytes. Throws VmError, and NeedsItem: a large one is read in slices, and the run begins again. */
  readonly program = (key: string, bytes: Uint8Array): LoadedModule => {
    const pieces = this.#options.programs.get(key, bytes);
    for (;;) {
      const { done, value } = pieces.next();
      if (done === true) return this.#state?.isInterface === true ? withoutBodies(value) : value;
      const pause = this.#options.slices.pause();
      if (pause !== undefined) throw new NeedsItem(pause.then(() => this.#readOn(pieces)));
    }
  };

  async #readOn(pieces: Pieces<LoadedModule>): Promise<void> {
    const { slices, longRuns } = this.#options;
    await longRuns?.enter();
    try {
      while (pieces.next().done !== true) await slices.pause();
    } catch (error) {
      // The run that uses the module says what is wrong with it.
      if (!(error instanceof VmError)) throw error;
    } finally {
      longRuns?.leave();
    }
  }
}
