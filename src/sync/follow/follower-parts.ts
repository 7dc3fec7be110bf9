// What the parts of a follower share, and how fast it asks and when it gives up.
import type { Logger } from "../../base/log.ts";
import { DAY_MS, HOUR_MS, type NumberOptions, type NumberSettings, numbersOf } from "../../base/settings.ts";
import type { BackoffOptions } from "../../base/wait.ts";
import type { Store } from "../../store/contract.ts";
import type { Committer } from "../committer.ts";
import type { UpstreamPool } from "../upstream/pool.ts";
import type { ExpectedWaypoints } from "../waypoints.ts";

export interface FollowerParts {
  readonly committer: Committer;
  /** The committer's ledger. */
  readonly ledger: Store;
  readonly pool: UpstreamPool;
  readonly waypoints: ExpectedWaypoints;
  /** Upstreams that must claim a version before it is fetched. */
  readonly needed: number;
  /** For how long a claimed head counts. */
  readonly headAgeMs: number;
  readonly pace: FollowerPace;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** Ends with the follower. */
  readonly signal: AbortSignal;
  /** Called with faults that are not the upstream's. */
  readonly onFault: (error: unknown) => void;
}

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
  /** For the answer to a question for an upstream's head. */
  readonly headDeadlineMs: number;
  /** How long to wait for a page while another upstream could be asked. */
  readonly slowPageMs: number;
  /** Versions behind the head from which on a remote verifier verifies pages. */
  readonly verifierFromVersions: bigint;
  /** Versions behind the head at which the remote verifier ends. */
  readonly verifierUntilVersions: bigint;
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

/** The pace that suits a public network. */
export const DEFAULT_PACE: FollowerPace = {
  ahead: 4,
  pageLimit: 100,
  retry: { baseMs: 250, maxMs: 30_000 },
  headDeadlineMs: 3_000,
  slowPageMs: 10_000,
  // With fewer, a second process gains less than its start costs.
  verifierFromVersions: 10_000n,
  verifierUntilVersions: 1_000n,
  ...paceOf({}),
};
