// The follower: pulls records from upstreams, has them verified and committed in order, and keeps up at the
// head. One signal stops everything. What an upstream gets wrong sets it aside and another is asked; a fault
// of our own ends the following.
import { setMaxListeners } from "node:events";
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { LedgerError } from "../ledger/errors.ts";
import type { Position } from "../ledger/position.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import { Agreement, type AgreementRule, NoAgreement } from "./agreement.ts";
import { checkAnchors } from "./anchor.ts";
import type { Committer } from "./committer.ts";
import { PageQueue } from "./page-queue.ts";
import type { TrustFacts } from "./trust.ts";
import { explainUnverified } from "./unverified.ts";
import { type BackoffOptions, backoffMs, pause } from "./upstream/backoff.ts";
import { UpstreamError } from "./upstream/errors.ts";
import { type PoolEntry, UpstreamPool } from "./upstream/pool.ts";
import type { Upstream } from "./upstream/upstream.ts";
import type { VerifiedBlock } from "./verifier.ts";

/**
 * `starting`; `catching_up`; `at_head`; `waiting`: no upstream can be asked, or too few agree; `faulted`:
 * stopped for good; `closed`.
 */
export type FollowState = "starting" | "catching_up" | "at_head" | "waiting" | "faulted" | "closed";

/** Bounds and pauses of a follower. */
export interface FollowerPace {
  /** Requests under way and pages not yet used, together. */
  readonly ahead: number;
  /** Records per page. */
  readonly pageLimit: number;
  /** Pause between questions at the head. */
  readonly pollMs: number;
  readonly retry: BackoffOptions;
  readonly setAside: BackoffOptions;
  /** How long nothing usable may be said before the node gives up. */
  readonly faultAfterMs: number;
}

/** Paces that suit a public network. */
export const DEFAULT_PACE: FollowerPace = {
  ahead: 4,
  pageLimit: 100,
  pollMs: 500,
  retry: { baseMs: 250, maxMs: 30_000 },
  setAside: { baseMs: 1_000, maxMs: 60_000 },
  faultAfterMs: 900_000,
};

/** What a follower works with. */
export interface FollowerOptions {
  readonly upstreams: readonly Upstream[];
  readonly committer: Committer;
  /** Chain that upstreams must belong to; undefined until the first record tells. */
  readonly chainId?: number | undefined;
  readonly agree?: AgreementRule | undefined;
  /** Waypoints of versions still to come. */
  readonly anchors?: readonly Waypoint[];
  /** What is known to hold already. */
  readonly isChained?: boolean;
  readonly anchoredVersion?: bigint | undefined;
  readonly pace?: Partial<FollowerPace>;
  readonly logger: Logger;
  readonly clock?: () => number;
  readonly random?: () => number;
  /** Called with the upstream in use until something is committed; it may say where to start. */
  readonly prepare?: (upstream: Upstream, signal: AbortSignal) => Promise<void>;
  /** True for a fault of our own that may pass by itself: it is tried again. */
  readonly mayPass?: (error: unknown) => boolean;
  /** Called after each commit, before the next one. */
  readonly onCommit?: (progress: CommitProgress) => void;
  /** Called when a waypoint matched, after the commit of its version. */
  readonly onAnchored?: (version: bigint) => Promise<void>;
}

/** One commit of the follower. */
export interface CommitProgress {
  readonly position: Position;
  readonly records: number;
  readonly bytes: number;
}

/** Where a follower stands. */
export interface FollowerStatus {
  readonly state: FollowState;
  /** Why it waits or stopped. */
  readonly reason: string | undefined;
  readonly headVersion: bigint | undefined;
  readonly headTimestampUsec: bigint | undefined;
  readonly trust: TrustFacts;
  readonly upstreams: readonly UpstreamStatus[];
  readonly records: number;
  readonly receivedBytes: number;
}

/** One upstream, for people and metrics. */
export interface UpstreamStatus {
  readonly name: string;
  readonly state: PoolEntry["state"];
  readonly fault: string | undefined;
  readonly headVersion: bigint | undefined;
}

