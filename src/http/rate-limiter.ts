// Requests per second and client. Every client has a bucket of tokens that fills at the rate and holds one
// second's worth. Of clients that were not seen for long nothing is kept, so that the memory is bounded: they
// come back to a full bucket, which is what they would have by then.
import { isIPv6 } from "node:net";

/** Clients that are remembered. */
const MAX_CLIENTS = 16_384;

/** What one request of a client got. */
export interface Allowance {
  readonly allowed: boolean;
  /** Requests that the client may still send at once. */
  readonly remaining: number;
  /** Seconds until there is room for a request, at least 1 where there is none. */
  readonly waitSeconds: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Counts requests by client. */
export class RateLimiter {
  readonly limit: number;
  readonly #maxClients: number;
  /** In order of their last request. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: number, maxClients = MAX_CLIENTS) {
    this.limit = limit;
    this.#maxClients = maxClients;
  }

  /** Takes one request of a client into account. */
  take(client: string, nowMs: number): Allowance {
    const bucket = this.#bucketOf(client, nowMs);
    const refilled = bucket.tokens + ((nowMs - bucket.atMs) * this.limit) / 1000;
    bucket.tokens = Math.min(this.limit, refilled);
    bucket.atMs = nowMs;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens--;
    const remaining = Math.floor(bucket.tokens);
    const waitSeconds = remaining > 0 ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / this.limit));
    return { allowed, remaining, waitSeconds };
  }

  /** Clients remembered at the moment. */
  get size(): number {
    return this.#buckets.size;
  }

  #bucketOf(client: string, nowMs: number): Bucket {
    const known = this.#buckets.get(client);
    const bucket = known ?? { tokens: this.limit, atMs: nowMs };
    if (known !== undefined) this.#buckets.delete(client);
    else if (this.#buckets.size >= this.#maxClients) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    this.#buckets.set(client, bucket);
    return bucket;
  }
}

/** Who counts as one client: an IPv4 address, or the /64 network of an IPv6 one, which is what a customer gets. */
export function clientOf(address: string): string {
  const mapped = address.toLowerCase().startsWith("::ffff:") ? address.slice(7) : address;
  if (!isIPv6(mapped)) return mapped;
  const [head = "", tail] = mapped.split("%")[0]?.split("::") ?? [];
  const groups = head === "" ? [] : head.split(":");
  // Only the first four groups count; what `::` left out is zero, and the tail reaches them in odd cases only.
  if (tail !== undefined) {
    const rest = tail === "" ? [] : tail.split(":");
    while (groups.length + rest.length < 8) groups.push("0");
    groups.push(...rest);
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
