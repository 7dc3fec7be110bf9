// How a follower and a fork appear in the info response.
import { formatFork, type LedgerPosition, type LedgerView } from "../../ledger/view.ts";
import { formatWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import type { FollowerStatus } from "../../sync/follow/follower-state.ts";
import type { FillerStats } from "../../sync/lazy/base-filler.ts";
import { waypointOfStored } from "../../sync/waypoints.ts";
import type { Following } from "./following.ts";
import type { Forking } from "./forking.ts";
import type { ProvingStatus } from "./proving.ts";
import { explain } from "./readiness.ts";

/** Keys of the info response, from the position alone, so that every process that reads a fork says the same. */
export function forkInfo(position: LedgerPosition | undefined): Record<string, unknown> {
  const point = position?.fork;
  if (point === undefined) return {};
  return { fork: formatFork(point), fork_version: point.version, fork_url: point.url };
}

/** Keys about the node that serves the network; none for a process that asks none. */
export function forkSourceInfo(forking: Forking | undefined): Record<string, unknown> {
  if (forking === undefined) return {};
  const { fault } = forking;
  return { ...(fault === undefined ? {} : { fork_fault: fault }), ...fillInfo(forking.fills()) };
}

/**
 * Why a follower should be restarted; undefined when it is healthy. Upstreams that cannot be reached do not count: a
 * restart would not help. A short wait does not count for a node that is ready.
 */
export function unhealthyReasonOf(following: Following | undefined): string | undefined {
  const status = following?.status();
  if (status === undefined) return undefined;
  const { state, upstreams } = status;
  const isLied = upstreams.length > 0 && upstreams.every((upstream) => upstream.state === "set_aside");
  const isUnreached = upstreams.some((upstream) => ["resting", "untried"].includes(upstream.state));
  const isWaiting = state === "waiting" && !isUnreached && following?.unreadyReason() !== undefined;
  if (state !== "faulted" && !isLied && !isWaiting) return undefined;
  return ["nothing that can be verified comes from any upstream", explain(status)].join("; ");
}

/** Why the first upstream gets no submissions; undefined when it does. */
export function submissionRefusalOf(status: FollowerStatus | undefined): string | undefined {
  return status?.upstreams[0]?.state === "set_aside"
    ? "the upstream is set aside, because its answers were wrong"
    : undefined;
}

/** Waypoints that others can anchor to. */
export class WaypointInfo {
  /**
   * Of the last position asked for: hashing a large record once is enough. Not by version, because a rewound ledger has
   * another record there.
   */
  #last: { readonly position: LedgerPosition; readonly waypoint: Waypoint | undefined } | undefined;

  /** Waypoints of the genesis, if known, and of the view's latest version. */
  async read(view: LedgerView | undefined, genesis: Waypoint | undefined): Promise<Record<string, unknown>> {
    const latest = view === undefined ? undefined : await this.#latest(view);
    return {
      ...(genesis === undefined ? {} : { genesis_waypoint: formatWaypoint(genesis) }),
      ...(latest === undefined ? {} : { waypoint: formatWaypoint(latest) }),
    };
  }

  async #latest(view: LedgerView): Promise<Waypoint | undefined> {
    const { position } = view;
    if (this.#last?.position === position) return this.#last.waypoint;
    const waypoint = await waypointOfStored(view, position.version);
    this.#last = { position, waypoint };
    return waypoint;
  }
}

/** Versions behind or ahead of the upstreams' highest head; empty while either is unknown. */
function distanceOf(head: bigint | undefined, version: bigint | undefined): Record<string, bigint> {
  if (head === undefined || version === undefined) return {};
  return head < version ? { versions_ahead: version - head } : { versions_behind: head - version };
}

/** Keys of the info response. */
export function followInfo(following: Following, version: bigint | undefined): Record<string, unknown> {
  const status = following.status();
  if (status === undefined) return {};
  const { headVersion } = status;
  const fills = following.fills();
  return {
    ...(status.reason === undefined ? {} : { sync_reason: status.reason }),
    ...(headVersion === undefined ? {} : { upstream_version: headVersion }),
    ...distanceOf(headVersion, version),
    upstreams: status.upstreams.map(({ name, state, fault, headVersion: at }) => ({
      url: name,
      state,
      ...(at === undefined ? {} : { version: at }),
      ...(fault === undefined ? {} : { last_fault: fault }),
    })),
    ...provingInfo(following.provingStatus()),
    ...fillInfo(fills),
  };
}

/** Keys of the info response about items fetched on first use; none without a base layer. */
function fillInfo(fills: Readonly<FillerStats> | undefined): Record<string, unknown> {
  if (fills === undefined) return {};
  return {
    lazy_fills: fills.fills,
    lazy_fills_by_level: Object.fromEntries(fills.byLevel),
    lazy_fill_failures: fills.failures,
  };
}

function provingInfo(status: ProvingStatus | undefined): Record<string, unknown> {
  if (status === undefined) return {};
  const { epoch, signedVersion, provenVersion, sources } = status;
  return {
    ...(provenVersion === undefined ? {} : { proven_version: provenVersion }),
    ...(signedVersion === undefined ? {} : { signed_version: signedVersion }),
    ...(epoch === undefined ? {} : { signed_epoch: epoch }),
    proof_sources: sources.map(({ name, kind, state, fault }) => ({
      url: name,
      ...(kind === undefined ? {} : { kind }),
      state,
      ...(fault === undefined ? {} : { last_fault: fault }),
    })),
  };
}
