// The follower pulls records from upstreams, has the committer verify and commit them in order, and then polls at the
// head. It sets aside an upstream that serves wrong data and asks another one; a fault of this node stops it.
import { setMaxListeners } from "node:events";
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { backoffMs, pause } from "../../base/wait.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { Refutation } from "../../ledger/trust.ts";
import type { Waypoint } from "../../ledger/waypoint.ts";
import type { Store } from "../../store/contract.ts";
import type { Committer } from "../committer.ts";
import { NotProvable } from "../proofs/proven-state.ts";
import { askInTime, BeyondHead, UpstreamError } from "../upstream/errors.ts";
import { type PoolEntry, UpstreamPool } from "../upstream/pool.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { StartVerifier } from "../verify/remote-page-verifier.ts";
import { ExpectedWaypoints } from "../waypoints.ts";
import { Agreement, type AgreementRule, NoAgreement } from "./agreement.ts";
import { CheckedCommits, type CommitProgress, type FollowStep } from "./checked-commits.ts";
import { DEFAULT_PACE, type FollowerPace, type FollowerParts } from "./follower-parts.ts";
import { ClaimedState, type FollowerStatus, headAgeOf } from "./follower-state.ts";
import { OtherHistories } from "./other-histories.ts";
import { type PageBounds, PageFetcher } from "./page-fetcher.ts";
import type { QueuedPage } from "./page-queue.ts";
import { RemoteVerification } from "./remote-verification.ts";
import { assertSameLedger } from "./same-ledger.ts";
import { UpstreamHeads } from "./upstream-heads.ts";
import { MAX_JOINED } from "./verdict-queue.ts";

/** Options of a follower. */
export interface FollowerOptions extends PageBounds {
  readonly upstreams: readonly Upstream[];
  readonly committer: Committer;
  /** The committer's ledger; the follower compares lagging upstreams with it. */
  readonly ledger: Store;
  /** Chain that upstreams must belong to; undefined: the first commit decides. */
  readonly chainId?: number | undefined;
  readonly agree?: AgreementRule | undefined;
  /** Waypoints of versions still to come. */
  readonly waypoints?: readonly Waypoint[];
  readonly pace?: Partial<FollowerPace>;
  readonly logger: Logger;
  readonly clock?: () => number;
  readonly random?: () => number;
  /**
   * Called with the upstream in use until something is committed, and with the version that enough upstreams have if
   * they must agree. It may say where to start.
   */
  readonly prepare?:
    | ((upstream: Upstream, ceiling: bigint | undefined, signal: AbortSignal) => Promise<void>)
    | undefined;
  /** True for a transient fault of this node: the follower retries. */
  readonly mayPass?: (error: unknown) => boolean;
  /**
   * Notes a waypoint whose version is committed and that matched; the committer does unless given. False for one that the
   * operator did not give: it is not worth a log line.
   */
  readonly noteMatch?: ((waypoint: Waypoint) => Promise<boolean>) | undefined;
  /** For a follower that is far behind. */
  readonly startVerifier?: StartVerifier | undefined;
  /** Called after each commit, before the next one. */
  readonly onCommit?: (progress: CommitProgress) => void;
  /** Called when the upstream in use has nothing new. */
  readonly onRest?: () => void;
}

/** Runs from construction until `close`. */
export class Follower {
  /** Resolves when the follower stops for good; never rejects. */
  readonly faulted: Promise<Error>;
  /** Shared with the base filler, which asks the same upstreams for state items. */
  readonly pool: UpstreamPool;
  readonly #options: FollowerOptions;
  readonly #parts: FollowerParts;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  readonly #state: ClaimedState;
  readonly #histories: OtherHistories;
  readonly #watch: UpstreamHeads;
  readonly #agreement: Agreement | undefined;
  readonly #fetcher: PageFetcher;
  readonly #commits: CheckedCommits;
  readonly #remote: RemoteVerification | undefined;
  /** When upstreams stopped serving what can be used. A connection that fails does not count. */
  #unusableSinceMs: number | undefined;
  /** Disputes between upstreams since the last commit. */
  #disputes = 0;
  /** The upstream whose records may be held back. */
  #source: PoolEntry | undefined;
  #reportFault: (error: Error) => void = () => {};
  readonly #running: Promise<void>;

