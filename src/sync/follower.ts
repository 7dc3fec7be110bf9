// The follower pulls records from upstreams, has the committer verify and commit them in order, and then polls at the
// head. It sets aside an upstream that serves wrong data and asks another one; a fault of this node stops it.
import { setMaxListeners } from "node:events";
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { DAY_MS, HOUR_MS, type NumberOptions, type NumberSettings, numbersOf } from "../base/settings.ts";
import { LedgerError } from "../ledger/errors.ts";
import type { Position } from "../ledger/position.ts";
import type { Ledger } from "../ledger/view.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import { Agreement, type AgreementRule, NoAgreement } from "./agreement.ts";
import { checkAnchors } from "./anchor.ts";
import type { Committer } from "./committer.ts";
import { PageQueue } from "./page-queue.ts";
import { assertSameLedger } from "./same-ledger.ts";
import type { TrustFacts } from "./trust.ts";
import { explainUnverified } from "./unverified.ts";
import { type BackoffOptions, backoffMs, pause } from "./upstream/backoff.ts";
import { BeyondHead, UpstreamError } from "./upstream/errors.ts";
import { type PoolEntry, UpstreamPool } from "./upstream/pool.ts";
import type { Upstream, UpstreamHead } from "./upstream/upstream.ts";
import type { VerifiedBlock } from "./verifier.ts";

/**
 * `at_head`: an upstream's head is our version; `ahead_of_upstreams`: all upstream heads are below our version;
 * `waiting`: no upstream can be asked, or too few agree; `faulted`: stopped for good.
 */
export type FollowState =
  | "starting"
  | "catching_up"
  | "at_head"
  | "ahead_of_upstreams"
  | "waiting"
  | "faulted"
  | "closed";

/** Polls in a row below our version before `ahead_of_upstreams`: machines behind one name may differ a little. */
const MAX_POLLS_BEHIND = 10;

/** Bounds and pauses of a follower. */
export interface FollowerPace {
  /** Requests in flight plus pages not yet used. */
  readonly ahead: number;
  /** Records per page. */
  readonly pageLimit: number;
  /** Pause between questions at the head. */
  readonly pollTimeMs: number;
  readonly retry: BackoffOptions;
  readonly setAside: BackoffOptions;
  /** How long nothing usable may be said before the node gives up. */
  readonly giveUpTimeMs: number;
}

/** Jitter and growing pauses multiply the first two, up to 60 times. */
export const FOLLOWER_NUMBERS = {
  /** Pause between questions at the head. */
  pollTimeMs: { fallback: 500, min: 1, max: HOUR_MS },
  /** First pause before an upstream that was set aside is asked again. */
  retryTimeMs: { fallback: 1_000, min: 1, max: HOUR_MS },
  /** How long nothing usable may come before the follower gives up. No timer runs for it. */
  giveUpTimeMs: { fallback: 900_000, min: 0, max: 365 * DAY_MS },
} as const satisfies NumberSettings;

/** Turns the options into a pace. */
export function paceOf(
  options: NumberOptions<typeof FOLLOWER_NUMBERS>,
): Pick<FollowerPace, "pollTimeMs" | "setAside" | "giveUpTimeMs"> {
  const { pollTimeMs, retryTimeMs, giveUpTimeMs } = numbersOf(FOLLOWER_NUMBERS, options);
  return { pollTimeMs, giveUpTimeMs, setAside: { baseMs: retryTimeMs, maxMs: 60 * retryTimeMs } };
}

/** Suits a public network. */
const DEFAULT_PACE: FollowerPace = {
  ahead: 4,
  pageLimit: 100,
  retry: { baseMs: 250, maxMs: 30_000 },
  ...paceOf({}),
};

/** Options of a follower. */
export interface FollowerOptions {
  readonly upstreams: readonly Upstream[];
  readonly committer: Committer;
  /** The committer's ledger; the follower compares lagging upstreams with it. */
  readonly ledger: Ledger;
  /** Chain that upstreams must belong to; undefined: the first commit decides. */
  readonly chainId?: number | undefined;
  readonly agree?: AgreementRule | undefined;
  /** Waypoints of versions still to come. */
  readonly anchors?: readonly Waypoint[];
  /** Trust established by earlier runs, with `anchoredVersion`. */
  readonly isChained?: boolean;
  readonly anchoredVersion?: bigint | undefined;
  readonly pace?: Partial<FollowerPace>;
  readonly logger: Logger;
  readonly clock?: () => number;
  readonly random?: () => number;
  /** Called with the upstream in use until something is committed; it may say where to start. */
  readonly prepare?: ((upstream: Upstream, signal: AbortSignal) => Promise<void>) | undefined;
  /** True for a transient fault of this node: the follower retries. */
  readonly mayPass?: (error: unknown) => boolean;
  /** Called after each commit, before the next one. */
  readonly onCommit?: (progress: CommitProgress) => void;
  /** Called when the upstream in use has nothing new. */
  readonly onRest?: () => void;
  /** Called after the commit of a version whose waypoint matched. */
  readonly onAnchored?: (version: bigint) => Promise<void>;
}

