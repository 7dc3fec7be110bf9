// One bounded pruning step inside one write transaction: removes superseded values, then records and block rows, and
// moves the oldest version past everything removed.
import type { Position } from "../../ledger/position.ts";
import type { BlockReader } from "../block-search.ts";
import type { PruneStep } from "../contract.ts";
import { assertPruneFloor, findOldest } from "../prune-check.ts";
import { pruneIndexRows, removeTransactionRows } from "./index-rows.ts";
import { decodeBlock, encodePosition } from "./position-row.ts";
import { getRow, openRow, putRow } from "./sealed-rows.ts";
import {
  ITEM_KEY_BYTES,
  META,
  numberKey,
  olderKey,
  readStaleRow,
  type Table,
  type Tables,
  VERSION_BYTES,
  writeLatestKey,
} from "./tables.ts";

/** Prunes towards the floor. Call inside a write transaction. */
export function pruneTables(tables: Tables, position: Position, floor: bigint, maxRows: number): PruneStep {
  const readBlock: BlockReader = (height) => {
    const row = getRow(tables.blocks, numberKey(height));
    return row === undefined ? undefined : decodeBlock(height, row);
  };
  assertPruneFloor(readBlock, position, floor);
  const target = floor > position.oldestVersion ? floor : position.oldestVersion;

  const stale = removeStale(tables, target, maxRows);
  pruneIndexRows(tables, stale.reached);
  const oldest = findOldest(readBlock, position, stale.reached);
  let removed = stale.removed;
  removed += removeRecordsBelow(tables, oldest.firstVersion, maxRows - removed);
  removed += removeBelow(tables.blocks, oldest.height, maxRows - removed);
  if (oldest.firstVersion !== position.oldestVersion) {
    const moved = { ...position, oldestVersion: oldest.firstVersion, oldestBlockHeight: oldest.height };
    putRow(tables.meta, META.position, encodePosition(moved));
  }
  const done = stale.reached === target && removed < maxRows;
  return { oldestVersion: oldest.firstVersion, removed, done };
}

/** Removes values superseded below the target, whole versions at a time; `reached` is its progress. */
function removeStale(
  tables: Tables,
  target: bigint,
  maxRows: number,
): { readonly removed: number; readonly reached: bigint } {
  let removed = 0;
  let reached = 0n;
  // Read first, then remove: removals invalidate a cursor.
  const rows = [
    ...tables.stale.getRange({ start: numberKey(0n), end: numberKey(target), limit: maxRows + 1 }),
  ];
  for (const { key, value } of rows) {
    if (removed >= maxRows) return { removed, reached };
    const since = Buffer.from(key).readBigUInt64BE();
    for (const { keyHash, version } of readStaleRow(openRow(key, value))) {
      removeValue(tables, keyHash, version, version === since);
      removed++;
    }
    tables.stale.removeSync(key);
    reached = since + 1n;
  }
  return { removed, reached: rows.length > maxRows ? reached : target };
}

/** A deletion may still be the newest row of its key; every other superseded value is an older row. */
function removeValue(tables: Tables, keyHash: Uint8Array, version: bigint, isDeletion: boolean): void {
  if (isDeletion) {
    const key = Buffer.alloc(ITEM_KEY_BYTES);
    writeLatestKey(key, keyHash);
    const row = getRow(tables.items, key);
    if (row !== undefined && row.length === VERSION_BYTES && row.readBigUInt64BE() === version) {
      tables.items.removeSync(key);
      return;
    }
  }
  tables.items.removeSync(olderKey(keyHash, version));
}

/** Removes records and their rows of the index. */
function removeRecordsBelow(tables: Tables, floor: bigint, limit: number): number {
  const { index, records } = tables;
  if (index === undefined || limit <= 0) return removeBelow(records, floor, limit);
  const keys = [...records.getKeys({ start: numberKey(0n), end: numberKey(floor), limit })];
  for (const key of keys) {
    const row = getRow(records, Buffer.from(key));
    if (row !== undefined) removeTransactionRows(index, Buffer.from(key).readBigUInt64BE(), row);
    records.removeSync(key);
  }
  return keys.length;
}

function removeBelow(table: Table, floor: bigint, limit: number): number {
  if (limit <= 0) return 0;
  const keys = [...table.getKeys({ start: numberKey(0n), end: numberKey(floor), limit })];
  for (const key of keys) table.removeSync(key);
  return keys.length;
}
