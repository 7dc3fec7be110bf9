// Rows of the base layer: the value of an item at some version, for a ledger whose state is only partly known. A row
// holds until the item is written. The first deletion of an item also leaves a row, under a separate key: the pruner
// may remove the deletion from the versioned state, and the fetched value must not reappear then.
import { BcsReader } from "../bcs/reader.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { type TrustLevel, trustLevelCodec } from "../ledger/trust.ts";
import type { SideRow, StateWrite, Store } from "../store/contract.ts";

/** The value of an item at a version. */
export interface BaseRow {
  readonly version: bigint;
  /** BCS of the StateValue; undefined if the item did not exist. */
  readonly value: Uint8Array | undefined;
  /**
   * The level at which the item was fetched. Undefined for a deletion, which has the level of its version, and for an
   * item fetched before levels were stored, which is `trusted`.
   */
  readonly level?: TrustLevel | undefined;
}

/** First bytes of side row keys; never reused for other content. */
export const SIDE_KEYS = {
  filled: 1,
  waypoints: 2,
  deleted: 3,
  copy: 4,
  rewind: 5,
  accumulator: 6,
  signed: 7,
  treeHistory: 8,
  fork: 32,
  forkAbsent: 33,
} as const;

/** Key of an item's row: `filled` holds the fetched value, `deleted` the first deletion. */
export function baseRowKey(kind: "filled" | "deleted", keyHash: Uint8Array): Uint8Array {
  const key = new Uint8Array(1 + keyHash.length);
  key[0] = SIDE_KEYS[kind];
  key.set(keyHash, 1);
  return key;
}

export function encodeBaseRow(row: BaseRow): Uint8Array {
  const writer = new BcsWriter(16 + (row.value?.length ?? 0)).u64(row.version).bool(row.value !== undefined);
  if (row.value !== undefined) writer.byteString(row.value);
  if (row.level !== undefined) trustLevelCodec.write(writer, row.level);
  return writer.take();
}

export function decodeBaseRow(bytes: Uint8Array): BaseRow {
  const reader = new BcsReader(bytes);
  const version = reader.u64();
  const value = reader.some() ? reader.byteString() : undefined;
  const level = reader.remaining === 0 ? undefined : trustLevelCodec.read(reader);
  reader.finish();
  return { version, value, level };
}

/**
 * Rows for the deletions among the writes. Only a key's first deletion is stored: from it on no base row holds, and
 * the versioned state has every later write.
 */
export async function deletionRows(store: Store, writes: readonly StateWrite[]): Promise<SideRow[]> {
  const first = new Map<string, SideRow>();
  for (const { keyHash, version, value } of writes) {
    const name = Buffer.from(keyHash).toString("latin1");
    if (value !== undefined || first.has(name)) continue;
    first.set(name, {
      key: baseRowKey("deleted", keyHash),
      value: encodeBaseRow({ version, value: undefined }),
    });
  }
  const rows = [...first.values()];
  const known = await store.getSideRows(rows.map(({ key }) => key));
  return rows.filter((_, i) => known[i] === undefined);
}

/** Removals of the rows that hold deletions above a version. */
export async function rewoundDeletionRows(
  store: Store,
  keyHashes: readonly Uint8Array[],
  version: bigint,
): Promise<SideRow[]> {
  const keys = keyHashes.map((keyHash) => baseRowKey("deleted", keyHash));
  const known = await store.getSideRows(keys);
  return keys.flatMap((key, i) => {
    const row = known[i];
    const isAbove = row !== undefined && decodeBaseRow(new Uint8Array(row)).version > version;
    return isAbove ? [{ key, value: undefined }] : [];
  });
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