/** Follows from its construction until it is closed. */
export class Follower {
  /** Settles when it stopped for good or had nothing usable for too long; never rejects. */
  readonly faulted: Promise<Error>;
  /** The pool, for those who ask the same upstreams for other things. */
  readonly pool: UpstreamPool;
  readonly #options: FollowerOptions;
  readonly #pace: FollowerPace;
  readonly #clock: () => number;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  readonly #agreement: Agreement | undefined;
  #reportFault: (error: Error) => void = () => {};
  readonly #running: Promise<void>;
  #state: FollowState = "starting";
  #reason: string | undefined;
  #anchors: readonly Waypoint[];
  #isChained: boolean;
  #anchoredVersion: bigint | undefined;
  #hasAgreed = false;
  #chainId: number | undefined;
  /** Committed last by this follower. */
  #version: bigint | undefined;
  #records = 0;
  #disputes = 0;
  /** Since when nothing usable was said. */
  #spentSinceMs: number | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#pace = { ...DEFAULT_PACE, ...options.pace };
    this.#clock = options.clock ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    this.#anchors = options.anchors ?? [];
    this.#isChained = options.isChained ?? false;
    this.#anchoredVersion = options.anchoredVersion;
    this.#chainId = options.chainId;
    setMaxListeners(0, this.#stop.signal);
    this.pool = new UpstreamPool(options.upstreams, {
      retry: this.#pace.retry,
      setAside: this.#pace.setAside,
      logger: options.logger,
      clock: this.#clock,
      random: this.#random,
    });
    if (options.agree !== undefined) {
      this.#agreement = new Agreement(options.agree, this.pool, this.#pace.pollMs, this.#stop.signal);
    }
    this.faulted = new Promise((resolve) => {
      this.#reportFault = resolve;
    });
    this.#running = this.#run();
  }

