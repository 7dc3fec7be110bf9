// The last stage of following: commits the blocks that end in verified pages, after every check passed them.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Position } from "../../ledger/position.ts";
import { compareTrust, type TrustLevel } from "../../ledger/trust.ts";
import type { Waypoint } from "../../ledger/waypoint.ts";
import type { BlockCheck } from "../committer.ts";
import type { PoolEntry } from "../upstream/pool.ts";
import { explainUnverified } from "../upstream/record-pages.ts";
import type { RootedBlock } from "../verify/verified-page.ts";
import type { VerifiedBlock } from "../verify/verifier.ts";
import type { FollowerParts } from "./follower-parts.ts";
import type { QueuedPage } from "./page-queue.ts";

/** Inspects blocks of an upstream before their commit: returns the level that this earned them, or throws to refuse them. */
export type SourceCheck = (
  blocks: readonly VerifiedBlock[],
  source: PoolEntry,
) => MaybePromise<TrustLevel | undefined>;

/** What the stage before hands on. */
export type FollowStep = JudgedPages | UnjudgedPages;

/** Pages that another process verified, to be committed together. */
export interface JudgedPages {
  readonly kind: "judged";
  readonly pages: readonly QueuedPage[];
  readonly verified: readonly RootedBlock[];
}

/** Pages that the committer verifies, to be committed together, so that a fault has a name. */
export interface UnjudgedPages {
  readonly kind: "unjudged";
  readonly pages: readonly QueuedPage[];
  /** The records between the last whole block and the pages that are not held back here. */
  readonly openRecords: readonly Uint8Array[];
}

/** One commit of a follower. */
export interface CommitProgress {
  readonly position: Position;
  readonly records: number;
  readonly bytes: number;
}

/** What becomes of blocks besides their commit. */
export interface CommitRules {
  /** In this order; the strongest level counts. */
  readonly checks: readonly SourceCheck[];
  /** Notes a waypoint whose version is committed; the committer does unless given. False: it is not worth a log line. */
  readonly noteMatch: ((waypoint: Waypoint) => Promise<boolean>) | undefined;
  /** Called after each commit, before the next one, with the upstream of its pages. */
  readonly onCommit: (entry: PoolEntry, progress: CommitProgress) => void;
}

export class CheckedCommits {
  readonly #parts: FollowerParts;
  readonly #rules: CommitRules;
  #records = 0;
  #last: Position | undefined;

  constructor(parts: FollowerParts, rules: CommitRules) {
    this.#parts = parts;
    this.#rules = rules;
  }

  /** Records received, also those that are held back. */
  get records(): number {
    return this.#records;
  }

  /** The position after the last commit; undefined before the first one. */
  get last(): Position | undefined {
    return this.#last;
  }

  /** Commits the blocks that end in the pages of a step. */
  async commitStep(entry: PoolEntry, step: FollowStep): Promise<void> {
    const { pages } = step;
    let isCommit = false;
    let position: Position | undefined;
    try {
      position = await this.#write(step, async (blocks) => {
        const level = await this.#check(blocks, entry);
        isCommit = true;
        return level;
      });
    } catch (error) {
      throw explainUnverified(
        error,
        pages.map(({ bytes }) => bytes),
      );
    }
    const records = pages.reduce((sum, { count }) => sum + count, 0);
    this.#records += records;
    // Held-back records are not verified yet, so they must not clear a lying upstream. The position cannot show a
    // commit: after a restart it is that of an earlier one.
    if (position === undefined || !isCommit) return;
    this.#last = position;
    const bytes = pages.reduce((sum, page) => sum + page.bytes.length, 0);
    this.#rules.onCommit(entry, { position, records, bytes });
    for (const waypoint of this.#parts.waypoints.takeMatched()) await this.#noteMatchedWaypoint(waypoint);
  }

  async #write(step: FollowStep, check: BlockCheck): Promise<Position | undefined> {
    const { committer } = this.#parts;
    if (step.kind === "unjudged") {
      const pages = step.pages.map(({ bytes }) => bytes);
      return committer.appendPages(pages, step.openRecords, check);
    }
    return step.verified.length === 0 ? undefined : committer.commitVerified(step.verified, check);
  }

  /** The strongest level that a check earned the blocks. */
  async #check(blocks: readonly VerifiedBlock[], entry: PoolEntry): Promise<TrustLevel | undefined> {
    let earned: TrustLevel | undefined;
    for (const check of this.#rules.checks) {
      const level = await check(blocks, entry);
      if (level !== undefined && (earned === undefined || compareTrust(level, earned) > 0)) earned = level;
    }
    return earned;
  }

  /** Notes a waypoint that matched and whose version is committed. */
  async #noteMatchedWaypoint(waypoint: Waypoint): Promise<void> {
    const { committer, waypoints, logger } = this.#parts;
    const isWorthTelling = await (this.#rules.noteMatch?.(waypoint) ??
      committer.noteMatchedWaypoint(waypoint));
    waypoints.remove(waypoint);
    if (isWorthTelling === false) return;
    const { version } = waypoint;
    logger.info({ version }, version === 0n ? "genesis matches its waypoint" : "waypoint matches");
  }
}
