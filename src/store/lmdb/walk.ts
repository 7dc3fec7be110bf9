// Walks a snapshot of a store's tables row by row, for checks of a whole store. Not part of the store
// contract: other engines need not walk across keys.

import type { Transaction } from "lmdb";
import { numberKey } from "../../base/bytes.ts";
import { errorText } from "../../base/errors.ts";
import { toHex } from "../../base/hex.ts";
import type { OwnedRow } from "../../ledger/indexes/owned-keys.ts";
import type { Position } from "../../ledger/position.ts";
import type { IndexName, StateItem } from "../../ledger/view.ts";
import type { BlockStart, RawRecord, StoreIdentity } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { INDEX_REACH_KEYS, readIndexReach } from "../index-reach.ts";
import { requireLedger } from "../read-check.ts";
import { type Environment, openEnvironment } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { deletedKey, ROW_KEY_BYTES, toDeletedRows, toIndexRow, writeRowKey } from "./index-rows.ts";
import { type FastTable, RowCursor, toFastTable } from "./native.ts";
import { findNewerRow, MAX_LINKS, openOlder } from "./older-values.ts";
import { decodeBlock, decodeIdentity, decodePosition } from "./position-row.ts";
import { decodeGroup, type RecordGroup, recordIn, versionsOf } from "./record-groups.ts";
import { checkedBytes, SUMS_BYTES } from "./sealed-rows.ts";
import {
  HASH_BYTES,
  ITEM_KEY_BYTES,
  isLatestKey,
  META,
  NEWEST_HEAD_BYTES,
  readOlderVersion,
  readStaleRow,
  readVersion,
  STALE_BYTES,
  type StaleEntry,
  type Table,
  type Tables,
  VERSION_BYTES,
  writeLatestKey,
  writeOlderKey,
} from "./tables.ts";

/** One value of one key. */
export interface ItemRow extends StateItem {
  readonly keyHash: Uint8Array;
  readonly isNewest: boolean;
}

/** Values that one version superseded. */
export interface StaleRow {
  readonly version: bigint;
  readonly entries: readonly StaleEntry[];
}

/** Approximate number of rows per table: a writer may be active. */
export type RowCounts = Readonly<Record<keyof Omit<Tables, "meta">, number>>;

/** Opens a walk over the store in a directory; another process may be writing it. */
export async function openStoreWalk(path: string): Promise<StoreWalk> {
  const environment = await openEnvironment({ path, readOnly: true, checkAllPages: true });
  const transaction = environment.root.useReadTransaction();
  try {
    return new StoreWalk(environment, transaction);
  } catch (error) {
    transaction.done();
    await environment.close();
    throw toStoreError(error, environment.path);
  }
}

/**
 * A walk over a snapshot of a store. Rows come in key order; walking over them compares their checksums, looking one up
 * does not. Values are valid until the next read, unless they say otherwise.
 */
export class StoreWalk {
  readonly identity: StoreIdentity;
  readonly position: Position;
  /** For progress only. */
  readonly counts: RowCounts;
  readonly #environment: Environment;
  readonly #tables: Tables;
  readonly #items: FastTable;
  readonly #index: FastTable;
  readonly #transaction: Transaction;
  readonly #options: { readonly transaction: Transaction };
  /** lmdb copies a key in each call. */
  readonly #itemKey = Buffer.alloc(ITEM_KEY_BYTES);
  readonly #rowKey = Buffer.alloc(ROW_KEY_BYTES);
  /** Those of walks that are not at their end. */
  readonly #cursors = new Set<RowCursor>();
  /** The buffer into which lmdb reads values. */
  #shared: Uint8Array = new Uint8Array(0);
  /** The group of records that was looked into last. */
  #group: RecordGroup | undefined;
  /** Hears of a row that does not match its checksum, and the walk goes on with its bytes; by default it ends there. */
  onDamage: ((text: string) => void) | undefined;

