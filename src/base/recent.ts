// A cache of recently used values within a byte budget. It holds two generations and drops the older one whole when
// the newer is full, which costs less per use than an exact least-recently-used order.
import { toMapKey } from "./bytes.ts";
import type { CacheStats } from "./cache-stats.ts";

/** Budget of a cache and how it counts. */
export interface RecentMapOptions<K, V> {
  readonly maxBytes: number;
  /** Estimated bytes of an entry. */
  readonly sizeOf: (key: K, value: V) => number;
}

/** Keeps at least the most recently used half budget of values. Never keeps a value larger than half the budget. */
export class RecentMap<K, V> {
  readonly #options: RecentMapOptions<K, V>;
  #newer = new Map<K, V>();
  #older = new Map<K, V>();
  #newerBytes = 0;
  #olderBytes = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  constructor(options: RecentMapOptions<K, V>) {
    this.#options = options;
  }

  get(key: K): V | undefined {
    const value = this.#newer.get(key) ?? this.#promote(key);
    if (value === undefined) this.#misses++;
    else this.#hits++;
    return value;
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  set(key: K, value: V): void {
    this.#remove(key);
    this.#add(key, value);
  }

  stats(): CacheStats {
    return {
      entries: this.size,
      bytes: this.#newerBytes + this.#olderBytes,
      maxBytes: this.#options.maxBytes,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
    };
  }

  /** Moves a value that is still in use to the newer generation. */
  #promote(key: K): V | undefined {
    const value = this.#older.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  #remove(key: K): void {
    const [newer, older] = [this.#newer.get(key), this.#older.get(key)];
    if (newer !== undefined) this.#newerBytes -= this.#options.sizeOf(key, newer);
    if (older !== undefined) this.#olderBytes -= this.#options.sizeOf(key, older);
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  #add(key: K, value: V): void {
    const { maxBytes, sizeOf } = this.#options;
    const bytes = sizeOf(key, value);
    if (bytes > maxBytes / 2) return;
    if (this.#newerBytes + bytes > maxBytes / 2) {
      this.#evictions += this.#older.size;
      this.#older = this.#newer;
      this.#olderBytes = this.#newerBytes;
      this.#newer = new Map();
      this.#newerBytes = 0;
    }
    this.#newer.set(key, value);
    this.#newerBytes += bytes;
  }
}

/** Caches `make` by the content of its bytes. `perByte` estimates the memory for each of them. */
export function remembered<T extends object>(
  make: (bytes: Uint8Array) => T,
  { maxBytes, perByte }: { readonly maxBytes: number; readonly perByte: number },
): (bytes: Uint8Array) => T {
  const known = new RecentMap<string, T>({ maxBytes, sizeOf: (key) => perByte * key.length + 100 });
  return (bytes) => {
    const key = toMapKey(bytes);
    let value = known.get(key);
    if (value === undefined) {
      // It outlives the bytes, which may be a view.
      value = make(new Uint8Array(bytes));
      known.set(key, value);
    }
    return value;
  };
}

/** Longer texts are not kept: they would evict many others. */
const MAX_KEPT_TEXT_LENGTH = 256;

/** A parser that keeps what recent texts were parsed to. */
export class RecentTexts<T> {
  readonly #parse: (text: string) => T;
  readonly #kept: RecentMap<string, T>;

  constructor(parse: (text: string) => T, options: RecentMapOptions<string, T>) {
    this.#parse = parse;
    this.#kept = new RecentMap(options);
  }

  readonly parse = (text: string): T => {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const parsed = this.#parse(text);
    if (text.length <= MAX_KEPT_TEXT_LENGTH) this.#kept.set(text, parsed);
    return parsed;
  };

  stats(): CacheStats {
    return this.#kept.stats();
  }
}

/** The value of a key: made once, shared, and kept with those of the last `most` keys. One that fails is made again. */
export function keepSome<K, V>(
  kept: Map<K, Promise<V>>,
  key: K,
  most: number,
  make: () => Promise<V>,
): Promise<V> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  kept.set(key, made);
  made.catch(() => {
    if (kept.get(key) === made) kept.delete(key);
  });
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
  return made;
}
