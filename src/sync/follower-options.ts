// What a follower is made of, and what it tells of itself.
import type { Logger } from "../base/log.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import type { Store } from "../store/contract.ts";
import type { AgreementRule } from "./agreement.ts";
import type { CommitProgress } from "./checked-commits.ts";
import type { Committer } from "./committer.ts";
import type { FollowerPace } from "./follower-pace.ts";
import type { FollowState } from "./follower-state.ts";
import type { StartVerifier } from "./remote-verification.ts";
import type { PoolEntry } from "./upstream/pool.ts";
import type { Upstream } from "./upstream/upstream.ts";

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
