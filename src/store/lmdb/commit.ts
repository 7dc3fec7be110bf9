// Writing a batch: items with their older values, the stale index, blocks, records, tree nodes and position.
// Runs inside one write transaction, so a fault anywhere leaves nothing behind.
import { encodePosition, type Position } from "../../ledger/position.ts";
import { toStoredPosition } from "../commit-check.ts";
import type { BaseBatch, CommitBatch, SideRow, StateWrite, TreeNodeWrite } from "../contract.ts";
import { StoreError } from "../errors.ts";
import type { FastTable } from "./native.ts";
import { encodeBlock } from "./position-row.ts";
import {
  encodeStaleRow,
  ITEM_KEY_BYTES,
  META,
  numberKey,
  readVersion,
  type StaleEntry,
  type Tables,
  VERSION_BYTES,
  writeLatestKey,
  writeOlderKey,
  writeVersion,
} from "./tables.ts";

const EMPTY = Buffer.alloc(0);

/** Writes one batch. To be called inside a write transaction, after the batch was checked. */
export function writeBatch(
  tables: Tables,
  items: FastTable,
  batch: CommitBatch,
  head: Position | undefined,
): void {
  writeItems(tables, items, batch.writes);
  for (const block of batch.blocks)
    tables.blocks.putSync(numberKey(block.height), toBuffer(encodeBlock(block)));
  for (const record of batch.records)
    tables.records.putSync(numberKey(record.version), toBuffer(record.bytes));
  writeTreeNodes(tables, batch.treeNodes);
  if (batch.sideRows !== undefined) writeSideRows(tables, batch.sideRows);
  const position = toStoredPosition(batch, head);
  tables.meta.putSync(META.position, toBuffer(encodePosition(position)));
}

/** Writes a part of what the first commit builds on. To be called inside a write transaction, before that commit. */
export function writeBase(tables: Tables, base: BaseBatch): void {
  const key = Buffer.alloc(ITEM_KEY_BYTES);
  const row = new Scratch();
  for (const { keyHash, version, value } of base.writes) {
    if (value === undefined) continue;
    writeLatestKey(key, keyHash);
    tables.items.putSync(key, row.fill(version, value));
  }
  writeTreeNodes(tables, base.treeNodes);
  if (base.sideRows !== undefined) writeSideRows(tables, base.sideRows);
}

function writeTreeNodes(tables: Tables, nodes: readonly TreeNodeWrite[]): void {
  for (const { key, value } of nodes) {
    if (value === undefined) tables.tree.removeSync(key);
    else tables.tree.putSync(key, toBuffer(value));
  }
}

/** Writes rows beside the state. To be called inside a write transaction. */
export function writeSideRows(tables: Tables, rows: readonly SideRow[]): void {
  for (const { key, value } of rows) {
    if (value === undefined) tables.side.removeSync(key);
    else tables.side.putSync(key, toBuffer(value));
  }
}

/**
 * Key by key in the order of the table, so that neighbours share their pages. A key written often in one batch
 * gets its newest row once; what lies between becomes older rows.
 */
function writeItems(tables: Tables, items: FastTable, writes: readonly StateWrite[]): void {
  const stale = new Map<bigint, StaleEntry[]>();
  const addStale = (since: bigint, keyHash: Uint8Array, version: bigint): void => {
    const entries = stale.get(since);
    if (entries === undefined) stale.set(since, [{ keyHash, version }]);
    else entries.push({ keyHash, version });
  };
  const key = Buffer.alloc(ITEM_KEY_BYTES);
  const row = new Scratch();
  for (const [, ofKey] of [...groupByKey(writes)].sort(byName)) {
    let before: { readonly version: bigint; readonly value: Uint8Array } | undefined;
    for (const { keyHash, version, value } of ofKey) {
      before ??= readLatest(items, keyHash, key);
      if (before !== undefined) {
        if (before.version === version) {
          throw new StoreError("order", `two writes of one key at version ${version}`);
        }
        writeOlderKey(key, keyHash, before.version);
        tables.items.putSync(key, toBuffer(before.value));
        addStale(version, keyHash, before.version);
      }
      if (value === undefined) addStale(version, keyHash, version);
      before = { version, value: value ?? EMPTY };
    }
    const last = ofKey.at(-1);
    if (last === undefined) continue;
    writeLatestKey(key, last.keyHash);
    tables.items.putSync(key, row.fill(last.version, last.value ?? EMPTY));
  }
  for (const [since, entries] of [...stale].sort(([a], [b]) => (a < b ? -1 : 1))) {
    tables.stale.putSync(numberKey(since), encodeStaleRow(entries));
  }
}

function groupByKey(writes: readonly StateWrite[]): Map<string, StateWrite[]> {
  const groups = new Map<string, StateWrite[]>();
  for (const write of writes) {
    const name = toBuffer(write.keyHash).toString("latin1");
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [write]);
    else group.push(write);
  }
  return groups;
}

/** Order of latin1 texts is order of bytes. */
function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** The stored newest value; its bytes are good until the next read. */
function readLatest(
  items: FastTable,
  keyHash: Uint8Array,
  key: Buffer,
): { readonly version: bigint; readonly value: Uint8Array } | undefined {
  writeLatestKey(key, keyHash);
  const row = items.getBinaryFast(key);
  if (row === undefined) return undefined;
  return { version: readVersion(row), value: row.subarray(VERSION_BYTES, items.lastSize) };
}

/** lmdb copies inside the call, so one buffer serves all newest rows. */
class Scratch {
  #buffer = Buffer.allocUnsafeSlow(4096);

  fill(version: bigint, value: Uint8Array): Buffer {
    const length = VERSION_BYTES + value.length;
    if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * length);
    writeVersion(this.#buffer, version);
    this.#buffer.set(value, VERSION_BYTES);
    return this.#buffer.subarray(0, length);
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