/** One commit of the follower. */
export interface CommitProgress {
  readonly position: Position;
  readonly records: number;
  readonly bytes: number;
}

/** State of a follower. */
export interface FollowerStatus {
  readonly state: FollowState;
  /** Why it is waiting or stopped. */
  readonly reason: string | undefined;
  readonly headVersion: bigint | undefined;
  readonly headTimestampUsec: bigint | undefined;
  readonly trust: TrustFacts;
  readonly upstreams: readonly UpstreamStatus[];
  readonly records: number;
  readonly receivedBytes: number;
}

/** One upstream, for logs and metrics. */
export interface UpstreamStatus {
  readonly name: string;
  readonly state: PoolEntry["state"];
  readonly fault: string | undefined;
  readonly headVersion: bigint | undefined;
}

/** Runs from construction until `close`. */
export class Follower {
  /** Resolves when the follower stops for good; never rejects. */
  readonly faulted: Promise<Error>;
  /** Shared with the base filler, which asks the same upstreams for state items. */
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
  /** Last version that this follower committed. */
  #version: bigint | undefined;
  #records = 0;
  #disputes = 0;
  #pollsBehind = 0;
  /** When upstreams stopped serving usable data. */
  #unusableSinceMs: number | undefined;

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
      this.#agreement = new Agreement(options.agree, this.pool, this.#pace.pollTimeMs, this.#stop.signal);
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
      this.#enter("waiting", "every upstream is resting or set aside");
      this.#giveUpIfUnusable();
      await pause(Math.min(this.pool.waitMs + 1, 1000), this.#stop.signal);
      return;
    }
    try {
      await this.#followOne(entry);
    } catch (error) {
      await this.#handleFault(entry, error);
    }
  }

  /** The version to fetch next; undefined, after a pause, when the store could not be read. */
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
    // An upstream names the start only until the first commit.
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
    if (queue.isAtHead && entry.head !== undefined) throw new BeyondHead(queue.nextStart, entry.head);
    const page = await queue.next();
    entry.head = page.head;
    if (this.#chainId !== undefined && page.head.chainId !== this.#chainId) {
      throw wrongChain(this.#chainId, page.head.chainId);
    }
    const matched: bigint[] = [];
    let isAgreed = false;
    let isCommit = false;
    let position: Position | undefined;
    try {
      position = await this.#options.committer.append(page.bytes, async (blocks) => {
        matched.push(...checkAnchors(this.#anchors, blocks));
        isAgreed = await this.#confirm(entry, blocks);
        isCommit = true;
      });
    } catch (error) {
      throw explainUnverified(error, page.bytes);
    }
    this.#records += page.count;
    // Held-back records are not verified yet, so they must not clear a lying upstream. The position cannot show a
    // commit: after a restart it is that of an earlier one.
    if (position === undefined || !isCommit) return;
    this.#version = position.version;
    this.#chainId = position.chainId;
    this.#disputes = 0;
    this.#unusableSinceMs = undefined;
    this.pool.succeed(entry);
    if (isAgreed) this.#hasAgreed = true;
    if (this.#state !== "at_head" || position.version < page.head.version) this.#enter("catching_up");
    this.#options.onCommit?.({ position, records: page.count, bytes: page.bytes.length });
    for (const version of matched) await this.#noteMatchedWaypoint(version);
  }

  async #confirm(entry: PoolEntry, blocks: readonly VerifiedBlock[]): Promise<boolean> {
    const last = blocks.at(-1)?.records.at(-1);
    if (this.#agreement === undefined || last === undefined) return false;
    await this.#agreement.confirm(entry, last);
    return true;
  }

  /** Notes a waypoint that matched and whose version is committed. */
  async #noteMatchedWaypoint(version: bigint): Promise<void> {
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

  async #handleFault(entry: PoolEntry, error: unknown): Promise<void> {
    if (this.#stop.signal.aborted) return;
    if (error instanceof NoAgreement) {
      this.#disputes++;
      this.#enter("waiting", error.message);
      this.#options.logger.warn({ reason: error.message }, "upstreams do not agree");
      this.#giveUpIfUnusable();
      await pause(backoffMs(this.#disputes, this.#pace.setAside, this.#random), this.#stop.signal);
    } else if (error instanceof BeyondHead) {
      await this.#restAtHead(entry, error);
    } else if (error instanceof UpstreamError) {
      this.pool.fail(entry, error);
      this.#giveUpIfUnusable();
    } else {
      await this.#waitForStore(error);
    }
  }

  /** Pauses after a transient fault of this node; throws any other. */
  async #waitForStore(error: unknown): Promise<void> {
    if (this.#options.mayPass?.(error) !== true) throw error;
    this.#enter("waiting", "the store cannot be written just now");
    await pause(this.#pace.retry.maxMs / 10, this.#stop.signal);
  }

  /** At an upstream's head: pauses, then looks for upstreams that are further. */
  async #restAtHead(entry: PoolEntry, error: BeyondHead): Promise<void> {
    entry.head = error.head;
    try {
      const version = await this.#assertSameLedger(entry, error.head);
      this.pool.succeed(entry);
      this.#unusableSinceMs = undefined;
      this.#enterRest(version, error);
      this.#options.onRest?.();
    } catch (fault) {
      await this.#handleFault(entry, fault);
      return;
    }
    await pause(this.#pace.pollTimeMs * (0.75 + this.#random() / 2), this.#stop.signal);
    const others = this.pool.entries.filter((other) => other !== entry && this.pool.isReady(other));
    await Promise.all(others.map((other) => this.#refreshHead(other)));
  }

  /** Enters `at_head` only when an upstream in use is at or above our version. */
  #enterRest(version: bigint | undefined, { head, message }: BeyondHead): void {
    if (version === undefined) {
      this.#enter("waiting", message);
      return;
    }
    const isLevel = this.pool.entries.some(
      (entry) => entry.state === "ok" && entry.head !== undefined && entry.head.version >= version,
    );
    this.#pollsBehind = isLevel ? 0 : this.#pollsBehind + 1;
    if (isLevel) {
      if (this.#state !== "at_head") this.#enter("at_head");
    } else if (this.#pollsBehind >= MAX_POLLS_BEHIND) {
      const highest = this.pool.headVersion ?? head.version;
      this.#enter(
        "ahead_of_upstreams",
        `every upstream is behind this node: the highest ends at version ${highest}, this node at ${version}`,
      );
    }
  }

  async #refreshHead(entry: PoolEntry): Promise<void> {
    try {
      const head = await entry.upstream.getHead(this.#stop.signal);
      if (this.#chainId !== undefined && head.chainId !== this.#chainId)
        throw wrongChain(this.#chainId, head.chainId);
      entry.head = head;
      await this.#assertSameLedger(entry, head);
      if (entry.state !== "set_aside") this.pool.succeed(entry);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (error instanceof UpstreamError) this.pool.fail(entry, error);
      else await this.#waitForStore(error);
    }
  }

  #assertSameLedger(entry: PoolEntry, head: UpstreamHead): Promise<bigint | undefined> {
    return assertSameLedger(this.#options.ledger, entry.upstream, head, this.#stop.signal);
  }

  /** Gives up when upstreams served nothing usable for too long. Failed connections do not count. */
  #giveUpIfUnusable(): void {
    const isUnusable = this.pool.isUnusable || this.#disputes > 0;
    if (!isUnusable) {
      this.#unusableSinceMs = undefined;
      return;
    }
    this.#unusableSinceMs ??= this.#clock();
    if (this.#clock() - this.#unusableSinceMs < this.#pace.giveUpTimeMs) return;
    const faults = this.pool.entries.map(({ upstream, fault }) => `${upstream.name}: ${fault ?? "no fault"}`);
    this.#fail(new LedgerError("mismatch", `no upstream can be used: ${faults.join("; ")}`));
  }

  #enter(state: FollowState, reason?: string): void {
    if (this.#state === "faulted") return;
    if (state !== this.#state) {
      this.#options.logger.info(
        { state, was: this.#state, ...(reason === undefined ? {} : { reason }) },
        "follower changed state",
      );
    }
    this.#state = state;
    this.#reason = reason;
  }

  #fail(error: unknown): void {
    this.#enter("faulted", errorText(error));
    this.#options.logger.error({ err: errorText(error) }, "follower stopped");
    this.#reportFault(error instanceof Error ? error : new Error(String(error)));
  }
}

function wrongChain(expected: number, got: number): UpstreamError {
  return new UpstreamError("wrong_chain", `expected chain ${expected}, the upstream serves chain ${got}`);
}
