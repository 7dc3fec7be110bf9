// The upstreams of a follower and the state of each: its head, and whether it is in use, resting after a failure, or
// set aside after wrong data.
import type { Logger } from "../../base/log.ts";
import { type BackoffOptions, backoffMs } from "./backoff.ts";
import type { UpstreamError, UpstreamErrorCode } from "./errors.ts";
import type { Upstream, UpstreamHead } from "./upstream.ts";

/** `resting`: did not respond; `set_aside`: served wrong data. */
export type UpstreamState = "untried" | "ok" | "resting" | "set_aside";

/** One upstream of the pool. */
export interface PoolEntry {
  readonly upstream: Upstream;
  state: UpstreamState;
  /** The last fault, for display. */
  fault: string | undefined;
  /** True if set aside because its ledger is not ours; nothing it serves is used. */
  isOtherLedger: boolean;
  head: UpstreamHead | undefined;
  failures: number;
  /** Clock time from which it may be asked again. */
  readyMs: number;
}

/** Options of a pool. */
export interface PoolOptions {
  /** Pauses after failed requests. */
  readonly retry: BackoffOptions;
  /** Pauses after wrong responses. */
  readonly setAside: BackoffOptions;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
}

/** Faults of the upstream itself, not of the connection. */
const SET_ASIDE: ReadonlySet<UpstreamErrorCode> = new Set([
  "pruned",
  "refused",
  "malformed",
  "too_large",
  "wrong_chain",
  "unverified",
  "disagrees",
]);

/** Faults that prove that the upstream has another ledger. */
const OTHER_LEDGER: ReadonlySet<UpstreamErrorCode> = new Set(["wrong_chain", "disagrees"]);

/** Tracks the upstreams and picks the one to ask. */
export class UpstreamPool {
  readonly entries: readonly PoolEntry[];
  readonly #options: PoolOptions;
  #current: PoolEntry | undefined;

  constructor(upstreams: readonly Upstream[], options: PoolOptions) {
    this.#options = options;
    this.entries = upstreams.map((upstream) => ({
      upstream,
      state: "untried",
      fault: undefined,
      isOtherLedger: false,
      head: undefined,
      failures: 0,
      readyMs: 0,
    }));
  }

  /** The highest head of all upstreams that are not set aside. */
  get headVersion(): bigint | undefined {
    let highest: bigint | undefined;
    for (const { state, head } of this.entries) {
      if (state === "set_aside" || head === undefined) continue;
      if (highest === undefined || head.version > highest) highest = head.version;
    }
    return highest;
  }

  /** True when every upstream is set aside. */
  get isUnusable(): boolean {
    return this.entries.every((entry) => entry.state === "set_aside");
  }

  isReady(entry: PoolEntry): boolean {
    return entry.readyMs <= this.#options.clock();
  }

  /**
   * The upstream to ask for records from `start` on: the one in use unless it lags, then the first ready one. Picks a
   * set-aside upstream only when no other is ready.
   */
  pick(start: bigint): PoolEntry | undefined {
    const ready = this.entries.filter((entry) => this.isReady(entry));
    const sound = ready.filter((entry) => entry.state !== "set_aside");
    const candidates = sound.length > 0 ? sound : ready;
    const isAhead = (entry: PoolEntry): boolean => entry.head === undefined || entry.head.version >= start;
    const ahead = candidates.filter(isAhead);
    const best = ahead.length > 0 ? ahead : candidates;
    this.#current = best.find((entry) => entry === this.#current) ?? best[0];
    return this.#current;
  }

  /** Milliseconds until some upstream is ready. */
  get waitMs(): number {
    const now = this.#options.clock();
    return Math.max(0, Math.min(...this.entries.map((entry) => entry.readyMs)) - now);
  }

  /** Notes a good response. */
  succeed(entry: PoolEntry): void {
    if (entry.state !== "ok") {
      this.#options.logger.info({ upstream: entry.upstream.name, was: entry.state }, "upstream is in use");
    }
    entry.state = "ok";
    entry.isOtherLedger = false;
    entry.failures = 0;
    entry.readyMs = 0;
  }

  /** Notes a fault: the upstream rests or is set aside, longer each time. */
  fail(entry: PoolEntry, error: UpstreamError): void {
    const { retry, setAside, clock, random, logger } = this.#options;
    const isSetAside = SET_ASIDE.has(error.code);
    // A failed connection does not clear an upstream that served wrong data.
    if (isSetAside || entry.state !== "set_aside") entry.state = isSetAside ? "set_aside" : "resting";
    if (OTHER_LEDGER.has(error.code)) entry.isOtherLedger = true;
    entry.failures++;
    entry.fault = `${error.code}: ${error.message}`;
    const waitMs = error.retryAfterMs ?? backoffMs(entry.failures, isSetAside ? setAside : retry, random);
    entry.readyMs = clock() + waitMs;
    const fields = { upstream: entry.upstream.name, fault: entry.fault, againInMs: Math.round(waitMs) };
    if (isSetAside) logger.warn(fields, "upstream set aside after wrong data");
    else logger.info(fields, "upstream rests after a failed request");
  }

  close(): void {
    for (const { upstream } of this.entries) upstream.close();
  }
}
