// Removes whole blocks from the head inside one write transaction: the value that each key had before them becomes its
// newest one again.
import type { Position } from "../../ledger/position.ts";
import type { RewindBatch } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { assertRewinds, toRewoundPosition } from "../removal-check.ts";
import { writeSideRows, writeTreeNodes } from "./commit.ts";
import { removeIndexRows } from "./index-rows.ts";
import { encodeNewestHead, findNewerRow, type LinkedValue, MAX_LINKS, openOlder } from "./older-values.ts";
import { decodeBlock, encodePosition } from "./position-row.ts";
import { removeRecordsFrom } from "./record-groups.ts";
import { getRow, openRow, putRow } from "./sealed-rows.ts";
import {
  ITEM_KEY_BYTES,
  META,
  numberKey,
  olderKey,
  readOlderVersion,
  readVersion,
  type Table,
  type Tables,
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
  writeTreeNodes(tables, batch.treeNodes);
  writeSideRows(tables, batch.sideRows);
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
