// Rows of the base layer: the value of an item at some version, for a ledger whose state is only partly known. A row
// holds until the item is written. That nothing wrote it is what the stored history says: a row goes with that history.
// The first deletion of an item also leaves a row, under a separate key: the pruner may remove the deletion from the versioned
// state, and the fetched value must not reappear then.
import { toMapKey } from "../../base/bytes.ts";
import { type TrustFacts, type TrustLevel, trustAt, weakestTrust } from "../../ledger/trust.ts";
import type { LedgerPosition } from "../../ledger/view.ts";
import type { SideRow, StateWrite } from "../../store/contract.ts";
import { type BaseRow, DELETED_ITEM, type FetchedFrom, type SideRowReader } from "../side-rows.ts";

/** The last version that no stronger statement refuted. */
export function lastSoundVersion({ version, refuted }: Pick<LedgerPosition, "version" | "refuted">): bigint {
  return refuted === undefined || refuted.firstVersion > version ? version : refuted.firstVersion - 1n;
}

/** True if the history that a fetched value rests on is the one that the position ends. */
export function restsOnHistory(
  { at, rewinds }: FetchedFrom,
  position: Pick<LedgerPosition, "version" | "refuted">,
  rewoundTo: readonly bigint[],
): boolean {
  return at <= lastSoundVersion(position) && rewoundTo.slice(Number(rewinds)).every((to) => at <= to);
}

/** The level of a row at a version: read from a later state, it also rests on the history up to there. */
export function rowTrust(
  { fetched }: BaseRow,
  version: bigint,
  trust: TrustFacts["trust"],
): TrustLevel | undefined {
  if (fetched === undefined || fetched.at <= version) return fetched?.level;
  return weakestTrust(fetched.level, trustAt(trust, fetched.at));
}

/**
 * Rows for the deletions among the writes. Only a key's first deletion is stored: from it on no base row holds, and
 * the versioned state has every later write.
 */
export async function deletionRows(store: SideRowReader, writes: readonly StateWrite[]): Promise<SideRow[]> {
  const first = new Map<string, SideRow>();
  for (const { keyHash, version, value } of writes) {
    const name = toMapKey(keyHash);
    if (value !== undefined || first.has(name)) continue;
    first.set(name, DELETED_ITEM.row({ version, value: undefined, fetched: undefined }, keyHash));
  }
  const rows = [...first.values()];
  const known = await store.getSideRows(rows.map(({ key }) => key));
  return rows.filter((_, i) => known[i] === undefined);
}

/** The row visible at a version: the latest one at or before it. */
export function rowAt(version: bigint, ...rows: readonly (BaseRow | undefined)[]): BaseRow | undefined {
  let found: BaseRow | undefined;
  for (const row of rows) {
    if (row === undefined || row.version > version) continue;
    if (found === undefined || row.version > found.version) found = row;
  }
  return found;
}
