// A byte-bounded cache of parsed modules. The key has a cryptographic hash of the bytes, so no module ever gets the ABI
// of another one: not after an upgrade, and not after a rewind, when the same version may have written another module.
import { hash } from "node:crypto";
import { equalBytes } from "../base/bytes.ts";
import type { CacheStats } from "../base/cache-stats.ts";
import { toHex } from "../base/hex.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { finish, type Pieces } from "../base/pieces.ts";
import { RecentMap } from "../base/recent.ts";
import { Slices } from "../base/wait.ts";
import type { ModuleAbi, ModuleId, ModuleLoader } from "./abi.ts";
import { type Address, formatAddress } from "./address.ts";
import { estimateAbiBytes } from "./bytecode/abi-size.ts";
import { readModuleFile } from "./bytecode/reader.ts";
import { ModuleError, MoveError } from "./errors.ts";

/** Default budget: some thirty times the framework. */
const MODULE_CACHE_BYTES = 64 << 20;

/** Cost of an entry besides its ABI: key, map slots, and the error of a module that does not parse. */
const ENTRY_BYTES = 1024;

/** Larger modules are read in slices. Their memory counts as a multiple of the bytes: measuring it takes as long as reading. */
const LARGE_BYTES = 1 << 15;
const LARGE_BYTES_PER_BYTE = 20;

/** A module as the ledger holds it. */
export interface StoredModule {
  /** The version that wrote it. */
  readonly version: bigint;
  /** Read only until the fetcher's promise settles; the cache does not keep them. */
  readonly bytes: Uint8Array;
  /** Where it was fetched from, if it was. */
  readonly origin?: string | undefined;
}

/** Fetches a module from the ledger; undefined when there is no such module. */
export type ModuleFetcher = (module: ModuleId) => MaybePromise<StoredModule | undefined>;

interface Entry {
  /** The ABI, or the error: bytes that do not parse never will. */
  readonly result: ModuleAbi | ModuleError;
  readonly bytes: number;
}

/** A cache of parsed modules, shared by all readers of one ledger. */
export class ModuleCache {
  readonly #entries: RecentMap<string, Entry>;
  /** Keys of the entries that were found in `#state`, by name: of several modules of one name, the last. */
  readonly #found = new Map<string, { readonly address: Address; readonly key: string }>();
  #state: object | undefined;
  /** Large modules that are being read, by key. */
  readonly #reading = new Map<string, Promise<ModuleAbi>>();

  constructor({ maxBytes = MODULE_CACHE_BYTES }: { readonly maxBytes?: number } = {}) {
    this.#entries = new RecentMap({ maxBytes, sizeOf: (_, { bytes }) => bytes });
  }

  /**
   * A loader that fetches with the given function and parses on a miss. `state` stands for one state of the ledger by its
   * identity: a module that was found in it is not fetched again as long as the next loader has the same.
   */
  createLoader(fetch: ModuleFetcher, state?: object): ModuleLoader {
    return (module) => {
      const known = state === undefined ? undefined : this.#recall(module, state);
      if (known !== undefined) return known;
      return andThen(fetch(module), (stored) => {
        if (stored === undefined) return undefined;
        const key = keyOf(module, stored);
        return andThen(this.#load(key, module, stored), (abi) => {
          if (state !== undefined) this.#remember(module, state, key);
          return abi;
        });
      });
    };
  }

  #recall({ address, name }: ModuleId, state: object): ModuleAbi | undefined {
    const found = state === this.#state ? this.#found.get(name) : undefined;
    if (found === undefined || !equalBytes(found.address, address)) return undefined;
    const entry = this.#entries.get(found.key);
    return entry === undefined || entry.result instanceof ModuleError ? undefined : entry.result;
  }

  #remember({ address, name }: ModuleId, state: object, key: string): void {
    // Never more than the entries, whose budget covers these.
    if (state !== this.#state || this.#found.size > this.#entries.size) this.#found.clear();
    this.#state = state;
    this.#found.set(name, { address, key });
  }

  /** The ABI of a fetched module. Throws ModuleError. */
  get(module: ModuleId, stored: StoredModule): ModuleAbi {
    return this.#get(keyOf(module, stored), module, stored);
  }

  #load(key: string, module: ModuleId, stored: StoredModule): MaybePromise<ModuleAbi> {
    if (stored.bytes.length <= LARGE_BYTES) return this.#get(key, module, stored);
    const known = this.#entries.get(key);
    if (known !== undefined) return abiOf(known);
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      reading = this.#read(key, parse(module, { ...stored, bytes: new Uint8Array(stored.bytes) }));
      this.#reading.set(key, reading);
    }
    return reading;
  }

  async #read(key: string, pieces: Pieces<Entry>): Promise<ModuleAbi> {
    const slices = new Slices();
    try {
      // Before the first piece too, so that others find what is being read.
      await slices.pause();
      const value = await slices.do(pieces);
      this.#entries.set(key, value);
      return abiOf(value);
    } finally {
      this.#reading.delete(key);
    }
  }

  #get(key: string, module: ModuleId, stored: StoredModule): ModuleAbi {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = finish(parse(module, stored));
      this.#entries.set(key, entry);
    }
    return abiOf(entry);
  }

  stats(): CacheStats {
    return this.#entries.stats();
  }
}

function abiOf({ result }: Entry): ModuleAbi {
  if (result instanceof ModuleError) throw result;
  return result;
}

/** The name and the version are in the errors of modules that do not parse. */
function keyOf({ address, name }: ModuleId, { version, bytes }: StoredModule): string {
  return `${toHex(address)}::${name}@${version}/${hash("sha256", bytes, "binary")}`;
}

function* parse(module: ModuleId, stored: StoredModule): Pieces<Entry> {
  try {
    const { length } = stored.bytes;
    const { abi } = yield* readModuleFile(stored.bytes);
    const bytes = length > LARGE_BYTES ? LARGE_BYTES_PER_BYTE * length : estimateAbiBytes(abi);
    return { result: abi, bytes: ENTRY_BYTES + bytes };
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    return { result: moduleError(module, stored, error), bytes: ENTRY_BYTES };
  }
}

/** The error of a module of the ledger that does not decode: it names the module and where it came from. */
export function moduleError(
  { address, name }: ModuleId,
  { version, origin }: Omit<StoredModule, "bytes">,
  cause: MoveError,
): ModuleError {
  const from = origin === undefined ? "" : `; it came from ${origin}`;
  return new ModuleError(
    `module ${formatAddress(address)}::${name} of version ${version} does not decode: ${cause.message}${from}`,
    { details: cause.details, cause },
  );
}
