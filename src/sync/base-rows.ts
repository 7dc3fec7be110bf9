// Rows of the base layer: the value of an item at some version, for a ledger whose state is only partly known. A row
// holds until the item is written. That nothing wrote it is what the stored history says: a row goes with that history.
// The first deletion of an item also leaves a row, under a separate key: the pruner
// may remove the deletion from the versioned state, and the fetched value must not reappear then.
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { byteString, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { type TrustFacts, type TrustLevel, trustAt, trustLevelCodec, weakestTrust } from "../ledger/trust.ts";
import type { LedgerPosition } from "../ledger/view.ts";
import type { SideRow, StateWrite, Store } from "../store/contract.ts";

/** The value of an item at a version. */
export interface BaseRow {
  readonly version: bigint;
  /** BCS of the StateValue; undefined if the item did not exist. */
  readonly value: Uint8Array | undefined;
  /** Undefined for a deletion, which has the level of its version. */
  readonly fetched?: FetchedFrom | undefined;
}

/** What a fetched value rests on. */
export interface FetchedFrom {
  /** The version whose state it was read from: the history has no write of the item up to there. */
  readonly at: bigint;
  /** Of the value at that version alone. */
  readonly level: TrustLevel;
  /** How often the ledger had been rewound. */
  readonly rewinds: bigint;
}

/** First bytes of side row keys; never reused for other content. */
export const SIDE_KEYS = {
  waypoints: 2,
  deleted: 3,
  copy: 4,
  rewind: 5,
  accumulator: 6,
  signed: 7,
  treeHistory: 8,
  filled: 9,
  rewinds: 10,
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

const baseRowCodec = struct({
  version: u64,
  value: option(byteString),
  fetched: option(struct({ at: u64, level: trustLevelCodec, rewinds: u64 })),
});

export function encodeBaseRow({ version, value, fetched }: BaseRow): Uint8Array {
  return encodeWith(baseRowCodec, { version, value, fetched });
}

export function decodeBaseRow(bytes: Uint8Array): BaseRow {
  return decodeWith(baseRowCodec, bytes);
}

/** Key of the versions that the ledger was rewound to, oldest first. */
export const REWINDS_KEY = Uint8Array.of(SIDE_KEYS.rewinds);
const rewindsCodec = vector(u64);

export function decodeRewinds(row: Uint8Array | undefined): readonly bigint[] {
  return row === undefined ? [] : decodeWith(rewindsCodec, new Uint8Array(row));
}

/** The row to write before a rewind of a ledger whose state is only partly known. */
export async function rewindsRow(store: Pick<Store, "getSideRows">, to: bigint): Promise<SideRow> {
  const [row] = await store.getSideRows([REWINDS_KEY]);
  return { key: REWINDS_KEY, value: encodeWith(rewindsCodec, [...decodeRewinds(row), to]) };
}

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
