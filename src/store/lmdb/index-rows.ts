// The index table of the LMDB engine. A row is added once and stays while its item exists, so the many updates of items
// cost one lookup each and change no page.
//
// owner (33), place (32)   -> data
// 0xff, version (8)        -> (owner (33), place (32), key hash (32)) of each row whose item this version deleted

import { numberKey, readNumber } from "../../base/bytes.ts";
import { isTransactionRow, storedTransactionRows } from "../../ledger/indexes/transaction-rows.ts";
import type { OwnedKey, OwnedPage } from "../../ledger/view.ts";
import type { IndexRow } from "../contract.ts";
import { StoreError } from "../errors.ts";
import type { FastTable } from "./native.ts";
import { openRow, putRow } from "./sealed-rows.ts";
import {
  HASH_BYTES,
  ITEM_KEY_BYTES,
  type Table,
  type Tables,
  VERSION_BYTES,
  writeLatestKey,
} from "./tables.ts";

const OWNER_BYTES = 33;
const PLACE_BYTES = 32;
/** Bytes of the key of a row. */
export const ROW_KEY_BYTES = OWNER_BYTES + PLACE_BYTES;
const DELETED_BYTES = ROW_KEY_BYTES + HASH_BYTES;
/** First byte of the rows of deletions; above every kind of owner. */
const DELETED = 0xff;

/** The key of the row of a version's deletions. */
export function deletedKey(version: bigint): Buffer {
  return Buffer.concat([Uint8Array.of(DELETED), numberKey(version)]);
}

/** Writes the key of a row. */
export function writeRowKey(target: Buffer, { owner, place }: Pick<IndexRow, "owner" | "place">): void {
  target.set(owner, 0);
  target.set(place, OWNER_BYTES);
}

/** Adds rows. Call inside a write transaction. */
export function writeIndexRows(index: Table, fast: FastTable, rows: readonly IndexRow[]): void {
  const key = Buffer.alloc(ROW_KEY_BYTES);
  const deleted = new Map<bigint, Buffer[]>();
  for (const row of rows) {
    writeRowKey(key, row);
    // The row of a transaction is new; any other is most likely there.
    if (isTransactionRow(row) || fast.getBinaryFast(key) === undefined) putRow(index, key, row.data);
    if (!row.isDeletion) continue;
    const entry = Buffer.concat([key, row.keyHash]);
    const entries = deleted.get(row.version);
    if (entries === undefined) deleted.set(row.version, [entry]);
    else entries.push(entry);
  }
  for (const [version, entries] of deleted) putRow(index, deletedKey(version), Buffer.concat(entries));
}

/**
 * Removes the rows of items that were deleted below a version and are gone: call it after their deletions were removed,
 * inside the same write transaction.
 */
export function pruneIndexRows({ index, items }: Tables, below: bigint): void {
  const itemKey = Buffer.alloc(ITEM_KEY_BYTES);
  // Read first, then remove: removals invalidate a cursor.
  const found = [...index.getRange({ start: deletedKey(0n), end: deletedKey(below) })];
  const rowKey = Buffer.alloc(ROW_KEY_BYTES);
  for (const { key, value } of found) {
    for (const row of readDeleted(openRow(Buffer.from(key), value))) {
      writeLatestKey(itemKey, row.keyHash);
      writeRowKey(rowKey, row);
      // An item that was created again keeps its row.
      if (!items.doesExist(itemKey)) index.removeSync(rowKey);
    }
    index.removeSync(key);
  }
}

/** A row whose item was deleted. */
export type DeletedRow = Pick<IndexRow, "owner" | "place" | "keyHash">;

function readDeleted(value: Uint8Array): DeletedRow[] {
  if (value.length % DELETED_BYTES !== 0) throw new StoreError("corrupt", "a row of the index is damaged");
  const rows: DeletedRow[] = [];
  for (let at = 0; at < value.length; at += DELETED_BYTES) {
    rows.push({
      owner: value.subarray(at, at + OWNER_BYTES),
      place: value.subarray(at + OWNER_BYTES, at + ROW_KEY_BYTES),
      keyHash: value.subarray(at + ROW_KEY_BYTES, at + DELETED_BYTES),
    });
  }
  return rows;
}

/** The deletions of a version that the pruner will ask for; undefined for any other row. */
export function toDeletedRows(
  key: Uint8Array,
  value: Uint8Array,
): { readonly version: bigint; readonly rows: readonly DeletedRow[] } | undefined {
  if (key[0] !== DELETED) return undefined;
  if (key.length !== 1 + VERSION_BYTES) throw new StoreError("corrupt", "a row of the index is damaged");
  return { version: readNumber(key, 1), rows: readDeleted(value) };
}

/** Removes the rows of a record's transaction. Call inside a write transaction. */
export function removeTransactionRows(index: Table, version: bigint, record: Uint8Array): void {
  const key = Buffer.alloc(ROW_KEY_BYTES);
  for (const row of storedTransactionRows(version, record)) {
    writeRowKey(key, row);
    index.removeSync(key);
  }
}

/**
 * Removes the given rows of items that are gone, and those of deletions above a version. Call it after the items were
 * removed, inside the same write transaction.
 */
export function removeIndexRows(
  { index, items }: Tables,
  rows: readonly DeletedRow[],
  version: bigint,
): void {
  const [key, itemKey] = [Buffer.alloc(ROW_KEY_BYTES), Buffer.alloc(ITEM_KEY_BYTES)];
  for (const row of rows) {
    writeLatestKey(itemKey, row.keyHash);
    if (items.doesExist(itemKey)) continue;
    writeRowKey(key, row);
    index.removeSync(key);
  }
  for (const above of [...index.getKeys({ start: deletedKey(version + 1n) })]) index.removeSync(above);
}

/** The rows of an owner, in order. */
export function listIndexRows(
  index: Table,
  owner: Uint8Array,
  { after, limit }: OwnedPage,
  options: object,
): readonly OwnedKey[] {
  const start = after === undefined ? Buffer.from(owner) : Buffer.concat([owner, after, Uint8Array.of(0)]);
  const end = Buffer.concat([owner, Buffer.alloc(PLACE_BYTES + 1, 0xff)]);
  const found: OwnedKey[] = [];
  for (const { key, value } of index.getRange({ ...options, start, end, limit })) {
    const rowKey = Buffer.from(key);
    found.push({ place: rowKey.subarray(OWNER_BYTES), data: openRow(rowKey, value) });
  }
  return found;
}

/** A row with its owner; undefined for the rows of deletions, which come last. */
export function toIndexRow(
  key: Uint8Array,
  value: Uint8Array,
): (OwnedKey & { owner: Uint8Array }) | undefined {
  if (key[0] === DELETED) return undefined;
  if (key.length !== ROW_KEY_BYTES) throw new StoreError("corrupt", "a row of the index is damaged");
  return { owner: key.slice(0, OWNER_BYTES), place: key.slice(OWNER_BYTES), data: value.slice() };
}
