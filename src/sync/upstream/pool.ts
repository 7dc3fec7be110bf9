// The upstreams of a follower and the state of each: its head, and whether it is in use, resting after a failure, or
// set aside after wrong data.
import type { Logger } from "../../base/log.ts";
import { type BackoffOptions, backoffMs } from "../../base/wait.ts";
import { UpstreamError, type UpstreamErrorCode } from "./errors.ts";
import type { Upstream, UpstreamHead } from "./upstream.ts";

/** `resting`: did not respond; `set_aside`: served wrong data. */
export type UpstreamState = "untried" | "ok" | "resting" | "set_aside";

/** Asks an upstream again for what it got wrong. Throws UpstreamError if it is still wrong. */
export type Recheck = (signal: AbortSignal) => Promise<void>;

/** One upstream of the pool. */
export interface PoolEntry {
  readonly upstream: Upstream;
  state: UpstreamState;
  /** The last fault, for display. */
  fault: string | undefined;
  head: UpstreamHead | undefined;
  /** Clock time of the last answer with a head. An archive's says nothing about now, so it has none. */
  headMs: number;
  /** The highest version that it claimed, until a lower claim comes when this one is `headAgeMs` old. */
  peak: { readonly version: bigint; readonly ms: number } | undefined;
  failures: number;
  /** Bytes that it had sent at its last good response. */
  usefulBytes: number;
  /** Clock time from which it may be asked again. */
  readyMs: number;
  /** Set aside, but its re-check went well: it is asked for pages, if no other is ready, until one is committed. */
  isOnProbation: boolean;
  /** The version whose record it got wrong, and how to find out whether it is still wrong about something else. */
  wrongVersion: bigint | undefined;
  recheck: Recheck | undefined;
}

/** Options of a pool. */
export interface PoolOptions {
  /** Pauses after failed requests. */
  readonly retry: BackoffOptions;
  /** Pauses after wrong responses. */
  readonly setAside: BackoffOptions;
  /** Chain that upstreams must belong to; undefined while unknown. */
  readonly chainId?: () => number | undefined;
  /** For how long a claimed head says something about now. */
  readonly headAgeMs: number;
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
  "gap",
  "too_large",
  "endless",
  "wrong_chain",
  "unverified",
  "disagrees",
]);

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
      head: undefined,
      headMs: Number.NEGATIVE_INFINITY,
      peak: undefined,
      failures: 0,
      usefulBytes: 0,
      readyMs: 0,
      isOnProbation: false,
      wrongVersion: undefined,
      recheck: undefined,
    }));
  }

  /** The upstreams that are not set aside. Only these are asked for state items. */
  get sound(): readonly PoolEntry[] {
    return this.entries.filter(({ state }) => state !== "set_aside");
  }

  /** The upstreams whose records count when several must agree. */
  get voters(): readonly PoolEntry[] {
    return this.entries.filter(({ state, isOnProbation }) => state !== "set_aside" || isOnProbation);
  }

  /**
   * The highest version that at least `count` upstreams claim. Of those that were set aside, only one on probation
   * counts, and not alone.
   */
  headVersion(count: number): bigint | undefined {
    return this.#claimOf(count, ({ head }) => head?.version);
  }

  /** The same, of claims within the last `headAgeMs`. */
  freshHeadVersion(count: number): bigint | undefined {
    return this.#claimOf(count, ({ head, headMs }) => (this.#isFresh(headMs) ? head?.version : undefined));
  }

  /** The same, with each upstream's highest claim within the last `headAgeMs` instead of its last. */
  peakVersion(count: number): bigint | undefined {
    return this.#claimOf(count, ({ peak }) =>
      peak !== undefined && this.#isFresh(peak.ms) ? peak.version : undefined,
    );
  }

  #claimOf(count: number, claim: (entry: PoolEntry) => bigint | undefined): bigint | undefined {
    const claims = (count > 1 ? this.voters : this.sound).flatMap((entry) => claim(entry) ?? []);
    claims.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
    return claims[count - 1];
  }

  #isFresh(ms: number): boolean {
    return ms >= this.#options.clock() - this.#options.headAgeMs;
  }

  /** True when an upstream, in use or not, could tell where the network is now. */
  get tellsNow(): boolean {
    return this.entries.some(({ upstream }) => !upstream.isArchive);
  }

  /** True when every upstream is set aside. */
  get isUnusable(): boolean {
    return this.entries.every((entry) => entry.state === "set_aside");
  }

  isReady(entry: PoolEntry): boolean {
    return entry.readyMs <= this.#options.clock();
  }

  /** Notes a head that an upstream answered with just now. Throws UpstreamError `wrong_chain`. */
  noteHead(entry: PoolEntry, head: UpstreamHead): void {
    const chainId = this.#options.chainId?.();
    if (chainId !== undefined && head.chainId !== chainId) throw wrongChain(chainId, head.chainId);
    entry.head = head;
    if (entry.upstream.isArchive) return;
    const ms = this.#options.clock();
    const { peak } = entry;
    if (peak === undefined || head.version >= peak.version || !this.#isFresh(peak.ms)) {
      entry.peak = { version: head.version, ms };
    }
    entry.headMs = ms;
  }

  /**
   * The upstream to ask for records from `start` on: the one in use unless it lags, then the first ready one. Picks one
   * on probation only when no other is ready.
   */
  pick(start: bigint): PoolEntry | undefined {
    const ready = this.entries.filter((entry) => this.isReady(entry));
    const sound = ready.filter((entry) => entry.state !== "set_aside");
    const candidates = sound.length > 0 ? sound : ready.filter((entry) => entry.isOnProbation);
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
    entry.isOnProbation = false;
    entry.wrongVersion = undefined;
    entry.recheck = undefined;
    entry.failures = 0;
    entry.usefulBytes = entry.upstream.receivedBytes;
    entry.readyMs = 0;
  }

  /** Notes a fault: the upstream rests or is set aside, longer each time. */
  fail(entry: PoolEntry, error: UpstreamError, recheck?: Recheck): void {
    const { retry, setAside, clock, random, logger } = this.#options;
    const isSetAside = SET_ASIDE.has(error.code);
    // A failed connection does not clear an upstream that served wrong data.
    if (isSetAside || entry.state !== "set_aside") entry.state = isSetAside ? "set_aside" : "resting";
    entry.isOnProbation = false;
    entry.wrongVersion = error.version ?? entry.wrongVersion;
    entry.recheck = recheck ?? entry.recheck;
    entry.failures++;
    const place = error.version === undefined ? undefined : entry.upstream.noteWrong?.(error.version);
    entry.fault = `${error.code}: ${place === undefined ? "" : `${place}: `}${error.message}`;
    // One that asks to be asked again at once, as by a date that is over, would be asked without end.
    const waitMs = error.retryAfterMs || backoffMs(entry.failures, isSetAside ? setAside : retry, random);
    entry.readyMs = clock() + waitMs;
    const fields = { upstream: entry.upstream.name, fault: entry.fault, againInMs: Math.round(waitMs) };
    if (isSetAside) logger.warn(fields, "upstream set aside after wrong data");
    else logger.info(fields, "upstream rests after a failed request");
  }

  close(): void {
    for (const { upstream } of this.entries) upstream.close();
  }
}

export function wrongChain(expected: number, got: number): UpstreamError {
  return new UpstreamError("wrong_chain", `expected chain ${expected}, the upstream serves chain ${got}`);
}
