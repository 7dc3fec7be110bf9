// A bounded memory of recent values: two generations, the older of which is dropped whole when the newer is
// full. Cheaper per use than keeping an exact order, and never larger than twice the limit.

/** Keeps at least the `limit` most recently added values, at most twice as many. */
export class RecentMap<K, V> {
  readonly #limit: number;
  #newer = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    const value = this.#newer.get(key);
    if (value !== undefined) return value;
    const old = this.#older.get(key);
    // What is still asked for moves on, so that it outlives the older generation.
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#newer.size >= this.#limit) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }

  /** Number of values kept, those kept twice counted twice. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }
}
