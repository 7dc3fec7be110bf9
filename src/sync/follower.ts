// The follower pulls records from upstreams, has the committer verify and commit them in order, and then polls at the
// head. It sets aside an upstream that serves wrong data and asks another one; a fault of this node stops it.
import { setMaxListeners } from "node:events";
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { nextTurn } from "../base/turns.ts";
import { LedgerError } from "../ledger/errors.ts";
import { isAccumulatorKnown, isWhole, type Position } from "../ledger/position.ts";
import { confirmedVersion, PROVEN, type Refutation, type TrustLevel } from "../ledger/trust.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import type { Store } from "../store/contract.ts";
import { Agreement, type AgreementRule, claimOf, levelOfRule, NoAgreement } from "./agreement.ts";
import { auditHistory } from "./audit.ts";
import { type Committer, loadPosition } from "./committer.ts";
import { ExpectedWaypoints } from "./expected-waypoints.ts";
import { DEFAULT_PACE, type FollowerPace } from "./follower-pace.ts";
import { ClaimedState, type FollowState, headAgeOf } from "./follower-state.ts";
import { HeadWatch } from "./head-watch.ts";
import { PageQueue, type QueuedPage } from "./page-queue.ts";
import type { RemoteVerifier } from "./page-verifier.ts";
import { NotProvable } from "./proofs/proven-state.ts";
import { assertSameLedger, compareRecord, type DifferenceCode } from "./same-ledger.ts";
import { explainUnverified } from "./unverified.ts";
import { backoffMs, pause } from "./upstream/backoff.ts";
import { withDeadline } from "./upstream/deadline.ts";
import { BeyondHead, UpstreamError } from "./upstream/errors.ts";
import { type PoolEntry, UpstreamPool } from "./upstream/pool.ts";
import type { Upstream } from "./upstream/upstream.ts";
import { type JudgedPages, VerdictQueue } from "./verdict-queue.ts";
import type { VerifiedBlock } from "./verifier.ts";
import { VerifierRest } from "./verifier-rest.ts";

/** How long the claim to be at the head waits for the heads of the other upstreams. */
const OTHERS_WAIT_MS = 1_000;

/** An upstream that failed and has not served since gets this part of the time for a page. */
const FAILED_PAGE_SHARE = 1 / 5;

/** Bytes on the wire from one upstream between two commits: above the bounds of an open block. */
const MAX_BYTES_PER_COMMIT = 256 * 1024 * 1024;

