// Commits pages after their blocks were compared with waypoints and with what other upstreams have.
import type { Logger } from "../base/log.ts";
import type { Position } from "../ledger/position.ts";
import { PROVEN, type TrustLevel } from "../ledger/trust.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import { type Agreement, type AgreementRule, levelOfRule, pageClaimOf } from "./agreement.ts";
import type { Committer } from "./committer.ts";
import type { ExpectedWaypoints } from "./expected-waypoints.ts";
import type { QueuedPage } from "./page-queue.ts";
import { explainUnverified } from "./unverified.ts";
import type { PoolEntry } from "./upstream/pool.ts";
import type { JudgedPages } from "./verdict-queue.ts";
import type { VerifiedBlock } from "./verifier.ts";

/** One commit of a follower. */
export interface CommitProgress {
  readonly position: Position;
  readonly records: number;
  readonly bytes: number;
}

export interface CheckedCommitsOptions {
  readonly committer: Committer;
  readonly waypoints: ExpectedWaypoints;
  /** Undefined: one upstream's word is enough. */
  readonly agreement: Agreement | undefined;
  readonly agree: AgreementRule | undefined;
  /** Notes a waypoint whose version is committed; the committer does unless given. False: it is not worth a log line. */
  readonly noteMatch: ((waypoint: Waypoint) => Promise<boolean>) | undefined;
  readonly logger: Logger;
  /** Called after each commit, before the next one, with the upstream of its pages. */
  readonly onCommit: (entry: PoolEntry, progress: CommitProgress) => void;
}

export class CheckedCommits {
  readonly #options: CheckedCommitsOptions;
  #records = 0;
  #last: Position | undefined;

  constructor(options: CheckedCommitsOptions) {
    this.#options = options;
  }

  /** Records received, also those that are held back. */
  get records(): number {
    return this.#records;
  }

  /** The position after the last commit; undefined before the first one. */
  get last(): Position | undefined {
    return this.#last;
  }

  /** Verifies a page here, after the open records before it that are not held back yet, and commits the blocks that end in it. */
  async append(entry: PoolEntry, page: QueuedPage, openRecords: readonly Uint8Array[] = []): Promise<void> {
    const matched: Waypoint[] = [];
    let isCommit = false;
    let position: Position | undefined;
    const { committer } = this.#options;
    try {
      position = await committer.appendPage(page.bytes, openRecords, async (blocks) => {
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

  /** Commits the blocks that end in pages verified elsewhere; returns undefined if there are none. */
  async commitVerified(entry: PoolEntry, { pages, verified }: JudgedPages): Promise<Position | undefined> {
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

  /** Compares blocks with waypoints and with what other upstreams have. Returns the level that this earned them. */
  async #checkBlocks(
    entry: PoolEntry,
    blocks: readonly VerifiedBlock[],
    matched: Waypoint[],
  ): Promise<TrustLevel | undefined> {
    const { waypoints } = this.#options;
    matched.push(...waypoints.check(blocks));
    const level = await this.#confirm(entry, blocks);
    return waypoints.isSigned(matched, blocks) ? PROVEN : level;
  }

  /** The level that the upstreams' agreement earns; throws if they do not agree. */
  async #confirm(entry: PoolEntry, blocks: readonly VerifiedBlock[]): Promise<TrustLevel | undefined> {
    const { agreement, agree } = this.#options;
    const claim = pageClaimOf(blocks);
    if (agreement === undefined || claim === undefined) return undefined;
    await agreement.confirm(entry, claim);
    return levelOfRule(agree);
  }

  async #noteCommit(
    entry: PoolEntry,
    pages: readonly QueuedPage[],
    position: Position,
    matched: readonly Waypoint[],
  ): Promise<void> {
    this.#last = position;
    const records = pages.reduce((sum, { count }) => sum + count, 0);
    const bytes = pages.reduce((sum, page) => sum + page.bytes.length, 0);
    this.#options.onCommit(entry, { position, records, bytes });
    for (const waypoint of matched) await this.#noteMatchedWaypoint(waypoint);
  }

  /** Notes a waypoint that matched and whose version is committed. */
  async #noteMatchedWaypoint(waypoint: Waypoint): Promise<void> {
    const { committer, waypoints, noteMatch, logger } = this.#options;
    const isGiven = await (noteMatch?.(waypoint) ?? committer.noteMatchedWaypoint(waypoint));
    waypoints.remove(waypoint);
    if (isGiven === false) return;
    const { version } = waypoint;
    logger.info({ version }, version === 0n ? "genesis matches its waypoint" : "waypoint matches");
  }
}
