// View functions on a ledger: reads the state of a version through a view, and runs without holding the event loop.
import type { Slices } from "../base/wait.ts";
import { keyHashOfBcs } from "../ledger/key-hash.ts";
import { stateValueData } from "../ledger/state-value.ts";
import { fixedPosition, type LedgerPosition, type LedgerView, type StateItem } from "../ledger/view.ts";
import type { AbiType } from "../move/abi.ts";
import { addressFromBytes } from "../move/address.ts";
import { readStoredModule, type StoredModule } from "../move/module-cache.ts";
import type { TypeTag } from "../move/type-tag.ts";
import { type AbortInfo, abortInfoOf } from "./abort-info.ts";
import { NeedsItem, STATUS, VmError } from "./errors.ts";
import { PLAIN_SCHEDULE } from "./gas.ts";
import { findInterfaceNative, interfaceAbortInfo, withoutBodies } from "./interface-modules.ts";
import type { LoadedModule } from "./linker.ts";
import { findNative } from "./machine.ts";
import { createModuleMap, Programs } from "./programs.ts";
import { moduleStateKey } from "./state.ts";
import { moduleKey, tagOf } from "./types.ts";
import { type ChainConfig, configKeys, loadConfig, type ViewCall, type ViewResult, ViewRun } from "./view.ts";

/** A run that must fetch more items than this one after the other is refused. */
const MAX_ROUNDS = 1024;
/** Longest work on one view, all its rounds together. The chain's limit of work is reached long before. */
const MAX_WORK_MS = 5000;
const LATEST_BYTES = 64 << 20;

/** Runs that take longer than a slice, at the same time: each may hold as much memory as the chain allows. */
const MAX_LONG_RUNS = 2;

/** Lets a number of runs on, and the others wait in line. */
class LongRuns {
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
interface KnownState {
  readonly config: ChainConfig;
  /** True for a chain whose framework has no code: its functions are natives. */
  readonly isInterface: boolean;
  readonly modules: ReturnType<typeof createModuleMap>;
}

function dataOf(item: StateItem | undefined): Uint8Array | undefined {
  return item?.value === undefined ? undefined : stateValueData(item.value);
}

/** The state of a version, which one call reads. */
export class LedgerViewState {
  readonly #view: LedgerView;
  readonly #version: bigint;
  readonly #programs: Programs;
  readonly #known: KnownState | undefined;
  readonly #slices: Slices;
  readonly #longRuns: LongRuns;
  /** Items that had to be waited for, by their keys. */
  readonly #fetched = new Map<string, StateItem | undefined>();
  #state: KnownState | undefined;
  #workMs = 0;

  constructor(options: {
    readonly view: LedgerView;
    readonly version: bigint;
    readonly programs: Programs;
    readonly known: KnownState | undefined;
    readonly slices: Slices;
    readonly longRuns: LongRuns;
  }) {
    this.#view = options.view;
    this.#version = options.version;
    this.#programs = options.programs;
    this.#known = options.known;
    this.#slices = options.slices;
    this.#longRuns = options.longRuns;
  }

  readonly #read = (key: Uint8Array): Uint8Array | undefined => dataOf(this.#item(key));

  #item(key: Uint8Array): StateItem | undefined {
    const name = Buffer.from(key).toString("latin1");
    if (this.#fetched.has(name)) return this.#fetched.get(name);
    const items = this.#view.getItems([keyHashOfBcs(key, this.#view.keyTrace)], this.#version);
    if (!(items instanceof Promise)) return items[0];
    throw new NeedsItem(items.then(([item]) => this.#fetched.set(name, item)));
  }

  /** Reads several items at once, where that has to be waited for. */
  async #fetch(keys: readonly Uint8Array[]): Promise<void> {
    const hashes = keys.map((key) => keyHashOfBcs(key, this.#view.keyTrace));
    const items = this.#view.getItems(hashes, this.#version);
    if (!(items instanceof Promise)) return;
    const found = await items;
    for (const [i, key] of keys.entries()) this.#fetched.set(Buffer.from(key).toString("latin1"), found[i]);
  }

  /** Does work that may need items: fetches each and does it again. */
  async #withItems<T>(work: () => T | Promise<T>): Promise<T> {
    for (let round = 0; ; round++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof NeedsItem)) throw error;
        if (round === MAX_ROUNDS)
          throw new VmError(STATUS.ioLimitReached, `the view reads more than ${MAX_ROUNDS} items`);
        await error.fetch;
      }
    }
  }

  #ready(): KnownState {
    if (this.#state === undefined) throw new Error("the state was not opened");
    return this.#state;
  }

