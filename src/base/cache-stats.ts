// What every cache tells about itself. A cache holds at most its budget, whatever is asked.

/** What a cache holds, and what it did since the process started. */
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
