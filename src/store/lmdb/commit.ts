// Writing a batch: items with their older values, the stale index, blocks, records, tree nodes and position.
// Runs inside one write transaction, so a fault anywhere leaves nothing behind.
import type { Position } from "../../ledger/position.ts";
import { toStoredPosition } from "../commit-check.ts";
import type { CommitBatch, SideRow, StateWrite } from "../contract.ts";
import { StoreError } from "../errors.ts";
import type { FastTable } from "./native.ts";
import { encodeBlock, encodePosition } from "./position-row.ts";
import {
  ITEM_KEY_BYTES,
  META,
  numberKey,
  STALE_BYTES,
  type Tables,
  VERSION_BYTES,
  writeLatestKey,
  writeOlderKey,
  writeStaleEntry,
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
  for (const { key, value } of batch.treeNodes) {
    if (value === undefined) tables.tree.removeSync(key);
    else tables.tree.putSync(key, toBuffer(value));
  }
  if (batch.sideRows !== undefined) writeSideRows(tables, batch.sideRows);
  const position = toStoredPosition(batch, head);
  tables.meta.putSync(META.position, toBuffer(encodePosition(position)));
}

/** Writes rows beside the state. To be called inside a write transaction. */
export function writeSideRows(tables: Tables, rows: readonly SideRow[]): void {
  for (const { key, value } of rows) {
    if (value === undefined) tables.side.removeSync(key);
    else tables.side.putSync(key, toBuffer(value));
  }
}

/** A key written often in one batch gets its newest row once; what lies between becomes older rows. */
function writeItems(tables: Tables, items: FastTable, writes: readonly StateWrite[]): void {
  const newest = new Map<string, StateWrite>();
  const key = Buffer.alloc(ITEM_KEY_BYTES);
  const stale = new StaleRows(tables);
  for (const write of writes) {
    const { keyHash, version, value } = write;
    stale.moveTo(version);
    const name = Buffer.from(keyHash.buffer, keyHash.byteOffset, keyHash.byteLength).toString("latin1");
    const before = newest.get(name);
    if (before !== undefined) {
      if (before.version === version) {
        throw new StoreError("order", `two writes of one key at version ${version}`);
      }
      writeOlderKey(key, keyHash, before.version);
      tables.items.putSync(key, before.value === undefined ? EMPTY : toBuffer(before.value));
      stale.add(keyHash, before.version);
    } else {
      writeLatestKey(key, keyHash);
      const row = items.getBinaryFast(key);
      if (row !== undefined) {
        const rowVersion = readVersion(row);
        writeOlderKey(key, keyHash, rowVersion);
        tables.items.putSync(key, toBuffer(row.subarray(VERSION_BYTES, items.lastSize)));
        stale.add(keyHash, rowVersion);
      }
    }
    if (value === undefined) stale.add(keyHash, version);
    newest.set(name, write);
  }
  stale.finish();
  writeLatest(tables, newest.values());
}

function writeLatest(tables: Tables, writes: Iterable<StateWrite>): void {
  // lmdb copies inside the call, so one buffer serves all rows.
  let scratch = Buffer.allocUnsafeSlow(4096);
  const key = Buffer.alloc(ITEM_KEY_BYTES);
  for (const { keyHash, version, value } of writes) {
    const length = VERSION_BYTES + (value?.length ?? 0);
    if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * length);
    scratch.writeBigUInt64BE(version);
    if (value !== undefined) scratch.set(value, VERSION_BYTES);
    writeLatestKey(key, keyHash);
    tables.items.putSync(key, scratch.subarray(0, length));
  }
}

/** Gathers what each version supersedes into one row. */
class StaleRows {
  readonly #tables: Tables;
  #version = 0n;
  #buffer = Buffer.allocUnsafeSlow(64 * STALE_BYTES);
  #length = 0;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  moveTo(version: bigint): void {
    if (version === this.#version) return;
    this.finish();
    this.#version = version;
  }

  add(keyHash: Uint8Array, version: bigint): void {
    if (this.#length === this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#buffer.length);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    writeStaleEntry(this.#buffer, this.#length, keyHash, version);
    this.#length += STALE_BYTES;
  }

  finish(): void {
    if (this.#length === 0) return;
    this.#tables.stale.putSync(numberKey(this.#version), this.#buffer.subarray(0, this.#length));
    this.#length = 0;
  }
}

function readVersion(row: Uint8Array): bigint {
  return new DataView(row.buffer, row.byteOffset, VERSION_BYTES).getBigUint64(0);
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
