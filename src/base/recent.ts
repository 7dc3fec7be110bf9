// A cache of recent values within a budget of bytes: two generations, the older of which is dropped whole when the
// newer is full. Cheaper per use than keeping an exact order.
import type { CacheStats } from "./cache-stats.ts";

/** What a cache is made with. */
export interface RecentMapOptions<K, V> {
  readonly maxBytes: number;
  /** What an entry takes, estimated. */
  readonly sizeOf: (key: K, value: V) => number;
}

/** Keeps the values used last, those of half of its budget at least. A value larger than that is not kept. */
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
    const value = this.#newer.get(key) ?? this.#moveOn(key);
    if (value === undefined) this.#misses++;
    else this.#hits++;
    return value;
  }

  set(key: K, value: V): void {
    this.#remove(key);
    this.#add(key, value);
  }

  stats(): CacheStats {
    return {
      entries: this.#newer.size + this.#older.size,
      bytes: this.#newerBytes + this.#olderBytes,
      maxBytes: this.#options.maxBytes,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
    };
  }

  /** What is still asked for outlives the older generation. */
  #moveOn(key: K): V | undefined {
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
