// Token buckets per client: each fills at the rate limit and holds one second's worth. Only recent clients are
// remembered, which bounds memory; a forgotten client starts with a full bucket, as it would have by then.
import { isIPv4, isIPv6 } from "node:net";
import type { RequestHeaders } from "../transport/body.ts";
import type { Exchange } from "../transport/exchange.ts";

/** Most remembered clients. */
const MAX_CLIENTS = 16_384;

/** Characters kept of a client name that is no address. */
const MAX_ADDRESS_LENGTH = 64;

/** The verdict on one request. */
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

  /** Counts one request of a client. */
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

/** The last address of X-Forwarded-For, which the nearest proxy wrote. Earlier ones are the client's own claim. */
function forwardedAddress(headers: RequestHeaders): string | undefined {
  const header = headers["x-forwarded-for"];
  const list = typeof header === "string" ? header : header?.at(-1);
  const last = list?.slice(list.lastIndexOf(",") + 1).trim();
  return last === "" ? undefined : last;
}

/** The client of a request. Behind a trusted proxy, X-Forwarded-For names it. */
export function clientOf(
  { headers, socket }: Pick<Exchange, "headers" | "socket">,
  trustProxy: boolean,
): string {
  const forwarded = trustProxy ? forwardedAddress(headers) : undefined;
  return clientKey(forwarded ?? socket.remoteAddress ?? "");
}

/** The client key: an IPv4 address, or the /64 network of an IPv6 address, which is what one customer gets. */
export function clientKey(text: string): string {
  // Most addresses: looking at one closely takes a twentieth of a balance's time.
  if (!text.includes(":")) return text.slice(0, MAX_ADDRESS_LENGTH);
  const address = withoutPort(text);
  if (!isIPv6(address)) return address.slice(0, MAX_ADDRESS_LENGTH);
  const groups = groupsOf(address);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (!isMapped) return groups.slice(0, 4).map(toHex).join(":");
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

function toHex(group: number): string {
  return group.toString(16);
}

/** An address as proxies write it: alone, with a port, or in brackets; anything else stays as it is. */
function withoutPort(text: string): string {
  if (text.startsWith("[")) {
    const address = text.slice(1, text.indexOf("]"));
    return isIPv6(address) ? address : text;
  }
  const address = text.slice(0, Math.max(0, text.indexOf(":")));
  return isIPv4(address) ? address : text;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const groups = parseGroups(head);
  if (tail === undefined) return groups;
  const rest = parseGroups(tail);
  while (groups.length + rest.length < 8) groups.push(0);
  return [...groups, ...rest];
}

function parseGroups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((part) => {
    if (!part.includes(".")) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
