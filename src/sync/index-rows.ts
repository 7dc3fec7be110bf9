// From state writes to rows of the index, for commits and for building the index of a store that has none.
import { toMapKey } from "../base/bytes.ts";
import { HASH_LENGTH } from "../ledger/hash.ts";
import { isObjectGroup, ownedRows } from "../ledger/indexes/owned-keys.ts";
import { transactionRows } from "../ledger/indexes/transaction-rows.ts";
import type { StateItem } from "../ledger/view.ts";
import type { IndexRow, RawRecord, StateWrite } from "../store/contract.ts";

/** Reads items as of the version before the first of the writes. */
export type ReadBefore = (keyHashes: readonly Uint8Array[]) => Promise<readonly (StateItem | undefined)[]>;

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
  if (!writes.some(isDeletion)) return values;
  const deletions = writes.filter(isDeletion);
  const before = await readBefore(deletions.map(({ keyHash }) => keyHash));
  const latest = new Map<string, Uint8Array | undefined>();
  for (const [i, { keyHash }] of deletions.entries()) latest.set(toMapKey(keyHash), before[i]?.value);
  for (const write of writes) {
    const name = toMapKey(write.keyHash);
    if (!latest.has(name)) continue;
    const deleted = write.value === undefined ? latest.get(name) : undefined;
    if (deleted !== undefined) values.set(write, deleted);
    latest.set(name, write.value);
  }
  return values;
}

/** Recent hashes, each whole, by their first two bytes: a newer one replaces the older one there. One flat buffer. */
export class RecentHashes {
  readonly #bytes: Uint8Array;

  /** At most 65,536. */
  constructor(count: number) {
    this.#bytes = new Uint8Array(count * HASH_LENGTH);
  }

  has(hash: Uint8Array): boolean {
    const start = this.#placeOf(hash);
    for (let i = 0; i < HASH_LENGTH; i++) if (this.#bytes[start + i] !== hash[i]) return false;
    return true;
  }

  add(hash: Uint8Array): void {
    this.#bytes.set(hash, this.#placeOf(hash));
  }

  /** Forgets what is in the place of a hash. */
  remove(hash: Uint8Array): void {
    const start = this.#placeOf(hash);
    this.#bytes.fill(0, start, start + HASH_LENGTH);
  }

  #placeOf(hash: Uint8Array): number {
    return ((((hash[0] ?? 0) << 8) | (hash[1] ?? 0)) * HASH_LENGTH) % this.#bytes.length;
  }
}

/**
 * Makes index rows. Remembers recent items whose rows it made: most writes update an item, and its rows are stored already.
 * Unusable after a failed write.
 */
export class IndexRowMaker {
  /** Items whose rows were made. */
  readonly #known = new RecentHashes(65_536);

  /** The rows of writes that may be missing, in the order of the writes. Writes without a key give none. */
  async rowsOf(writes: readonly StateWrite[], readBefore: ReadBefore): Promise<IndexRow[]> {
    const deleted = await deletedGroups(writes, readBefore);
    const rows: IndexRow[] = [];
    for (const write of writes) {
      const { key, keyHash, version, value } = write;
      if (key === undefined) continue;
      const isDeletion = value === undefined;
      const isKnown = this.#known.has(keyHash);
      if (isKnown && !isDeletion) continue;
      if (isKnown) this.#known.remove(keyHash);
      const made = ownedRows(key, keyHash, value ?? deleted.get(write));
      for (const { owner, place, data } of made)
        rows.push({ owner, place, data, keyHash, version, isDeletion });
      // A store may be added to an object later, so a group without one is looked at again.
      if (!isDeletion && (made.length > 1 || !isObjectGroup(key))) this.#known.add(keyHash);
    }
    return rows;
  }
}

/** The rows of records in the index of transactions. Transaction hashes that are not given are read from the records. */
export function transactionIndexRows(
  records: readonly RawRecord[],
  hashes: readonly Uint8Array[] = [],
): IndexRow[] {
  const rows: IndexRow[] = [];
  for (const [i, { version, bytes }] of records.entries()) {
    for (const { owner, place, data } of transactionRows(version, bytes, hashes[i])) {
      rows.push({ owner, place, data, keyHash: place, version, isDeletion: false });
    }
  }
  return rows;
}
