// Writes a batch: items with their older values, the stale index, blocks, records, tree nodes and position. Runs inside
// one write transaction, so a fault anywhere rolls back all of it.
import { compareBytes, equalBytes, numberKey } from "../../base/bytes.ts";
import type { Position } from "../../ledger/position.ts";
import { toStoredPosition } from "../commit-check.ts";
import type { BaseBatch, CommitBatch, IndexRow, SideRow, StateWrite } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { writeIndexRows } from "./index-rows.ts";
import { type FastTable, toFastTable } from "./native.ts";
import { encodeNewestHead, encodeOlder, type LinkedValue } from "./older-values.ts";
import { encodeBlock, encodePosition } from "./position-row.ts";
import { putRecords } from "./record-groups.ts";
import { checkedBytes, putRow } from "./sealed-rows.ts";
import {
  encodeStaleRow,
  ITEM_KEY_BYTES,
  META,
  NEWEST_HEAD_BYTES,
  readVersion,
  type StaleEntry,
  type Table,
  type Tables,
  VERSION_BYTES,
  writeLatestKey,
  writeOlderKey,
} from "./tables.ts";

const EMPTY = Buffer.alloc(0);

/** Writes one checked batch. Call inside a write transaction. */
export function writeBatch(
  tables: Tables,
  items: FastTable,
  batch: CommitBatch,
  head: Position | undefined,
): void {
  writeItems(tables, items, batch.writes);
  for (const block of batch.blocks) putRow(tables.blocks, numberKey(block.height), encodeBlock(block));
  putRecords(tables.records, batch.records);
  writeRows(tables.tree, batch.treeNodes);
  if (batch.index !== undefined) putIndexRows(tables, batch.index);
  writeRows(tables.side, batch.sideRows ?? []);
  const position = toStoredPosition(batch, head);
  putRow(tables.meta, META.position, encodePosition(position));
}

/** Writes a part of the state below the first commit. Call inside a write transaction, before that commit. */
export function writeBase(tables: Tables, base: BaseBatch): void {
  const key = Buffer.alloc(ITEM_KEY_BYTES);
  for (const { keyHash, version, value } of base.writes) {
    if (value === undefined) continue;
    writeLatestKey(key, keyHash);
    putRow(tables.items, key, value, encodeNewestHead({ version, value, links: 0 }));
  }
  writeRows(tables.tree, base.treeNodes);
  if (base.index !== undefined) putIndexRows(tables, base.index);
  writeRows(tables.side, base.sideRows ?? []);
}

/** Adds rows to the index. Call inside a write transaction. */
export function putIndexRows({ index }: Tables, rows: readonly IndexRow[]): void {
  writeIndexRows(index, toFastTable(index), rows);
}

/** Writes the rows of a table that have a value, and removes the others. Call inside a write transaction. */
export function writeRows(table: Table, rows: readonly SideRow[]): void {
  for (const { key, value } of rows) {
    if (value === undefined) table.removeSync(key);
    else putRow(table, key, value);
  }
}

/**
 * Writes items in key order, so that neighbours share pages. A key with several writes in one batch gets its newest row
 * once; the writes before it become older rows.
 */
function writeItems(tables: Tables, items: FastTable, writes: readonly StateWrite[]): void {
  const stale = new Map<bigint, StaleEntry[]>();
  const addStale = (since: bigint, keyHash: Uint8Array, version: bigint): void => {
    const entries = stale.get(since);
    if (entries === undefined) stale.set(since, [{ keyHash, version }]);
    else entries.push({ keyHash, version });
  };
  const key = Buffer.alloc(ITEM_KEY_BYTES);
  // The stable sort keeps the writes of one key in version order.
  const sorted = [...writes].sort(byKeyHash);
  let before: LinkedValue | undefined;
  for (let i = 0; i < sorted.length; i++) {
    const write = sorted[i];
    if (write === undefined) continue;
    const { keyHash, version, value } = write;
    before ??= readLatest(items, keyHash, key);
    const written = { version, value: value ?? EMPTY };
    let links = 0;
    if (before !== undefined) {
      if (before.version === version) {
        throw new StoreError("order", `two writes of one key at version ${version}`);
      }
      writeOlderKey(key, keyHash, before.version);
      const older = encodeOlder(before, written);
      putRow(tables.items, key, older.rest, older.head);
      links = older.links;
      addStale(version, keyHash, before.version);
    }
    if (value === undefined) addStale(version, keyHash, version);
    before = { ...written, links };
    const next = sorted[i + 1];
    if (next !== undefined && equalBytes(next.keyHash, keyHash)) continue;
    writeLatestKey(key, keyHash);
    putRow(tables.items, key, before.value, encodeNewestHead(before));
    before = undefined;
  }
  for (const [since, entries] of [...stale].sort(([a], [b]) => (a < b ? -1 : 1))) {
    putRow(tables.stale, numberKey(since), encodeStaleRow(entries));
  }
}

function byKeyHash(a: StateWrite, b: StateWrite): number {
  return compareBytes(a.keyHash, b.keyHash);
}

/** The stored newest value; its bytes are valid until the next read. */
function readLatest(items: FastTable, keyHash: Uint8Array, key: Buffer): LinkedValue | undefined {
  writeLatestKey(key, keyHash);
  const row = items.getBinaryFast(key);
  if (row === undefined) return undefined;
  const end = checkedBytes(key, row, items.lastSize);
  // Its own array, whose length is right: lmdb's shared buffer reports a wrong one.
  const content = new Uint8Array(row.buffer, row.byteOffset, end);
  return {
    version: readVersion(row),
    value: content.subarray(NEWEST_HEAD_BYTES),
    links: content[VERSION_BYTES] ?? 0,
  };
}