  /** Owns both arguments; throws LedgerError `no_ledger` for an empty store. */
  constructor(environment: Environment, transaction: Transaction) {
    const { tables } = environment;
    this.#environment = environment;
    this.#tables = tables;
    this.#items = toFastTable(tables.items);
    this.#index = toFastTable(tables.index);
    this.#transaction = transaction;
    this.#options = { transaction };
    this.#read(toFastTable(tables.meta), META.position);
    this.position = decodePosition(requireLedger(this.#get(tables.meta, META.position)));
    this.identity = decodeIdentity(requireLedger(this.#get(tables.meta, META.identity)));
    this.counts = {
      items: countRows(tables.items),
      stale: countRows(tables.stale),
      blocks: countRows(tables.blocks),
      records: Number(this.position.version - this.position.oldestVersion) + 1,
      tree: countRows(tables.tree),
      side: countRows(tables.side),
      index: countRows(tables.index),
    };
  }

  /** All values, newest first per key. */
  *items(): Generator<ItemRow> {
    for (const { key, value } of this.#range(this.#tables.items)) {
      if (key.length !== ITEM_KEY_BYTES) throw rowError("item", `key of ${key.length} bytes`);
      const keyHash = key.slice(0, HASH_BYTES);
      const isNewest = isLatestKey(key);
      if (isNewest && value.length < VERSION_BYTES) throw rowError("item", `row of ${value.length} bytes`);
      const version = isNewest ? readVersion(value) : readOlderVersion(key);
      if (isNewest && (value[VERSION_BYTES] ?? 0) > MAX_LINKS) throw rowError("item", "too many links");
      const stored = isNewest ? value.subarray(NEWEST_HEAD_BYTES) : this.#openOlder(keyHash, version, value);
      yield { keyHash, version, isNewest, value: stored.length === 0 ? undefined : stored };
    }
  }

  /** The value of an older row; a damaged one that does not decode counts as a deletion, which no check takes for sound. */
  #openOlder(keyHash: Uint8Array, version: bigint, content: Uint8Array): Uint8Array {
    try {
      return openOlder(version, content, (newer) => findNewerRow(keyHash, newer, this.#peekRow));
    } catch (error) {
      if (this.onDamage === undefined) throw error;
      this.onDamage(`item ${toHex(keyHash)} as of version ${version}: ${errorText(error)}`);
      return new Uint8Array(0);
    }
  }

  /** The value that a version wrote, if stored; `value` is undefined for a deletion. */
  peekItem(keyHash: Uint8Array, version: bigint): StateItem | undefined {
    const key = this.#itemKey;
    // Older rows first: most values of a long history are superseded.
    writeOlderKey(key, keyHash, version);
    const older = this.#peek(this.#items, key);
    if (older !== undefined) {
      const value = this.#openOlder(keyHash, version, older);
      return { version, value: value.length === 0 ? undefined : value };
    }
    const newest = this.peekNewestItem(keyHash);
    return newest?.version === version ? newest : undefined;
  }

  /** The newest value of a key, a deletion included. */
  peekNewestItem(keyHash: Uint8Array): StateItem | undefined {
    writeLatestKey(this.#itemKey, keyHash);
    const row = this.#peek(this.#items, this.#itemKey);
    if (row === undefined || row.length < VERSION_BYTES) return undefined;
    const value = row.length === VERSION_BYTES ? undefined : row.subarray(NEWEST_HEAD_BYTES);
    return { version: readVersion(row), value };
  }

  *stale(): Generator<StaleRow> {
    for (const { key, value } of this.#range(this.#tables.stale)) {
      const version = readNumberKey("stale", key);
      if (value.length === 0 || value.length % STALE_BYTES !== 0) {
        throw rowError("stale", `row of version ${version} has ${value.length} bytes`);
      }
      yield { version, entries: readStaleRow(value.slice()) };
    }
  }

  *blocks(): Generator<BlockStart> {
    for (const { key, value } of this.#range(this.#tables.blocks)) {
      yield decodeBlock(readNumberKey("block", key), value);
    }
  }

  peekRecord(version: bigint): Uint8Array | undefined {
    const { records } = this.#tables;
    if (recordIn(this.#group, version) === undefined) {
      const [row] = records.getRange({ start: numberKey(version), limit: 1, ...this.#options });
      this.#group = row && decodeGroup(row.key, row.value.subarray(0, -SUMS_BYTES));
    }
    return recordIn(this.#group, version);
  }

  /** Records, as copies. */
  *records(from = 0n): Generator<RawRecord> {
    for (const { key, value } of this.#range(this.#tables.records, numberKey(from))) {
      const group = decodeGroup(key, value);
      if (group === undefined) {
        const what = `the row of key 0x${toHex(key)} does not decode`;
        if (this.onDamage === undefined) throw rowError("record", what);
        this.onDamage(`table of records rows: ${what}`);
        continue;
      }
      for (const record of versionsOf(group)) if (record.version >= from) yield record;
    }
  }

  *sideRows(): Generator<{ readonly key: Uint8Array; readonly value: Uint8Array }> {
    yield* this.#range(this.#tables.side);
  }

  /** All rows of the index, as copies. */
  *indexRows(): Generator<OwnedRow> {
    for (const { key, value } of this.#range(this.#tables.index)) {
      const row = toIndexRow(key, value);
      // The rows of deletions are read too, for their checksums.
      if (row !== undefined) yield row;
    }
  }

  /** The rows of the index whose items were deleted, by version: what the pruner may remove. Copies. */
  *deletedRows(): Generator<NonNullable<ReturnType<typeof toDeletedRows>>> {
    for (const { key, value } of this.#range(this.#tables.index, deletedKey(0n))) {
      const deleted = toDeletedRows(key, value.slice());
      if (deleted !== undefined) yield deleted;
    }
  }

  /** The data of a row of the index. */
  peekIndexRow(row: Pick<OwnedRow, "owner" | "place">): Uint8Array | undefined {
    writeRowKey(this.#rowKey, row);
    return this.#peek(this.#index, this.#rowKey);
  }

  /** See LedgerView. */
  indexedTo(index: IndexName = "items"): bigint | undefined {
    return readIndexReach(this.#get(this.#tables.side, Buffer.from(INDEX_REACH_KEYS[index])));
  }

  /** Number of rows of a table in this snapshot, by a full scan. */
  count(table: "tree" | "side"): number {
    let count = 0;
    for (const _ of this.#range(this.#tables[table])) count++;
    return count;
  }

  /** A node of the state tree. */
  peekTreeNode(key: Uint8Array): Uint8Array | undefined {
    return this.#peek(toFastTable(this.#tables.tree), key);
  }

  /** Ends the walk and closes the files. */
  async close(): Promise<void> {
    for (const cursor of this.#cursors) cursor.close();
    this.#cursors.clear();
    this.#transaction.done();
    await this.#environment.close();
  }

  readonly #peekRow = (key: Uint8Array): Uint8Array | undefined => this.#peek(this.#items, key);

  #get(table: Table, key: Buffer): Uint8Array | undefined {
    const row = table.get(key, this.#options);
    return row && this.#open(table, key, row, row.length);
  }

  /** The content of a row in lmdb's shared buffer. A copy would cost three times as much. */
  #peek(table: FastTable, key: Uint8Array): Uint8Array | undefined {
    return this.#read(table, key)?.subarray(0, Math.max(0, table.lastSize - SUMS_BYTES));
  }

  /** The buffer that begins with a row, of `lastSize` bytes: lmdb's shared one reports a wrong length. */
  #read(table: FastTable, key: Uint8Array): Uint8Array | undefined {
    const row = table.getBinaryFast(key, this.#options);
    if (row === undefined) return undefined;
    if (!("isGlobal" in row)) return row;
    if (row.buffer !== this.#shared.buffer) this.#shared = new Uint8Array(row.buffer, row.byteOffset);
    return this.#shared;
  }

  *#range(table: Table, start?: Buffer): Generator<{ readonly key: Uint8Array; readonly value: Uint8Array }> {
    const cursor = new RowCursor(table, this.#transaction);
    this.#cursors.add(cursor);
    try {
      for (let key = cursor.next(start); key !== undefined; key = cursor.next()) {
        const size = cursor.valueSize();
        yield {
          key,
          value: size === undefined ? this.#find(table, key) : this.#open(table, key, this.#shared, size),
        };
      }
    } finally {
      if (this.#cursors.delete(cursor)) cursor.close();
    }
  }

  #find(table: Table, key: Uint8Array): Uint8Array {
    const fast = toFastTable(table);
    const row = this.#read(fast, key);
    if (row === undefined) throw new Error("lmdb lost a row of a snapshot");
    return this.#open(table, key, row, fast.lastSize);
  }

  /** The content of a row, whose first `size` bytes are the row. */
  #open(table: Table, key: Uint8Array, row: Uint8Array, size: number): Uint8Array {
    try {
      return row.subarray(0, checkedBytes(key, row, size));
    } catch (error) {
      if (this.onDamage === undefined) throw error;
      const [name] = Object.entries(this.#tables).find(([, one]) => one === table) ?? [];
      this.onDamage(`table of ${name} rows: the row of key 0x${toHex(key)} does not match its checksum`);
      return row.subarray(0, Math.max(0, size - SUMS_BYTES));
    }
  }
}

function rowError(table: string, what: string): StoreError {
  return new StoreError("corrupt", `the store is damaged: table of ${table} rows: ${what}`);
}

function readNumberKey(table: string, key: Uint8Array): bigint {
  if (key.length !== VERSION_BYTES) throw rowError(table, `key of ${key.length} bytes`);
  return readVersion(key);
}

function countRows(table: Table): number {
  const count: unknown = Reflect.get(table.getStats(), "entryCount");
  return typeof count === "number" ? count : 0;
}
