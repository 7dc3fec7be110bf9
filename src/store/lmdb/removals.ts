// Removes versions inside one write transaction. A bounded pruning step moves the oldest version to the floor and removes
// rows below it, first superseded values, then records and block rows; what the first step leaves is invisible already. A
// rewind removes whole blocks from the head: the value that each key had before them becomes its newest one again.
import { numberKey } from "../../base/bytes.ts";
import { toHex } from "../../base/hex.ts";
import type { Position } from "../../ledger/position.ts";
import type { BlockReader } from "../block-search.ts";
import { assertRewinds, findOldest, toRewoundPosition } from "../commit-check.ts";
import type { PruneStep, RewindBatch } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { writeRows } from "./commit.ts";
import { pruneIndexRows, removeIndexRows, removeTransactionRows } from "./index-rows.ts";
import { encodeNewestHead, findNewerRow, type LinkedValue, MAX_LINKS, openOlder } from "./older-values.ts";
import { decodeBlock, encodePosition } from "./position-row.ts";
import { removeRecordsBelow, removeRecordsFrom } from "./record-groups.ts";
import { getRow, openRow, putRow } from "./sealed-rows.ts";
import {
  ITEM_KEY_BYTES,
  META,
  olderKey,
  readOlderVersion,
  readStaleRow,
  readVersion,
  type Table,
  type Tables,
  VERSION_BYTES,
  writeLatestKey,
} from "./tables.ts";

/** Rewinds by one checked batch. Call inside a write transaction. */
export function rewindTables(tables: Tables, head: Position, batch: RewindBatch): void {
  const { version, blockHeight } = batch.position;
  const next = blockHeight + 1n;
  const row = getRow(tables.blocks, numberKey(next));
  assertRewinds(batch, head, row === undefined ? undefined : decodeBlock(next, row));
  for (const keyHash of batch.keyHashes) rewindItem(tables, keyHash, version);
  removeIndexRows(tables, batch.index, version);
  removeFrom(tables.stale, version + 1n);
  removeRecordsFrom(tables.records, version + 1n);
  removeFrom(tables.blocks, next);
  writeRows(tables.tree, batch.treeNodes);
  writeRows(tables.side, batch.sideRows);
  putRow(tables.meta, META.position, encodePosition(toRewoundPosition(batch, head)));
}

/** Removes the values of a key above a version; the value at the version becomes the newest. */
function rewindItem(tables: Tables, keyHash: Uint8Array, version: bigint): void {
  const latestKey = Buffer.alloc(ITEM_KEY_BYTES);
  writeLatestKey(latestKey, keyHash);
  const latest = getRow(tables.items, latestKey);
  if (latest === undefined) throw new StoreError("corrupt", "a key that a record writes has no value");
  const latestVersion = readVersion(latest);
  if (latestVersion <= version) return;
  // Read first, then remove: removals invalidate a cursor. Later versions sort first.
  const above = [
    ...tables.items.getKeys({ start: olderKey(keyHash, latestVersion), end: olderKey(keyHash, version) }),
  ];
  const [older] = [
    ...tables.items.getRange({
      start: olderKey(keyHash, version),
      end: olderKey(keyHash, 0n),
      inclusiveEnd: true,
      limit: 1,
    }),
  ];
  // It may rest on those above it.
  const restored = older && openOlderRow(tables, keyHash, older.key, older.value);
  for (const key of above) tables.items.removeSync(key);
  if (older === undefined || restored === undefined) {
    tables.items.removeSync(latestKey);
    return;
  }
  putRow(tables.items, latestKey, restored.value, encodeNewestHead(restored));
  tables.items.removeSync(older.key);
}

function openOlderRow({ items }: Tables, keyHash: Uint8Array, key: Uint8Array, row: Buffer): LinkedValue {
  const version = readOlderVersion(Buffer.from(key));
  const readRow = (newer: Uint8Array): Buffer | undefined => getRow(items, newer);
  const value = openOlder(version, openRow(key, row), (newer) => findNewerRow(keyHash, newer, readRow));
  // How many values rest on it is not known: the most, so that no more do.
  return { version, value, links: MAX_LINKS };
}

function removeFrom(table: Table, first: bigint): void {
  for (const key of [...table.getKeys({ start: numberKey(first) })]) table.removeSync(key);
}

/** Prunes towards the floor. Call inside a write transaction. */
export function pruneTables(tables: Tables, position: Position, floor: bigint, maxRows: number): PruneStep {
  const readBlock: BlockReader = (height) => {
    const row = getRow(tables.blocks, numberKey(height));
    return row === undefined ? undefined : decodeBlock(height, row);
  };
  const oldest = findOldest(readBlock, position, floor);
  const target = oldest.firstVersion;
  if (target !== position.oldestVersion) {
    const moved = { ...position, oldestVersion: target, oldestBlockHeight: oldest.height };
    putRow(tables.meta, META.position, encodePosition(moved));
  }
  const stale = removeStale(tables, target, maxRows);
  pruneIndexRows(tables, stale.reached);
  let removed = stale.removed;
  removed += removeRecordsBelow(tables.records, target, maxRows - removed, ({ version, bytes }) =>
    removeTransactionRows(tables.index, version, bytes),
  );
  removed += removeBelow(tables.blocks, oldest.height, maxRows - removed);
  const done = stale.reached === target && removed < maxRows;
  return { oldestVersion: target, removed, done };
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
      removeValue(tables, keyHash, version, since);
      removed++;
    }
    tables.stale.removeSync(key);
    reached = since + 1n;
  }
  return { removed, reached: rows.length > maxRows ? reached : target };
}

/**
 * Removes a value that is superseded at a version, or a deletion at its own. Throws StoreError `corrupt` for a value that
 * is not: the entry is wrong, and readers may see the value. A deletion that was superseded has two entries; the second
 * finds it gone.
 */
function removeValue(tables: Tables, keyHash: Uint8Array, version: bigint, since: bigint): void {
  const { items } = tables;
  const older = olderKey(keyHash, version);
  if (version < since) {
    const isSuperseded =
      items.doesExist(olderKey(keyHash, since)) || readNewest(tables, keyHash)?.version === since;
    if (!isSuperseded && items.doesExist(older)) throw notSuperseded(keyHash, version, since);
    items.removeSync(older);
    return;
  }
  const newest = readNewest(tables, keyHash);
  const isNewest = newest?.version === version;
  const isDeletion = isNewest ? newest.isDeletion : (getRow(items, older)?.length ?? 0) === 0;
  if (version > since || !isDeletion) throw notSuperseded(keyHash, version, since);
  items.removeSync(isNewest ? newest.key : older);
}

function readNewest(
  { items }: Tables,
  keyHash: Uint8Array,
): { readonly key: Buffer; readonly version: bigint; readonly isDeletion: boolean } | undefined {
  const key = Buffer.alloc(ITEM_KEY_BYTES);
  writeLatestKey(key, keyHash);
  const row = getRow(items, key);
  return row && { key, version: readVersion(row), isDeletion: row.length === VERSION_BYTES };
}

function notSuperseded(keyHash: Uint8Array, version: bigint, since: bigint): StoreError {
  const name = `item ${toHex(keyHash)} as of version ${version}`;
  return new StoreError(
    "corrupt",
    `the store is damaged: ${name} is listed as superseded at version ${since}, and is not (run sextant check for details)`,
  );
}

function removeBelow(table: Table, floor: bigint, limit: number): number {
  if (limit <= 0) return 0;
  const keys = [...table.getKeys({ start: numberKey(0n), end: numberKey(floor), limit })];
  for (const key of keys) table.removeSync(key);
  return keys.length;
}
