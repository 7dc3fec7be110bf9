// What every cache reports about itself. No cache holds more than its budget.

/** What a cache holds, and its counters since the process started. */
export interface CacheStats {
  readonly entries: number;
  /** Estimated. */
  readonly bytes: number;
  /** The budget. */
  readonly maxBytes: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}
