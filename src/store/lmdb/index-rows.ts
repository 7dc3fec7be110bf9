// The index table of the LMDB engine. A row is added once and stays while its item exists, so the many updates of items
// cost one lookup each and change no page.
//
// owner (33), place (32)   -> data
// 0xff, version (8)        -> (owner (33), place (32), key hash (32)) of each row whose item this version deleted
import { isTransactionRow, storedTransactionRows } from "../../ledger/indexes/transaction-rows.ts";
import type { OwnedKey, OwnedPage } from "../../ledger/view.ts";
import type { IndexRow } from "../contract.ts";
import { StoreError } from "../errors.ts";
import type { FastTable } from "./native.ts";
import { openRow, putRow } from "./sealed-rows.ts";
import { HASH_BYTES, ITEM_KEY_BYTES, numberKey, type Table, type Tables, writeLatestKey } from "./tables.ts";

const OWNER_BYTES = 33;
const PLACE_BYTES = 32;
/** Bytes of the key of a row. */
export const ROW_KEY_BYTES = OWNER_BYTES + PLACE_BYTES;
const DELETED_BYTES = ROW_KEY_BYTES + HASH_BYTES;
/** First byte of the rows of deletions; above every kind of owner. */
const DELETED = 0xff;

function deletedKey(version: bigint): Buffer {
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
  if (index === undefined) return;
  const itemKey = Buffer.alloc(ITEM_KEY_BYTES);
  // Read first, then remove: removals invalidate a cursor.
  const found = [...index.getRange({ start: deletedKey(0n), end: deletedKey(below) })];
  for (const { key, value: row } of found) {
    const value = openRow(Buffer.from(key), row);
    if (value.length % DELETED_BYTES !== 0) throw new StoreError("corrupt", "a row of the index is damaged");
    for (let at = 0; at < value.length; at += DELETED_BYTES) {
      writeLatestKey(itemKey, value.subarray(at + ROW_KEY_BYTES, at + DELETED_BYTES));
      // An item that was created again keeps its row.
      if (items.get(itemKey) === undefined) index.removeSync(value.subarray(at, at + ROW_KEY_BYTES));
    }
    index.removeSync(key);
  }
}

/** Removes the rows of a record's transaction. Call inside a write transaction. */
export function removeTransactionRows(index: Table, version: bigint, record: Uint8Array): void {
  const key = Buffer.alloc(ROW_KEY_BYTES);
  for (const row of storedTransactionRows(version, record)) {
    writeRowKey(key, row);
    index.removeSync(key);
  }
}

/** Removes the given rows, and those of deletions above a version. Call inside a write transaction. */
export function removeIndexRows(
  { index }: Tables,
  rows: readonly Pick<IndexRow, "owner" | "place">[],
  version: bigint,
): void {
  if (index === undefined) return;
  const key = Buffer.alloc(ROW_KEY_BYTES);
  for (const row of rows) {
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
