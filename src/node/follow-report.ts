// What a node says of its following: keys of the info answer and figures of the metrics page.
import type { LedgerView } from "../ledger/view.ts";
import { formatWaypoint, type Waypoint } from "../ledger/waypoint.ts";
import type { FollowerStatus } from "../sync/follower.ts";
import { waypointOfStored } from "../sync/matched-waypoints.ts";
import { trustLevels, trustRank } from "../sync/trust.ts";
import type { Following } from "./following.ts";
import type { GaugeSource } from "./metrics.ts";

/** Why a follower is not well; undefined when it is. */
export function unhealthyReasonOf(status: FollowerStatus | undefined): string | undefined {
  if (status === undefined) return undefined;
  const isLied = status.upstreams.length > 0 && status.upstreams.every(({ state }) => state === "set_aside");
  if (status.state !== "faulted" && !isLied && status.state !== "waiting") return undefined;
  const faults = status.upstreams.flatMap(({ name, fault }) =>
    fault === undefined ? [] : [`${name}: ${fault}`],
  );
  return ["nothing that can be verified comes from any upstream", status.reason, ...faults]
    .filter((part) => part !== undefined)
    .join("; ");
}

/** Waypoints that others can anchor to. */
export class WaypointInfo {
  /** Of the version last asked about: a record can be large, and is read for its hash only once. */
  #last: { readonly version: bigint; readonly waypoint: Waypoint | undefined } | undefined;

  /** Of the genesis where it is known, and of the view's latest version. */
  async read(view: LedgerView | undefined, genesis: Waypoint | undefined): Promise<Record<string, unknown>> {
    const latest = view === undefined ? undefined : await this.#latest(view);
    return {
      ...(genesis === undefined ? {} : { genesis_waypoint: formatWaypoint(genesis) }),
      ...(latest === undefined ? {} : { waypoint: formatWaypoint(latest) }),
    };
  }

  async #latest(view: LedgerView): Promise<Waypoint | undefined> {
    const { version } = view.position;
    if (this.#last?.version === version) return this.#last.waypoint;
    const waypoint = await waypointOfStored(view, version);
    this.#last = { version, waypoint };
    return waypoint;
  }
}

/** Keys of the info answer. */
export function followInfo(following: Following, version: bigint | undefined): Record<string, unknown> {
  const status = following.status();
  if (status === undefined) return {};
  const { headVersion } = status;
  const levels = trustLevels(status.trust);
  const fills = following.fills();
  const behind = headVersion === undefined || version === undefined ? undefined : headVersion - version;
  return {
    trust_level: levels[0],
    trust_levels: levels,
    ...(status.reason === undefined ? {} : { sync_reason: status.reason }),
    ...(headVersion === undefined ? {} : { upstream_version: `${headVersion}` }),
    ...(behind === undefined ? {} : { versions_behind: `${behind > 0n ? behind : 0n}` }),
    upstreams: status.upstreams.map(({ name, state, fault, headVersion: at }) => ({
      url: name,
      state,
      ...(at === undefined ? {} : { version: `${at}` }),
      ...(fault === undefined ? {} : { last_fault: fault }),
    })),
    ...(fills === undefined ? {} : { lazy_fills: fills.fills, lazy_fill_failures: fills.failures }),
  };
}

/** Figures of following; zeros where there is none. */
export function followGauges(
  following: () => Following | undefined,
  version: () => Promise<bigint | undefined>,
): GaugeSource[] {
  const status = (): FollowerStatus | undefined => following()?.status();
  const count = (state: string): number =>
    status()?.upstreams.filter((one) => one.state === state).length ?? 0;
  const gauge = (name: string, help: string, read: GaugeSource["read"]): GaugeSource => ({
    name: `sextant_follow_${name}`,
    help,
    read,
  });
  const behind = async (): Promise<number> => {
    const [head, own] = [status()?.headVersion, await version()];
    if (head === undefined || own === undefined || head < own) return 0;
    return Number.parseInt(`${head - own}`, 10);
  };
  return [
    gauge("versions_behind", "Versions between the head of the upstreams and ours", behind),
    gauge(
      "records_per_second",
      "Records taken in per second",
      () => following()?.rate().recordsPerSecond ?? 0,
    ),
    gauge(
      "bytes_per_second",
      "Bytes of records taken in per second",
      () => following()?.rate().bytesPerSecond ?? 0,
    ),
    gauge("received_bytes", "Bytes received from upstreams", () => status()?.receivedBytes ?? 0),
    gauge("trust_level", "0 trusted, 1 chained, 2 agreed, 3 anchored", () => {
      const facts = status()?.trust;
      return facts === undefined ? 0 : trustRank(facts);
    }),
    gauge("anchored_version", "Highest version whose waypoint matched", () =>
      Number.parseInt(`${status()?.trust.anchoredVersion ?? 0n}`, 10),
    ),
    gauge("upstreams_ok", "Upstreams in use", () => count("ok")),
    gauge("upstreams_resting", "Upstreams that could not be asked", () => count("resting")),
    gauge("upstreams_set_aside", "Upstreams whose answers were wrong", () => count("set_aside")),
    gauge("lazy_fills", "State items fetched on first use", () => following()?.fills()?.fills ?? 0),
    gauge(
      "lazy_fill_failures",
      "State items that could not be fetched",
      () => following()?.fills()?.failures ?? 0,
    ),
  ];
}
