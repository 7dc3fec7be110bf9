// What a follower is made of, how fast it asks and when it gives up, and what it tells of itself.
import type { Logger } from "../../base/log.ts";
import { DAY_MS, HOUR_MS, type NumberOptions, type NumberSettings, numbersOf } from "../../base/settings.ts";
import type { BackoffOptions } from "../../base/wait.ts";
import type { Waypoint } from "../../ledger/waypoint.ts";
import type { Store } from "../../store/contract.ts";
import type { Committer } from "../committer.ts";
import type { PoolEntry } from "../upstream/pool.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { StartVerifier } from "../verify/remote-page-verifier.ts";
import type { AgreementRule } from "./agreement.ts";
import type { CommitProgress } from "./checked-commits.ts";
import type { FollowState } from "./follower-state.ts";

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
  /** The last version that may be committed, as known now; -1 for none. */
  readonly ceiling?: (() => bigint) | undefined;
  /** The version that commits must lead to: nothing is fetched from upstreams that do not have it. Undefined for any. */
  readonly goal?: (() => bigint | undefined) | undefined;
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
