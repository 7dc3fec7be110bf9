// Rows of the base layer: what an item was as of some version, for a ledger whose state is not known whole. A
// row holds until the item is written. A deletion leaves a row of its own, under its own key, because the
// pruner may remove the deletion from the versioned state and what was before it must not come back.
import { BcsReader } from "../bcs/reader.ts";
import { BcsWriter } from "../bcs/writer.ts";
import type { SideRow, StateWrite } from "../store/contract.ts";

/** What an item was as of a version. */
export interface BaseRow {
  readonly version: bigint;
  /** BCS of the StateValue; undefined when there was none. */
  readonly value: Uint8Array | undefined;
}

/** First bytes of the keys of side rows; never reused for another content. */
export const SIDE_KEYS = { filled: 1, waypoints: 2, deleted: 3, copy: 4 } as const;

/** Key of an item's row: what was fetched, or what was deleted. */
export function baseRowKey(kind: "filled" | "deleted", keyHash: Uint8Array): Uint8Array {
  const key = new Uint8Array(1 + keyHash.length);
  key[0] = SIDE_KEYS[kind];
  key.set(keyHash, 1);
  return key;
}

/** Bytes of a row. */
export function encodeBaseRow(row: BaseRow): Uint8Array {
  const writer = new BcsWriter(16 + (row.value?.length ?? 0)).u64(row.version).bool(row.value !== undefined);
  return (row.value === undefined ? writer : writer.byteString(row.value)).take();
}

/** The row that the bytes hold. */
export function decodeBaseRow(bytes: Uint8Array): BaseRow {
  const reader = new BcsReader(bytes);
  const version = reader.u64();
  const value = reader.some() ? reader.byteString() : undefined;
  reader.finish();
  return { version, value };
}

/** Rows for the deletions among the writes; the last one of a key counts. */
export function deletionRows(writes: readonly StateWrite[]): SideRow[] {
  const rows = new Map<string, SideRow>();
  for (const { keyHash, version, value } of writes) {
    if (value !== undefined) continue;
    rows.set(Buffer.from(keyHash).toString("latin1"), {
      key: baseRowKey("deleted", keyHash),
      value: encodeBaseRow({ version, value: undefined }),
    });
  }
  return [...rows.values()];
}

/** The row that a version sees: of those at or before it, the later one. */
export function rowAt(version: bigint, ...rows: readonly (BaseRow | undefined)[]): BaseRow | undefined {
  let found: BaseRow | undefined;
  for (const row of rows) {
    if (row === undefined || row.version > version) continue;
    if (found === undefined || row.version > found.version) found = row;
  }
  return found;
}
