// Writes the index of a ledger in a cluster. A row has no version and no term: the same row may be written again, and a row
// that no commit needed does no harm, since readers look up every item. The timestamps of rows and removals are the versions
// of the writes, so a removal of a pruned deletion never removes the row of a later creation, in whatever order they arrive
// and whatever the clocks say.
import type { IndexRow } from "../contract.ts";
import type { Request } from "./session.ts";
import { asBuffer, type Tables } from "./tables.ts";

/** Most rows remembered as written, at about 150 bytes each. */
const MAX_KNOWN = 65_536;

/** Cassandra takes no timestamp of zero for granted. */
function timestampOf(version: bigint): bigint {
  return version + 1n;
}

/** Plans the rows and remembers recent ones, so that updates of an item do not write its row again. */
export class OwnedRows {
  #known = new Set<string>();

  /** Forgets all rows: after a failed write it is unknown which of them exist. */
  forget(): void {
    this.#known = new Set();
  }

  plan({ statements, ledger }: Tables, rows: readonly IndexRow[]): readonly Request[] {
    const requests: Request[] = [];
    for (const { owner, place, data, version, isDeletion } of rows) {
      const name = `${asBuffer(owner).toString("latin1")}${asBuffer(place).toString("latin1")}`;
      if (isDeletion) {
        // The pruner may remove the row from here on; a later creation writes it again.
        this.#known.delete(name);
        continue;
      }
      if (this.#known.has(name)) continue;
      if (this.#known.size >= MAX_KNOWN) this.forget();
      this.#known.add(name);
      const values = [ledger, asBuffer(owner), asBuffer(place), asBuffer(data), timestampOf(version)];
      requests.push({ query: statements.putOwned, values });
    }
    return requests;
  }
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