  status(): FollowerStatus {
    const { headVersion, entries } = this.pool;
    return {
      state: this.#state,
      reason: this.#reason,
      headVersion,
      headTimestampUsec: entries.find((entry) => entry.head?.version === headVersion)?.head?.timestampUsec,
      trust: {
        isChained: this.#isChained,
        anchoredVersion: this.#anchoredVersion,
        agreed: this.#hasAgreed ? this.#options.agree : undefined,
      },
      upstreams: entries.map(({ upstream, state, fault, head }) => ({
        name: upstream.name,
        state,
        fault,
        headVersion: head?.version,
      })),
      records: this.#records,
      receivedBytes: entries.reduce((sum, { upstream }) => sum + upstream.receivedBytes, 0),
    };
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error("the follower was closed"));
    await this.#running;
    this.pool.close();
    if (this.#state !== "faulted") this.#enter("closed");
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted && this.#state !== "faulted") {
      try {
        await this.#step();
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#fail(error);
      }
    }
  }

  /** Follows one upstream until it fails, lags or is overtaken. */
  async #step(): Promise<void> {
    const next = await this.#nextVersion();
    if (next === undefined) return;
    const entry = this.pool.pick(next);
    if (entry === undefined) {
      this.#enter("waiting", "no upstream can be asked now");
      this.#watchSpent();
      await pause(Math.min(this.pool.waitMs + 1, 1000), this.#stop.signal);
      return;
    }
    try {
      await this.#followOne(entry);
    } catch (error) {
      await this.#handle(entry, error);
    }
  }

  /** The version wanted next; undefined after a pause where the store could not say. */
  async #nextVersion(): Promise<bigint | undefined> {
    try {
      return await this.#options.committer.nextVersion();
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined;
      await this.#waitForStore(error);
      return undefined;
    }
  }

  async #followOne(entry: PoolEntry): Promise<void> {
    const { prepare, committer } = this.#options;
    // Until something is committed nobody's word about where to start is kept.
    if (this.#version === undefined) await prepare?.(entry.upstream, this.#stop.signal);
    const { ahead, pageLimit: limit } = this.#pace;
    const start = await committer.nextVersion();
    const queue = new PageQueue(entry.upstream, start, { ahead, limit }, this.#stop.signal);
    try {
      for (;;) await this.#takePage(entry, queue);
    } finally {
      queue.close();
    }
  }

  async #takePage(entry: PoolEntry, queue: PageQueue): Promise<void> {
    if (queue.isAtHead) throw new UpstreamError("beyond_head", "nothing is there yet");
    const page = await queue.next();
    entry.head = page.head;
    if (this.#chainId !== undefined && page.head.chainId !== this.#chainId) {
      throw wrongChain(this.#chainId, page.head.chainId);
    }
    const matched: bigint[] = [];
    let isAgreed = false;
    let position: Position | undefined;
    try {
      position = await this.#options.committer.append(page.bytes, async (blocks) => {
        matched.push(...checkAnchors(this.#anchors, blocks));
        isAgreed = await this.#confirm(entry, blocks);
      });
    } catch (error) {
      throw explainUnverified(error, page.bytes);
    }
    this.#records += page.count;
    // Records that are only held back prove nothing yet: a liar must not be cleared by them.
    if (position === undefined || position.version === this.#version) return;
    this.#version = position.version;
    this.#chainId = position.chainId;
    this.#disputes = 0;
    this.#spentSinceMs = undefined;
    this.pool.succeed(entry);
    if (isAgreed) this.#hasAgreed = true;
    if (this.#state !== "at_head" || position.version < page.head.version) this.#enter("catching_up");
    this.#options.onCommit?.({ position, records: page.count, bytes: page.bytes.length });
    for (const version of matched) await this.#raise(version);
  }

  async #confirm(entry: PoolEntry, blocks: readonly VerifiedBlock[]): Promise<boolean> {
    const last = blocks.at(-1)?.records.at(-1);
    if (this.#agreement === undefined || last === undefined) return false;
    await this.#agreement.confirm(entry, last);
    return true;
  }

  /** A waypoint was recomputed and committed. */
  async #raise(version: bigint): Promise<void> {
    this.#anchors = this.#anchors.filter((anchor) => anchor.version !== version);
    if (version === 0n) this.#isChained = true;
    else if (this.#anchoredVersion === undefined || version > this.#anchoredVersion)
      this.#anchoredVersion = version;
    this.#options.logger.info(
      { version },
      version === 0n ? "genesis matches its waypoint" : "waypoint matches",
    );
    await this.#options.onAnchored?.(version);
  }

  async #handle(entry: PoolEntry, error: unknown): Promise<void> {
    if (this.#stop.signal.aborted) return;
    if (error instanceof NoAgreement) {
      this.#disputes++;
      this.#enter("waiting", error.message);
      this.#options.logger.warn({ reason: error.message }, "upstreams do not agree");
      this.#watchSpent();
      await pause(backoffMs(this.#disputes, this.#pace.setAside, this.#random), this.#stop.signal);
    } else if (error instanceof UpstreamError && error.code === "beyond_head") {
      await this.#restAtHead(entry);
    } else if (error instanceof UpstreamError) {
      this.pool.fail(entry, error);
      this.#watchSpent();
    } else {
      await this.#waitForStore(error);
    }
  }

  /** Pauses after a fault of our own that may pass; throws any other. */
  async #waitForStore(error: unknown): Promise<void> {
    if (this.#options.mayPass?.(error) !== true) throw error;
    this.#enter("waiting", "the store cannot be written just now");
    await pause(this.#pace.retry.maxMs / 10, this.#stop.signal);
  }

  /** Nothing new here: looks for others that are further, and waits a little. */
  async #restAtHead(entry: PoolEntry): Promise<void> {
    this.pool.succeed(entry);
    this.#spentSinceMs = undefined;
    if (this.#state !== "at_head") this.#enter("at_head");
    await pause(this.#pace.pollMs * (0.75 + this.#random() / 2), this.#stop.signal);
    const others = this.pool.entries.filter((other) => other !== entry && this.pool.isReady(other));
    await Promise.all(others.map((other) => this.#refreshHead(other)));
  }

  async #refreshHead(entry: PoolEntry): Promise<void> {
    try {
      const head = await entry.upstream.getHead(this.#stop.signal);
      if (this.#chainId !== undefined && head.chainId !== this.#chainId)
        throw wrongChain(this.#chainId, head.chainId);
      entry.head = head;
      if (entry.state !== "set_aside") this.pool.succeed(entry);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (!(error instanceof UpstreamError)) throw error;
      this.pool.fail(entry, error);
    }
  }

  /** Gives up when nothing usable was said for too long. A line that is down does not count. */
  #watchSpent(): void {
    const isSpent = this.pool.isSpent || this.#disputes > 0;
    if (!isSpent) {
      this.#spentSinceMs = undefined;
      return;
    }
    this.#spentSinceMs ??= this.#clock();
    if (this.#clock() - this.#spentSinceMs < this.#pace.faultAfterMs) return;
    const faults = this.pool.entries.map(({ upstream, fault }) => `${upstream.name}: ${fault ?? "no fault"}`);
    this.#fail(new LedgerError("mismatch", `no upstream can be used: ${faults.join("; ")}`));
  }

  #enter(state: FollowState, reason?: string): void {
    if (this.#state === "faulted") return;
    if (state !== this.#state) {
      this.#options.logger.info(
        { state, was: this.#state, ...(reason === undefined ? {} : { reason }) },
        "following",
      );
    }
    this.#state = state;
    this.#reason = reason;
  }

  #fail(error: unknown): void {
    this.#enter("faulted", errorText(error));
    this.#options.logger.error({ err: errorText(error) }, "following stopped");
    this.#reportFault(error instanceof Error ? error : new Error(String(error)));
  }
}

function wrongChain(expected: number, got: number): UpstreamError {
  return new UpstreamError("wrong_chain", `expected chain ${expected}, it serves chain ${got}`);
}
