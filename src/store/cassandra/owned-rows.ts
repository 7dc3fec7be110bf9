// Writes the index of a ledger in a cluster. A row has no version and no term: the same row may be written again, and a row
// that no commit needed does no harm, since readers look up every item. The timestamps of rows and removals are the versions
// of the writes, so a removal of a pruned deletion never removes the row of a later creation, in whatever order they arrive
// and whatever the clocks say.
//
// A read walks over the removals between the rows that it finds, and Cassandra ends one that meets too many. So the rows of
// an item are removed as the whole gap between their neighbours that are left: there is one removal in a gap, however many
// rows went there. Rows of transactions go in the order of their places: one removal from an owner's beginning.
import { mapSome } from "../../base/map-some.ts";
import type { IndexRow } from "../contract.ts";
import { asBuffer, type Tables } from "./tables.ts";
import type { Request } from "./writes.ts";

/** Gaps that are looked for at once. */
const LOOKS_AT_ONCE = 16;

/** Cassandra takes no timestamp of zero for granted. */
function timestampOf(version: bigint): bigint {
  return version + 1n;
}

function partitionOf(owner: Buffer): string {
  return `o${owner.toString("latin1")}`;
}

/** The rows of items that were written; deletions add none. */
export function planOwned({ statements, ledger }: Tables, rows: readonly IndexRow[]): readonly Request[] {
  const requests: Request[] = [];
  for (const { owner: ownerBytes, place, data, version, isDeletion } of rows) {
    if (isDeletion) continue;
    const owner = asBuffer(ownerBytes);
    const values = [ledger, owner, asBuffer(place), asBuffer(data), timestampOf(version)];
    requests.push({ query: statements.putOwned, values, partition: partitionOf(owner) });
  }
  return requests;
}

/** Key of a row. */
export interface OwnedPlace {
  readonly owner: Buffer;
  readonly place: Buffer;
}

/** A row to remove: its item was deleted at the version, or its record is of the version. */
export interface OwnedRemoval extends OwnedPlace {
  readonly version: bigint;
}

/** Removes rows one by one. */
export function planOwnedRemovals(
  { statements, ledger }: Tables,
  removals: readonly OwnedRemoval[],
): readonly Request[] {
  return removals.map(({ owner, place, version }) => ({
    query: statements.dropOwned,
    values: [timestampOf(version), ledger, owner, place],
    partition: partitionOf(owner),
  }));
}

/** Removes all rows of owners up to the last of the given places. Only for rows that go in the order of their places. */
export function planOwnedUpTo(
  { statements, ledger }: Tables,
  removals: readonly OwnedRemoval[],
): readonly Request[] {
  return [...byOwner(removals).values()].map((ofOwner) => {
    const { owner, place, version } = lastOf(ofOwner);
    return { query: statements.dropOwnedUpTo, values: [timestampOf(version), ledger, owner, place] };
  });
}

/**
 * Removes the gaps that the given rows leave, which must be removed already. Every row of a version up to the last of these
 * removals must be in the index: one that is written afterwards would be removed with the gap.
 */
export async function planGaps(
  tables: Tables,
  removals: readonly OwnedRemoval[],
): Promise<readonly Request[]> {
  const runs: OwnedRemoval[][] = [];
  for (const ofOwner of byOwner(removals).values()) {
    const length = Math.ceil(ofOwner.length / LOOKS_AT_ONCE);
    for (let i = 0; i < ofOwner.length; i += length) runs.push(ofOwner.slice(i, i + length));
  }
  const planned = await mapSome(runs, LOOKS_AT_ONCE, (run) => gapsOf(tables, run));
  return planned.flat();
}

async function gapsOf(
  { session, statements, ledger }: Tables,
  run: readonly OwnedRemoval[],
): Promise<readonly Request[]> {
  const gaps: Request[] = [];
  const { version } = lastOf(run);
  let next: Buffer | undefined;
  for (const [i, { owner, place }] of run.entries()) {
    if (i > 0 && (next === undefined || Buffer.compare(place, next) < 0)) continue;
    const of = [ledger, owner, place];
    const [[above], [below]] = await Promise.all([
      session.read(statements.ownedAfter, of),
      session.read(statements.ownedBefore, of),
    ]);
    next = Buffer.isBuffer(above?.place) ? above.place : undefined;
    const before = Buffer.isBuffer(below?.place) ? below.place : Buffer.alloc(0);
    const ends = next === undefined ? [] : [next];
    gaps.push({
      query: next === undefined ? statements.dropOwnedAfter : statements.dropOwnedBetween,
      values: [timestampOf(version), ledger, owner, before, ...ends],
    });
    if (next === undefined) break;
  }
  return gaps;
}

/** The removals of each owner in the order of their places. */
function byOwner(removals: readonly OwnedRemoval[]): ReadonlyMap<string, OwnedRemoval[]> {
  const owners = new Map<string, OwnedRemoval[]>();
  for (const removal of removals) {
    const name = removal.owner.toString("latin1");
    const known = owners.get(name);
    if (known === undefined) owners.set(name, [removal]);
    else known.push(removal);
  }
  for (const known of owners.values()) known.sort((a, b) => Buffer.compare(a.place, b.place));
  return owners;
}

/** The last place, with the latest version of all. */
function lastOf(removals: readonly OwnedRemoval[]): OwnedRemoval {
  const last = removals.at(-1);
  if (last === undefined) throw new Error("expected removals");
  let { version } = last;
  for (const one of removals) if (one.version > version) version = one.version;
  return { ...last, version };
}
