// From state writes to rows of the index, for commits and for building the index of a store that has none.
import { isObjectGroup, ownedRows } from "../ledger/indexes/owned-keys.ts";
import type { StateItem } from "../ledger/view.ts";
import type { IndexRow, StateWrite, Store } from "../store/contract.ts";
import { INDEX_REACH_KEY, readIndexReach } from "../store/index-reach.ts";

/** Reads items as of the version before the first of the writes. */
export type ReadBefore = (keyHashes: readonly Uint8Array[]) => Promise<readonly (StateItem | undefined)[]>;

const nameOf = (keyHash: Uint8Array): string => Buffer.from(keyHash).toString("latin1");

/**
 * The values that deletions of object groups delete, by write: only they tell to which account a store belonged. Groups are
 * rarely deleted, so most calls read nothing.
 */
async function deletedGroups(
  writes: readonly StateWrite[],
  readBefore: ReadBefore,
): Promise<ReadonlyMap<StateWrite, Uint8Array>> {
  const values = new Map<StateWrite, Uint8Array>();
  const isDeletion = ({ key, value }: StateWrite): boolean =>
    value === undefined && key !== undefined && isObjectGroup(key);
  const deletions = writes.filter(isDeletion);
  if (deletions.length === 0) return values;
  const before = await readBefore(deletions.map(({ keyHash }) => keyHash));
  const latest = new Map<string, Uint8Array | undefined>();
  for (const [i, { keyHash }] of deletions.entries()) latest.set(nameOf(keyHash), before[i]?.value);
  for (const write of writes) {
    const name = nameOf(write.keyHash);
    if (!latest.has(name)) continue;
    const deleted = write.value === undefined ? latest.get(name) : undefined;
    if (deleted !== undefined) values.set(write, deleted);
    latest.set(name, write.value);
  }
  return values;
}

/** The index rows of writes, in their order. Writes without a key give none. */
export async function indexRowsOf(
  writes: readonly StateWrite[],
  readBefore: ReadBefore,
): Promise<IndexRow[]> {
  const deleted = await deletedGroups(writes, readBefore);
  const rows: IndexRow[] = [];
  for (const write of writes) {
    const { key, keyHash, version, value } = write;
    if (key === undefined) continue;
    const isDeletion = value === undefined;
    for (const { owner, place, data } of ownedRows(key, keyHash, value ?? deleted.get(write))) {
      rows.push({ owner, place, data, keyHash, version, isDeletion });
    }
  }
  return rows;
}

/** The version up to which a store is indexed; undefined if it has no index. */
export async function loadIndexReach(store: Store): Promise<bigint | undefined> {
  return readIndexReach((await store.getSideRows([INDEX_REACH_KEY]))[0]);
}
