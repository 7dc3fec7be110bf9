// Latencies in buckets, so that an hour of requests takes little memory.

/** Ratio of neighbouring buckets; percentiles are too high by at most this factor. */
const GROWTH = 1.05;
const SMALLEST_MS = 0.01;

/** Counts latencies and gives percentiles. */
export class Latencies {
  readonly #buckets: number[] = [];
  count = 0;
  maxMs = 0;

  add(ms: number): void {
    const bucket = Math.max(0, Math.ceil(Math.log(ms / SMALLEST_MS) / Math.log(GROWTH)));
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.count++;
    if (ms > this.maxMs) this.maxMs = ms;
  }

  /** The latency that the given share of requests did not exceed. */
  percentile(share: number): number {
    let left = this.count * share;
    for (let bucket = 0; bucket < this.#buckets.length; bucket++) {
      left -= this.#buckets[bucket] ?? 0;
      if (left <= 0) return SMALLEST_MS * GROWTH ** bucket;
    }
    return this.maxMs;
  }

  /** `p50 1.2 ms, p99 3.4 ms, max 5.6 ms` */
  text(): string {
    const [p50, p99] = [this.percentile(0.5), this.percentile(0.99)];
    return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${this.maxMs.toFixed(1)} ms`;
  }
}