  /** Reads what every call needs. */
  async open(): Promise<KnownState> {
    if (this.#known === undefined) await this.#fetch(configKeys());
    this.#state = this.#known ?? (await this.#withItems(() => this.#load()));
    return this.#state;
  }

  #load(): KnownState {
    const found = loadConfig(this.#read);
    const isInterface = found.schedule.prices.size === 0;
    const config = isInterface ? { ...found, schedule: PLAIN_SCHEDULE } : found;
    return { config, isInterface, modules: createModuleMap(LATEST_BYTES) };
  }

  readonly #module = (address: string, name: string): LoadedModule | undefined => {
    const { modules, isInterface } = this.#ready();
    const key = moduleKey(address, name);
    let module = modules.get(key);
    if (module === undefined) {
      const item = this.#item(moduleStateKey(address, name));
      const bytes = dataOf(item);
      if (item === undefined || bytes === undefined) return undefined;
      const stored = this.#parse(key, { version: item.version, bytes });
      module = isInterface ? withoutBodies(stored) : stored;
      modules.set(key, module);
      // Reading a large module takes milliseconds, so others get their turn before the run begins again.
      const pause = this.#slices.pause();
      if (pause !== undefined) throw new NeedsItem(pause);
    }
    return module;
  };

  /** Throws ModuleError for a module that does not parse: it says where the module is from. */
  #parse(key: string, { version, bytes }: StoredModule): LoadedModule {
    try {
      return this.#programs.get(key, bytes);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      const [address = "", name = ""] = key.split("::");
      const module = { address: addressFromBytes(Buffer.from(address, "hex")), name };
      readStoredModule(module, { version, bytes, origin: this.#view.originOf?.(version) });
      throw error;
    }
  }

  /** A module; undefined if there is none. Throws ModuleError for one that does not parse. */
  module(address: string, name: string): Promise<LoadedModule | undefined> {
    return this.#withItems(() => this.#module(address, name));
  }

  /** Runs a view function with units of gas. Throws VmError. */
  call(call: ViewCall, maxGas: number): Promise<ViewResult> {
    const { config, isInterface } = this.#ready();
    return this.#withItems(async () => {
      const run = new ViewRun({
        read: this.#read,
        programs: (key, bytes) => this.#programs.get(key, bytes),
        config,
        maxGas,
        natives: isInterface ? findInterfaceNative : findNative,
        modules: this.#module,
      });
      const pieces = run.callInPieces(call);
      let isLong = false;
      try {
        for (;;) {
          const startMs = performance.now();
          const { done, value } = pieces.next();
          this.#workMs += performance.now() - startMs;
          if (done === true) return value;
          if (this.#workMs > MAX_WORK_MS)
            throw new VmError(STATUS.executionLimitReached, `the view runs longer than ${MAX_WORK_MS} ms`);
          const pause = this.#slices.pause();
          if (pause === undefined) continue;
          await pause;
          if (!isLong) await this.#longRuns.enter();
          isLong = true;
        }
      } finally {
        if (isLong) this.#longRuns.leave();
      }
    });
  }

  /** What the module says of an abort; undefined if it says nothing. */
  abortInfo(location: string, code: bigint): Promise<AbortInfo | undefined> {
    const programs = (key: string, bytes: Uint8Array): LoadedModule => this.#programs.get(key, bytes);
    return this.#withItems(
      () =>
        abortInfoOf(location, code, this.#read, programs) ??
        (this.#ready().isInterface ? interfaceAbortInfo(location, code) : undefined),
    );
  }
}

/** Runs view functions. One for a node: it keeps the modules. */
export class ViewMachine {
  readonly programs: Programs = new Programs();
  readonly #longRuns = new LongRuns();
  #latest: { readonly position: LedgerPosition; readonly state: KnownState } | undefined;

  /** The tag of a type that a view returned. */
  readonly tagOf: (type: AbiType) => TypeTag = tagOf;

  /** Opens the state of a version, for work in slices. Throws LedgerError, and VmError. */
  async open(view: LedgerView, version: bigint, slices: Slices): Promise<LedgerViewState> {
    // A view that fetches must fetch modules too: what its answer rests on depends on them.
    const position = version === view.position.version ? fixedPosition(view) : undefined;
    const known =
      position !== undefined && this.#latest?.position === position ? this.#latest.state : undefined;
    const state = new LedgerViewState({
      view,
      version,
      programs: this.programs,
      known,
      slices,
      longRuns: this.#longRuns,
    });
    const opened = await state.open();
    if (position !== undefined) this.#latest = { position, state: opened };
    return state;
  }
}