  constructor(options: FollowerOptions) {
    const { committer, ledger, logger, agree, startVerifier } = options;
    this.#options = options;
    const pace = { ...DEFAULT_PACE, ...options.pace };
    const clock = options.clock ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    const { signal } = this.#stop;
    setMaxListeners(0, signal);
    const needed = agree?.needed ?? 1;
    const headAgeMs = headAgeOf(pace.pollTimeMs);
    const pool = new UpstreamPool(options.upstreams, {
      retry: pace.retry,
      setAside: pace.setAside,
      chainId: () => this.#chainId,
      headAgeMs,
      logger,
      clock,
      random: this.#random,
    });
    this.pool = pool;
    const waypoints = new ExpectedWaypoints(options.waypoints ?? []);
    const onFault = (error: unknown): void => {
      if (options.mayPass?.(error) !== true) this.#fail(error);
    };
    const shared = { committer, ledger, pool, waypoints, needed, headAgeMs, pace, logger, clock, signal };
    const parts: FollowerParts = { ...shared, onFault };
    this.#parts = parts;
    this.#state = new ClaimedState(parts);
    this.#histories = new OtherHistories(parts, (refuted) => this.stopRefuted(refuted));
    this.#watch = new UpstreamHeads(parts, this.#histories);
    if (agree !== undefined) this.#agreement = new Agreement(agree, pool, pace.pollTimeMs, signal);
    this.#fetcher = new PageFetcher(parts, options);
    this.#commits = new CheckedCommits(parts, {
      checks: [
        (blocks) => waypoints.check(blocks),
        (blocks, source) => this.#agreement?.check(blocks, source),
      ],
      noteMatch: options.noteMatch,
      onCommit: (entry, progress) => this.#noteCommit(entry, progress),
    });
    if (startVerifier !== undefined) {
      const stages = { fetcher: this.#fetcher, commits: this.#commits };
      this.#remote = new RemoteVerification(startVerifier, parts, stages);
    }
    this.faulted = new Promise((resolve) => {
      this.#reportFault = resolve;
    });
    this.#running = this.#run();
  }

  status(): FollowerStatus {
    const { entries } = this.pool;
    const headVersion = this.pool.headVersion(this.#parts.needed);
    return {
      ...this.#state.confirmed(),
      levelAgeMs: this.#state.levelAgeMs,
      headVersion,
      headTimestampUsec: entries.find((entry) => entry.head?.version === headVersion)?.head?.timestampUsec,
      upstreams: entries.map(({ upstream, state, fault, head }) => ({
        name: upstream.name,
        state,
        fault,
        headVersion: head?.version,
      })),
      records: this.#commits.records,
      receivedBytes: entries.reduce((sum, { upstream }) => sum + upstream.receivedBytes, 0),
    };
  }

  /** Expects the waypoint of a version to come that validators signed, in the place of the last one. */
  expectSigned(waypoint: Waypoint | undefined): void {
    this.#parts.waypoints.expectSigned(waypoint);
  }

  /**
   * Stops, because a stronger statement refuted the stored history, and the store says so. At `contradictedAt` that history
   * is another one for certain: an upstream that has it there is set aside.
   */
  stopRefuted({ firstVersion, reason }: Refutation, contradictedAt: bigint = firstVersion): void {
    this.#state.enter("refuted", reason);
    const liar = this.#histories.sameAt(contradictedAt);
    if (liar !== undefined) {
      this.pool.fail(liar, new UpstreamError("unverified", reason, { version: contradictedAt }));
    }
    this.#options.logger.error(
      { firstVersion, reason },
      "the history stored here is not the network's: following stopped",
    );
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error("the follower was closed"));
    await this.#running;
    await this.#histories.ended();
    this.pool.close();
    if (!this.#state.isStopped) this.#state.enter("closed");
  }

  /** Undefined until the first commit decides, unless the operator named it. */
  get #chainId(): number | undefined {
    return this.#commits.last?.chainId ?? this.#options.chainId;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted && !this.#state.isStopped) {
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
    const rechecks = this.#watch.recheck();
    const goal = this.#options.goal?.();
    if ((this.#parts.needed > 1 || goal !== undefined) && !(await this.#isClaimed(next, goal ?? next)))
      return;
    if (next > (this.#options.ceiling?.() ?? next)) {
      this.#state.enter("catching_up", `version ${next} may not be committed before it is signed`);
      this.#options.onRest?.();
      await Promise.all([pause(this.#pollMs(), this.#stop.signal), rechecks]);
      return;
    }
    const entry = this.pool.pick(goal ?? next);
    if (entry === undefined) {
      this.#state.enter("waiting", "every upstream is resting or set aside");
      this.#giveUpIfUnusable();
      const waiting = pause(Math.min(this.pool.waitMs + 1, 1000), this.#stop.signal);
      await Promise.all([waiting, rechecks]);
      return;
    }
    try {
      await this.#followOne(entry);
    } catch (error) {
      await this.#handleFault(entry, error);
    }
  }

  /** True when enough upstreams claim to have a version; otherwise asks for their heads, and rests. */
  async #isClaimed(next: bigint, wanted: bigint): Promise<boolean> {
    const { pool } = this;
    const isEnough = (): boolean => (pool.headVersion(this.#parts.needed) ?? -1n) >= wanted;
    if (isEnough()) return true;
    await this.#watch.ask(
      (this.#parts.needed > 1 ? pool.voters : pool.sound).filter((entry) => pool.isReady(entry)),
      isEnough,
    );
    if (isEnough()) return true;
    if (pool.headVersion(this.#parts.needed) === undefined) {
      this.#state.enter("waiting", `fewer than ${this.#parts.needed} upstreams tell their head`);
      this.#giveUpIfUnusable();
    } else {
      this.#unusableSinceMs = undefined;
      this.#state.enterRest(
        this.#commits.last?.version ?? (next === 0n ? undefined : next - 1n),
        next,
        `too few upstreams have version ${wanted} yet`,
      );
      this.#options.onRest?.();
      await this.#confirmHeldBack();
    }
    await pause(this.#pollMs(), this.#stop.signal);
    return false;
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
    if (this.#commits.last === undefined && prepare !== undefined) {
      await this.#fetcher.beforeOthers(entry, (signal) =>
        prepare(entry.upstream, this.#fetcher.ceiling(), signal),
      );
    }
    await this.#histories.assertSame(entry);
    // The records of an unfinished block are one upstream's word: the next one must not be checked against them.
    if (this.#source !== entry) await committer.dropHeldBack();
    this.#source = entry;
    const start = await committer.nextVersion();
    const steps =
      this.#remote?.isWorthwhile(entry, start) === true
        ? this.#remote.steps(entry, start)
        : this.#ownSteps(entry, start);
    for await (const step of steps) {
      // It may be refuted while the page was on its way.
      if (!this.#state.isStopped) await this.#commits.commitStep(entry, step);
      if (this.#state.isStopped) return;
    }
  }

  /** Pages that the committer verifies, until a remote verifier should. */
  async *#ownSteps(entry: PoolEntry, start: bigint): AsyncGenerator<FollowStep> {
    const isWanted = (next: bigint): boolean => this.#remote?.isWorthwhile(entry, next) !== true;
    const pages: QueuedPage[] = [];
    const join = (): FollowStep => ({ kind: "unjudged", pages: pages.splice(0), openRecords: [] });
    try {
      for await (const page of this.#fetcher.pages(entry, start, isWanted)) {
        pages.push(page);
        if (!page.hasNext || pages.length === MAX_JOINED) yield join();
      }
    } catch (error) {
      if (pages.length > 0) yield join();
      throw error;
    }
    if (pages.length > 0) yield join();
  }

  #noteCommit(entry: PoolEntry, progress: CommitProgress): void {
    this.#histories.noteSame(entry, progress.position.version);
    this.#disputes = 0;
    this.#unusableSinceMs = undefined;
    this.#fetcher.committed();
    this.pool.succeed(entry);
    // Behind for a moment is no change: the next rest tells whether we are level again.
    if (!this.#state.isLevelAtHead) this.#state.enter("catching_up");
    this.#options.onCommit?.(progress);
  }

  /**
   * Compares the last held-back record with what the others have there, and forgets it unless a quorum has the same.
   * Otherwise a liar could keep the node waiting for the end of a block that nobody else has.
   */
  async #confirmHeldBack(): Promise<void> {
    const { committer } = this.#options;
    const last = (await committer.heldBack()).at(-1);
    const source = this.#source;
    const chainId = this.#chainId ?? source?.head?.chainId;
    if (last === undefined || source === undefined || chainId === undefined) return;
    try {
      await this.#agreement?.confirm(source, { chainId, records: [last] });
    } catch (error) {
      await committer.dropHeldBack();
      await this.#handleFault(source, error);
    }
  }

  async #handleFault(entry: PoolEntry, error: unknown): Promise<void> {
    if (this.#stop.signal.aborted) return;
    if (error instanceof NoAgreement) {
      if (error.isDispute) this.#disputes++;
      this.#state.enter("waiting", error.message);
      this.#options.logger.warn({ reason: error.message }, "upstreams do not agree");
      this.#giveUpIfUnusable();
      await pause(
        backoffMs(Math.max(this.#disputes, 1), this.#parts.pace.setAside, this.#random),
        this.#stop.signal,
      );
    } else if (error instanceof NotProvable) {
      this.#state.enter("waiting", error.message);
      await pause(this.#pollMs(), this.#stop.signal);
    } else if (error instanceof BeyondHead) {
      await this.#restAtHead(entry, error);
    } else if (error instanceof UpstreamError) {
      this.pool.fail(entry, error);
      if (error.code === "other_history") this.#histories.audit(entry);
      this.#giveUpIfUnusable();
    } else {
      await this.#waitForStore(error);
    }
  }

  /** Pauses after a transient fault of this node; throws any other. */
  async #waitForStore(error: unknown): Promise<void> {
    if (this.#options.mayPass?.(error) !== true) throw error;
    // A refuted version cannot be read: the store itself is well.
    const isRead = error instanceof LedgerError;
    this.#state.enter("waiting", isRead ? error.message : "the store cannot be written just now");
    await pause(this.#parts.pace.retry.maxMs / 10, this.#stop.signal);
  }

  /** At an upstream's head: pauses, then looks for upstreams that are further. */
  async #restAtHead(entry: PoolEntry, error: BeyondHead): Promise<void> {
    try {
      if (error.head !== entry.head) this.pool.noteHead(entry, error.head);
      const { ledger } = this.#options;
      const version = await askInTime(this.#parts.pace.headDeadlineMs, this.#stop.signal, (signal) =>
        assertSameLedger(ledger, entry.upstream, error.head, this.#histories.differenceCode, signal),
      );
      const next = await this.#options.committer.nextVersion();
      this.pool.succeed(entry);
      this.#unusableSinceMs = undefined;
      // One upstream's word is not enough for the claim to be at the head while others can be asked; a mute one can not.
      if (!this.#state.isAtHead) {
        await this.#watch.askOthersBriefly(entry, () => (this.pool.peakVersion(1) ?? 0n) >= next);
      }
      this.#state.enterRest(version, next, error.message);
      this.#options.onRest?.();
    } catch (fault) {
      await this.#handleFault(entry, fault);
      return;
    }
    await pause(this.#pollMs(), this.#stop.signal);
    // The one in use is asked again at once; late answers count at the next poll.
    void this.#watch.askOthers(entry, () => false);
  }

  /** Pause until the next poll. */
  #pollMs(): number {
    return this.#parts.pace.pollTimeMs * (0.75 + this.#random() / 2);
  }

  /** Gives up once upstreams served nothing usable for too long. Call it after each fault. */
  #giveUpIfUnusable(): void {
    if (!this.pool.isUnusable && this.#disputes === 0) {
      this.#unusableSinceMs = undefined;
      return;
    }
    const now = this.#parts.clock();
    this.#unusableSinceMs ??= now;
    if (now - this.#unusableSinceMs < this.#parts.pace.giveUpTimeMs) return;
    const faults = this.pool.entries.map(({ upstream, fault }) => `${upstream.name}: ${fault ?? "no fault"}`);
    this.#fail(new LedgerError("mismatch", `no upstream can be used: ${faults.join("; ")}`));
  }

  #fail(error: unknown): void {
    this.#state.enter("faulted", errorText(error));
    this.#options.logger.error({ err: errorText(error) }, "follower stopped");
    this.#reportFault(error instanceof Error ? error : new Error(String(error)));
  }
}
