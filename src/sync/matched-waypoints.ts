// Waypoints that matched, stored as a side row: they still prove the history after the pruner removed the records they
// were computed from.
import { toHex } from "../base/hex.ts";
import { isWhole, type Position } from "../ledger/position.ts";
import { decodeRecord } from "../ledger/record.ts";
import { confirmedVersion } from "../ledger/trust.ts";
import type { LedgerView } from "../ledger/view.ts";
import { computeWaypoint, type Waypoint } from "../ledger/waypoint.ts";
import type { SideRow, Store } from "../store/contract.ts";
import { nextEpochOf } from "./anchor.ts";
import { MATCHED_WAYPOINTS, type SideRowReader } from "./side-rows.ts";

/** The waypoints that matched so far. */
export async function loadMatchedWaypoints(store: SideRowReader): Promise<readonly Waypoint[]> {
  return (await MATCHED_WAYPOINTS.load(store)) ?? [];
}

/** The row that adds a waypoint to those that matched; undefined if it is among them. */
export async function matchedWaypointRow(store: Store, waypoint: Waypoint): Promise<SideRow | undefined> {
  const known = await loadMatchedWaypoints(store);
  if (known.some((other) => isSameWaypoint(other, waypoint))) return undefined;
  return MATCHED_WAYPOINTS.row([...known, waypoint]);
}

/** Raises the trust of a position that was stored before trust was, by the waypoints that matched. */
export async function raiseByMatchedWaypoints(
  store: Store,
  position: Position,
  note: (waypoint: Waypoint) => Promise<void>,
): Promise<void> {
  if (!isWhole(position)) return;
  for (const waypoint of await loadMatchedWaypoints(store)) {
    if (waypoint.version <= (confirmedVersion(position) ?? -1n)) continue;
    if (waypoint.version <= position.version) await note(waypoint);
  }
}

export function isSameWaypoint(a: Waypoint, b: Waypoint): boolean {
  return a.version === b.version && toHex(a.hash) === toHex(b.hash);
}

/** The waypoint of a stored version; undefined if its record is pruned or it does not end a block. */
export async function waypointOfStored(view: LedgerView, version: bigint): Promise<Waypoint | undefined> {
  const { oldestVersion, version: head } = view.position;
  if (version < oldestVersion || version > head) return undefined;
  const block = await view.getBlockByVersion(version);
  const [stored] = await view.getRecords(version, 1, 1);
  if (block?.lastVersion !== version || stored === undefined) return undefined;
  return computeWaypoint({
    epoch: block.epoch,
    accumulatorRoot: decodeRecord(stored.bytes).accumulatorRoot,
    version,
    timestampUsec: block.timestampUsec,
    nextEpoch: nextEpochOf(stored.bytes),
  });
}
