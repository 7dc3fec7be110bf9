// What a follower says of itself. The claim to be at the head ends with the age of the answers that it rests on.
import type { PoolEntry } from "../upstream/pool.ts";
import type { FollowerParts } from "./follower-parts.ts";

/**
 * `at_head`: within the last seconds our version was the upstreams' head, and none claimed more; `ahead_of_upstreams`:
 * all upstream heads are below our version;
 * `waiting`: no upstream can be asked, too few agree, or there are only archives; `refuted`: our own history is not the network's; `faulted`:
 * stopped for good.
 */
export type FollowState =
  | "starting"
  | "catching_up"
  | "at_head"
  | "ahead_of_upstreams"
  | "waiting"
  | "refuted"
  | "faulted"
  | "closed";

/** A claimed head, and `at_head`, hold for this long and two polls. */
const HEAD_AGE_MS = 5_000;

/** How long a claimed head counts. */
export function headAgeOf(pollTimeMs: number): number {
  return HEAD_AGE_MS + 2.5 * pollTimeMs;
}

/** Polls in a row below our version before `ahead_of_upstreams`: machines behind one name may differ a little. */
const MAX_POLLS_BEHIND = 10;

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

export class ClaimedState {
  readonly #parts: FollowerParts;
  #state: FollowState = "starting";
  #reason: string | undefined;
  #pollsBehind = 0;
  /** When our version was last the upstreams' head. */
  #levelMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** True after the follower stopped for good. */
  get isStopped(): boolean {
    return this.#state === "faulted" || this.#state === "refuted";
  }

  /** True from the claim to be at the head on, even if it has become too old. */
  get isAtHead(): boolean {
    return this.#state === "at_head";
  }

  get isLevelAtHead(): boolean {
    return this.isAtHead && this.#isLevel();
  }

  /** Time since our version was last the upstreams' head; undefined if it never was. */
  get levelAgeMs(): number | undefined {
    return Number.isFinite(this.#levelMs) ? this.#parts.clock() - this.#levelMs : undefined;
  }

  /** `at_head` is a claim about now, so it ends with the age of the answers that it rests on. */
  confirmed(): { readonly state: FollowState; readonly reason: string | undefined } {
    const isStale = this.isAtHead && !this.#isLevel();
    if (!isStale) return { state: this.#state, reason: this.#reason };
    return { state: "catching_up", reason: "too few upstreams told their head within the last seconds" };
  }

  enter(state: FollowState, reason?: string): void {
    if (this.isStopped) return;
    if (state !== this.#state) {
      // An upstream that fails now and then would fill the log: whether the node is ready is logged instead.
      this.#parts.logger.debug(
        { state, was: this.#state, ...(reason === undefined ? {} : { reason }) },
        "follower changed state",
      );
    }
    this.#state = state;
    this.#reason = reason;
  }

  /**
   * Enters `at_head` only when enough upstreams claim our version just now, and no version from `next` on, which
   * follows the records received so far: those of an unfinished block are held back.
   */
  enterRest(version: bigint | undefined, next: bigint, reason: string): void {
    if (version === undefined) {
      this.enter("waiting", reason);
      return;
    }
    const { pool, needed, clock } = this.#parts;
    if (!pool.tellsNow) {
      this.enter(
        "waiting",
        `the archives end at version ${version}, and no upstream tells the network's head`,
      );
      return;
    }
    const highest = pool.freshHeadVersion(needed);
    const isReached = highest !== undefined && highest >= version;
    this.#pollsBehind = isReached ? 0 : this.#pollsBehind + 1;
    if (isReached) {
      const claimed = pool.peakVersion(needed) ?? highest;
      if (claimed >= next) {
        if (!this.#isLevel()) this.enter("catching_up", `upstreams claim version ${claimed}`);
        return;
      }
      this.#levelMs = clock();
      if (!this.isAtHead) this.enter("at_head");
    } else if (this.#pollsBehind >= MAX_POLLS_BEHIND && highest !== undefined) {
      this.enter(
        "ahead_of_upstreams",
        `every upstream is behind this node: the highest ends at version ${highest}, this node at ${version}`,
      );
    }
  }

  /** True if our version was the upstreams' head within the last seconds. */
  #isLevel(): boolean {
    return this.#parts.clock() - this.#levelMs <= this.#parts.headAgeMs;
  }
}