/** Options of a follower. */
export interface FollowerOptions {
  readonly upstreams: readonly Upstream[];
  readonly committer: Committer;
  /** The committer's ledger; the follower compares lagging upstreams with it. */
  readonly ledger: Store;
  /** Chain that upstreams must belong to; undefined: the first commit decides. */
  readonly chainId?: number | undefined;
  readonly agree?: AgreementRule | undefined;
  /** Waypoints of versions still to come. */
  readonly anchors?: readonly Waypoint[];
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
  /** The last version that may be committed, as known now; -1 for none. */
  readonly ceiling?: (() => bigint) | undefined;
  /**
   * Notes a waypoint whose version is committed and that matched; the committer does unless given. False for one that the
   * operator did not give: it is not worth a log line.
   */
  readonly noteMatch?: ((waypoint: Waypoint) => Promise<boolean>) | undefined;
  /** Starts a remote verifier that verifies pages after a position, for a follower that is far behind. Rejects if it cannot. */
  readonly startVerifier?: ((position: Position, signal: AbortSignal) => Promise<RemoteVerifier>) | undefined;
  /** Called after each commit, before the next one. */
  readonly onCommit?: (progress: CommitProgress) => void;
  /** Called when the upstream in use has nothing new. */
  readonly onRest?: () => void;
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
  /** Time since our version was last the upstreams' head; undefined if it never was. */
  readonly levelAgeMs: number | undefined;
  readonly headVersion: bigint | undefined;
  readonly headTimestampUsec: bigint | undefined;
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
  readonly #watch: HeadWatch;
  readonly #waypoints: ExpectedWaypoints;
  /** Upstreams that must have a version before it is fetched. */
  readonly #needed: number;
  #reportFault: (error: Error) => void = () => {};
  readonly #running: Promise<void>;
  readonly #state: ClaimedState;
  #chainId: number | undefined;
  /** Last version that this follower committed. */
  #version: bigint | undefined;
  /** The upstream whose records may be held back. */
  #source: PoolEntry | undefined;
  #records = 0;
  #disputes = 0;
  /** Pages that did not come in time since the last commit. */
  #slowPages = 0;
  /** The upstream whose records are known to continue ours, and up to which version. */
  #sameHistory: { readonly entry: PoolEntry; readonly version: bigint } | undefined;
  #auditing: Promise<void> | undefined;
  readonly #verifierRest: VerifierRest;
  /** When upstreams stopped serving usable data. */
  #unusableSinceMs: number | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#pace = { ...DEFAULT_PACE, ...options.pace };
    this.#verifierRest = new VerifierRest(this.#pace.verifierFromVersions);
    this.#clock = options.clock ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    this.#waypoints = new ExpectedWaypoints(options.anchors ?? []);
    this.#chainId = options.chainId;
    setMaxListeners(0, this.#stop.signal);
    const headAgeMs = headAgeOf(this.#pace.pollTimeMs);
    this.pool = new UpstreamPool(options.upstreams, {
      retry: this.#pace.retry,
      setAside: this.#pace.setAside,
      chainId: () => this.#chainId,
      headAgeMs,
      logger: options.logger,
      clock: this.#clock,
      random: this.#random,
    });
    this.#needed = options.agree?.needed ?? 1;
    this.#state = new ClaimedState({
      heads: this.pool,
      needed: this.#needed,
      headAgeMs,
      logger: options.logger,
      clock: this.#clock,
    });
    this.#watch = new HeadWatch({
      pool: this.pool,
      ledger: options.ledger,
      differenceCode: () => this.#differenceCode(),
      onOtherHistory: (entry) => this.#audit(entry),
      deadlineMs: this.#pace.headDeadlineMs,
      signal: this.#stop.signal,
      onFault: (error) => {
        if (options.mayPass?.(error) !== true) this.#fail(error);
      },
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
    const { entries } = this.pool;
    const headVersion = this.pool.headVersion(this.#needed);
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
      records: this.#records,
      receivedBytes: entries.reduce((sum, { upstream }) => sum + upstream.receivedBytes, 0),
    };
  }

  /** Expects the waypoint of a version to come that validators signed, in the place of the last one. */
  expectSigned(waypoint: Waypoint | undefined): void {
    this.#waypoints.expectSigned(waypoint);
  }

  /** Stops, because a stronger statement refuted the stored history, and the store says so. */
  stopRefuted(refuted: Refutation): void {
    this.#enterRefuted(refuted);
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error("the follower was closed"));
    await this.#running;
    await this.#auditing;
    this.pool.close();
    if (!this.#state.isStopped) this.#state.enter("closed");
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
    if (this.#needed > 1 && !(await this.#isClaimed(next))) return;
    if (next > (this.#options.ceiling?.() ?? next)) {
      this.#state.enter("catching_up", `version ${next} may not be committed before it is signed`);
      this.#options.onRest?.();
      await Promise.all([pause(this.#pollMs(), this.#stop.signal), rechecks]);
      return;
    }
    const entry = this.pool.pick(next);
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

  /** True when enough upstreams claim to have the version; otherwise asks for their heads, and rests. */
  async #isClaimed(next: bigint): Promise<boolean> {
    const { pool } = this;
    const isEnough = (): boolean => (pool.headVersion(this.#needed) ?? -1n) >= next;
    if (isEnough()) return true;
    await this.#watch.ask(
      pool.voters.filter((entry) => pool.isReady(entry)),
      isEnough,
    );
    if (isEnough()) return true;
    if (pool.headVersion(this.#needed) === undefined) {
      this.#state.enter("waiting", `fewer than ${this.#needed} upstreams tell their head`);
      this.#giveUpIfUnusable();
    } else {
      this.#unusableSinceMs = undefined;
      this.#state.enterRest(
        this.#version ?? (next === 0n ? undefined : next - 1n),
        next,
        "enough upstreams do not have the next version yet",
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
    if (this.#version === undefined && prepare !== undefined) {
      await this.#beforeOthers(entry, (signal) => prepare(entry.upstream, this.#ceiling(), signal));
    }
    await this.#assertSameHistory(entry);
    // The records of an unfinished block are one upstream's word: the next one must not be checked against them.
    if (this.#source !== entry) await committer.dropHeldBack();
    this.#source = entry;
    const start = await committer.nextVersion();
    if (this.#isFar(entry, start)) await this.#followWithVerifier(entry, start);
    else await this.#followAlone(entry, start);
  }

  /** Commits page by page, until a remote verifier should verify them. */
  async #followAlone(entry: PoolEntry, start: bigint): Promise<void> {
    const queue = this.#createQueue(entry, start);
    try {
      while (!this.#state.isStopped && !this.#isFar(entry, queue.nextStart))
        await this.#takePage(entry, queue);
    } finally {
      queue.close();
    }
  }

  #createQueue({ upstream }: PoolEntry, start: bigint): PageQueue {
    const { ahead, pageLimit: limit } = this.#pace;
    return new PageQueue(
      upstream,
      start,
      { ahead, limit, ceiling: () => this.#ceiling() },
      this.#stop.signal,
    );
  }

  /** True if a remote verifier should verify the pages from a version on. */
  #isFar(entry: PoolEntry, next: bigint): boolean {
    if (this.#options.startVerifier === undefined || !this.#verifierRest.isOver(next)) return false;
    return this.#distance(entry, next) >= this.#pace.verifierFromVersions;
  }

  /** Versions that an upstream has from one on and that may be committed. */
  #distance({ head }: PoolEntry, next: bigint): bigint {
    const ceiling = this.#ceiling();
    const last = head?.version ?? -1n;
    return (ceiling === undefined || last < ceiling ? last : ceiling) - next + 1n;
  }

  /** Starts a remote verifier and follows with it, until the head is near, the upstream fails, or the verifier does. */
  async #followWithVerifier(entry: PoolEntry, start: bigint): Promise<void> {
    const { committer, ledger, logger, startVerifier } = this.#options;
    const position = await loadPosition(ledger);
    if (position === undefined) this.#verifierRest.beginFirst(start);
    if (startVerifier === undefined || position === undefined) return;
    this.#verifierRest.begin(position.version);
    if (!isWhole(position)) return;
    await committer.dropHeldBack();
    let verifier: RemoteVerifier;
    try {
      verifier = await startVerifier(position, this.#stop.signal);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      logger.warn({ err: errorText(error) }, "pages are verified in this process: another one did not start");
      return;
    }
    logger.info({ version: position.version }, "far behind: pages are verified in another process");
    const queue = this.#createQueue(entry, position.version + 1n);
    const next = async (): Promise<QueuedPage> => {
      const page = await this.#nextPage(entry, queue);
      this.#checkBudget(entry);
      this.pool.noteHead(entry, page.head);
      return page;
    };
    const isMore = (): boolean => this.#distance(entry, queue.nextStart) > this.#pace.verifierUntilVersions;
    const source = (): Promise<QueuedPage> | undefined => (isMore() ? next() : undefined);
    const verdicts = new VerdictQueue({ source, verifier, chainId: position.chainId, logger });
    try {
      await this.#takeVerified(entry, verdicts, verifier);
    } finally {
      this.#verifierRest.begin(this.#version ?? position.version);
      verdicts.close();
      queue.close();
      await verifier.close();
    }
  }

  /** Commits pages while the remote verifier verifies the next ones. */
  async #takeVerified(entry: PoolEntry, verdicts: VerdictQueue, verifier: RemoteVerifier): Promise<void> {
    while (!this.#state.isStopped && !this.#stop.signal.aborted) {
      const judged = await verdicts.next();
      // Verification in this process will name the fault of a page without a verdict.
      if (judged === undefined || this.#state.isStopped) return;
      this.#verifierRest.served();
      const position = await this.#commitVerified(entry, judged);
      if (position !== undefined) verifier.committed(position.version);
      // Verdicts that came already would keep this process busy, and the next pages here.
      await nextTurn("writer");
      await verifier.sent();
    }
  }

  /** Commits the blocks that end in some pages; returns undefined if there are none. */
  async #commitVerified(entry: PoolEntry, { pages, verified }: JudgedPages): Promise<Position | undefined> {
    const count = pages.reduce((sum, page) => sum + page.count, 0);
    if (verified.blocks.length === 0) {
      this.#records += count;
      return undefined;
    }
    const matched: Waypoint[] = [];
    let position: Position;
    try {
      position = await this.#options.committer.commitVerified(verified, (blocks) =>
        this.#checkBlocks(entry, blocks, matched),
      );
    } catch (error) {
      throw explainUnverified(error, pages[0]?.bytes ?? new Uint8Array());
    }
    this.#records += count;
    await this.#noteCommit(entry, pages, position, matched);
    return position;
  }

  /**
   * Throws UpstreamError `other_history` if the upstream has another record of our last version, while a waypoint still
   * to come can tell which is right. Without this, the page after ours would not verify, and an honest upstream would
   * be blamed for the forged history that another one served before.
   */
  async #assertSameHistory(entry: PoolEntry): Promise<void> {
    if (this.#waypoints.isEmpty) return;
    const { ledger } = this.#options;
    const position = await loadPosition(ledger);
    if (position === undefined || !isAccumulatorKnown(position)) return;
    const { version } = position;
    if (version <= (confirmedVersion(position) ?? -1n)) return;
    if (this.#sameHistory?.entry === entry && this.#sameHistory.version === version) return;
    const head = await withDeadline(this.#pace.slowPageMs, this.#stop.signal, async (signal) => {
      const claimed = await entry.upstream.getHead(signal);
      // An audit needs to know whether the upstream has reached the waypoint.
      this.pool.noteHead(entry, claimed);
      await compareRecord(ledger, entry.upstream, claimed.version, "other_history", signal);
      return claimed;
    });
    if (head.version >= version) this.#sameHistory = { entry, version };
  }

  #differenceCode(): DifferenceCode {
    return this.#waypoints.isEmpty ? "disagrees" : "other_history";
  }

  /** Finds out, beside following, whether an upstream with another history has the one that the next waypoint confirms. */
  #audit(entry: PoolEntry): void {
    const waypoint = this.#waypoints.next;
    const isTooEarly = waypoint === undefined || (entry.head?.version ?? -1n) < waypoint.version;
    if (this.#auditing !== undefined || isTooEarly) return;
    const { ledger: store, committer, logger } = this.#options;
    const { upstream } = entry;
    const { pageLimit } = this.#pace;
    logger.info(
      { upstream: upstream.name, waypoint: waypoint.version },
      "upstream has another history: checking it",
    );
    this.#auditing = auditHistory({ store, upstream, waypoint, pageLimit, signal: this.#stop.signal })
      .then(async (refuted) => {
        await committer.refute(refuted);
        this.#enterRefuted(refuted);
      })
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted) return;
        if (error instanceof UpstreamError) this.pool.fail(entry, toNeutral(error));
        else if (this.#options.mayPass?.(error) !== true) this.#fail(error);
      })
      .finally(() => {
        this.#auditing = undefined;
      });
  }

  #enterRefuted({ firstVersion, reason }: Refutation): void {
    this.#state.enter("refuted", reason);
    this.#options.logger.error(
      { firstVersion, reason },
      "the history stored here is not the network's: following stopped",
    );
  }

  async #takePage(entry: PoolEntry, queue: PageQueue): Promise<void> {
    if (queue.isAtHead && entry.head !== undefined) throw new BeyondHead(queue.nextStart, entry.head);
    const page = await this.#nextPage(entry, queue);
    // Refuted while the page was on its way.
    if (this.#state.isStopped) return;
    this.#checkBudget(entry);
    this.pool.noteHead(entry, page.head);
    const matched: Waypoint[] = [];
    let isCommit = false;
    let position: Position | undefined;
    try {
      position = await this.#options.committer.append(page.bytes, async (blocks) => {
        const level = await this.#checkBlocks(entry, blocks, matched);
        isCommit = true;
        return level;
      });
    } catch (error) {
      throw explainUnverified(error, page.bytes);
    }
    this.#records += page.count;
    // Held-back records are not verified yet, so they must not clear a lying upstream. The position cannot show a
    // commit: after a restart it is that of an earlier one.
    if (position === undefined || !isCommit) return;
    await this.#noteCommit(entry, [page], position, matched);
  }

  /** Compares blocks with waypoints and with what other upstreams have. Returns the level that this earned them. */
  async #checkBlocks(
    entry: PoolEntry,
    blocks: readonly VerifiedBlock[],
    matched: Waypoint[],
  ): Promise<TrustLevel | undefined> {
    matched.push(...this.#waypoints.check(blocks));
    const level = await this.#confirm(entry, blocks);
    return this.#waypoints.isSigned(matched, blocks) ? PROVEN : level;
  }

  async #noteCommit(
    entry: PoolEntry,
    pages: readonly QueuedPage[],
    position: Position,
    matched: readonly Waypoint[],
  ): Promise<void> {
    this.#version = position.version;
    this.#sameHistory = { entry, version: position.version };
    this.#chainId = position.chainId;
    this.#disputes = 0;
    this.#slowPages = 0;
    this.#unusableSinceMs = undefined;
    this.pool.succeed(entry);
    // Behind for a moment is no change: the next rest tells whether we are level again.
    if (!this.#state.isLevelAtHead) this.#state.enter("catching_up");
    const records = pages.reduce((sum, { count }) => sum + count, 0);
    const bytes = pages.reduce((sum, page) => sum + page.bytes.length, 0);
    this.#options.onCommit?.({ position, records, bytes });
    for (const waypoint of matched) await this.#noteMatchedWaypoint(waypoint);
  }

  /** An upstream may send many bytes for few records, but not without end. */
  #checkBudget(entry: PoolEntry): void {
    const bytes = entry.upstream.receivedBytes - entry.usefulBytes;
    if (bytes <= MAX_BYTES_PER_COMMIT) return;
    entry.usefulBytes = entry.upstream.receivedBytes;
    throw new UpstreamError("too_large", `it sent ${bytes} bytes without records that could be committed`);
  }

  /** The last version to fetch: one that too few upstreams claim, or that must be signed and is not, is not committed. */
  #ceiling(): bigint | undefined {
    const agreed = this.#needed > 1 ? this.pool.headVersion(this.#needed) : undefined;
    const allowed = this.#options.ceiling?.();
    return agreed === undefined || (allowed !== undefined && allowed < agreed) ? allowed : agreed;
  }

  #nextPage(entry: PoolEntry, queue: PageQueue): Promise<QueuedPage> {
    return this.#beforeOthers(entry, () => queue.next());
  }

  /** Asks an upstream; gives up a slow one early if there is another one to ask. */
  #beforeOthers<T>(entry: PoolEntry, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const isAlone = !this.pool.sound.some((other) => other !== entry && this.pool.isReady(other));
    if (isAlone) return ask(this.#stop.signal);
    // Doubles while nothing is committed, so upstreams that are all slow still serve.
    const patience = 2 ** Math.min(this.#slowPages, 3);
    const share = entry.failures === 0 ? 1 : FAILED_PAGE_SHARE;
    const ms = this.#pace.slowPageMs * patience * share;
    return withDeadline(ms, this.#stop.signal, ask).catch((error: unknown) => {
      this.#slowPages++;
      throw error;
    });
  }

  /** The level that the upstreams' agreement earns; throws if they do not agree. */
  async #confirm(entry: PoolEntry, blocks: readonly VerifiedBlock[]): Promise<TrustLevel | undefined> {
    const claim = claimOf(blocks);
    if (this.#agreement === undefined || claim === undefined) return undefined;
    await this.#agreement.confirm(entry, claim);
    return levelOfRule(this.#options.agree);
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

  /** Notes a waypoint that matched and whose version is committed. */
  async #noteMatchedWaypoint(waypoint: Waypoint): Promise<void> {
    const { committer, noteMatch } = this.#options;
    const isGiven = await (noteMatch?.(waypoint) ?? committer.noteMatchedWaypoint(waypoint));
    this.#waypoints.remove(waypoint);
    if (isGiven === false) return;
    const { version } = waypoint;
    this.#options.logger.info(
      { version },
      version === 0n ? "genesis matches its waypoint" : "waypoint matches",
    );
  }

  async #handleFault(entry: PoolEntry, error: unknown): Promise<void> {
    if (this.#stop.signal.aborted) return;
    if (error instanceof NoAgreement) {
      if (error.isDispute) this.#disputes++;
      this.#state.enter("waiting", error.message);
      this.#options.logger.warn({ reason: error.message }, "upstreams do not agree");
      this.#giveUpIfUnusable();
      await pause(
        backoffMs(Math.max(this.#disputes, 1), this.#pace.setAside, this.#random),
        this.#stop.signal,
      );
    } else if (error instanceof NotProvable) {
      this.#state.enter("waiting", error.message);
      await pause(this.#pollMs(), this.#stop.signal);
    } else if (error instanceof BeyondHead) {
      await this.#restAtHead(entry, error);
    } else if (error instanceof UpstreamError) {
      this.pool.fail(entry, error);
      if (error.code === "other_history") this.#audit(entry);
      this.#giveUpIfUnusable();
    } else {
      await this.#waitForStore(error);
    }
  }

  /** Pauses after a transient fault of this node; throws any other. */
  async #waitForStore(error: unknown): Promise<void> {
    if (this.#options.mayPass?.(error) !== true) throw error;
    this.#state.enter("waiting", "the store cannot be written just now");
    await pause(this.#pace.retry.maxMs / 10, this.#stop.signal);
  }

  /** At an upstream's head: pauses, then looks for upstreams that are further. */
  async #restAtHead(entry: PoolEntry, error: BeyondHead): Promise<void> {
    try {
      if (error.head !== entry.head) this.pool.noteHead(entry, error.head);
      const { ledger } = this.#options;
      const version = await withDeadline(this.#pace.headDeadlineMs, this.#stop.signal, (signal) =>
        assertSameLedger(ledger, entry.upstream, error.head, this.#differenceCode(), signal),
      );
      const next = await this.#options.committer.nextVersion();
      this.pool.succeed(entry);
      this.#unusableSinceMs = undefined;
      if (!this.#state.isAtHead) await this.#askOthers(entry, next);
      this.#state.enterRest(version, next, error.message);
      this.#options.onRest?.();
    } catch (fault) {
      await this.#handleFault(entry, fault);
      return;
    }
    await pause(this.#pollMs(), this.#stop.signal);
    // The one in use is asked again at once; late answers count at the next poll.
    void this.#watch.ask(this.#othersThan(entry), () => false);
  }

  /** One upstream's word is not enough for the claim to be at the head while others can be asked; a mute one can not. */
  async #askOthers(entry: PoolEntry, next: bigint): Promise<void> {
    const answered = new AbortController();
    const asking = this.#watch.ask(this.#othersThan(entry), () => (this.pool.peakVersion(1) ?? 0n) >= next);
    await Promise.race([
      asking,
      pause(OTHERS_WAIT_MS, AbortSignal.any([this.#stop.signal, answered.signal])),
    ]);
    answered.abort();
  }

  #othersThan(entry: PoolEntry): readonly PoolEntry[] {
    return this.pool.sound.filter((other) => other !== entry && this.pool.isReady(other));
  }

  /** Pause until the next poll. */
  #pollMs(): number {
    return this.#pace.pollTimeMs * (0.75 + this.#random() / 2);
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

  #fail(error: unknown): void {
    this.#state.enter("faulted", errorText(error));
    this.#options.logger.error({ err: errorText(error) }, "follower stopped");
    this.#reportFault(error instanceof Error ? error : new Error(String(error)));
  }
}

/** An upstream that pruned its early records cannot be audited; that is not a lie. */
function toNeutral(error: UpstreamError): UpstreamError {
  return error.code === "pruned" ? new UpstreamError("other_history", error.message) : error;
}
