// Writes the index of a ledger in a cluster. A row has no version and no term: the same row may be written again, and a row
// that no commit needed does no harm, since readers look up every item. The timestamps of rows and removals are the versions
// of the writes, so a removal of a pruned deletion never removes the row of a later creation, in whatever order they arrive
// and whatever the clocks say.
import type { IndexRow } from "../contract.ts";
import type { Request } from "./session.ts";
import { asBuffer, type Tables } from "./tables.ts";

/** Cassandra takes no timestamp of zero for granted. */
function timestampOf(version: bigint): bigint {
  return version + 1n;
}

/** The rows of items that were written; deletions add none. */
export function planOwned({ statements, ledger }: Tables, rows: readonly IndexRow[]): readonly Request[] {
  const requests: Request[] = [];
  for (const { owner, place, data, version, isDeletion } of rows) {
    if (isDeletion) continue;
    const values = [ledger, asBuffer(owner), asBuffer(place), asBuffer(data), timestampOf(version)];
    requests.push({ query: statements.putOwned, values });
  }
  return requests;
}

/** Removes rows of an item whose deletion at the version is pruned. */
export function planOwnedRemovals(
  { statements, ledger }: Tables,
  owned: readonly OwnedPlace[],
  version: bigint,
): readonly Request[] {
  return owned.map(({ owner, place }) => ({
    query: statements.dropOwned,
    values: [timestampOf(version), ledger, owner, place],
  }));
}

/** Key of a row. */
export interface OwnedPlace {
  readonly owner: Buffer;
  readonly place: Buffer;
}
