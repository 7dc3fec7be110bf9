// The tables of the LMDB engine, all in one file. Numbers in keys are big-endian and fixed in size, so byte order is
// version order. Names are never reused for other content. Every row ends with the sums of sealed-rows.ts, which this
// list leaves out; UNSEALED names the exceptions.
//
// items    key hash (32), zero (8)                 -> newest: version (8), links (1), StateValue; version alone = deleted
//          key hash (32), all ones - version (8)   -> older: see older-values.ts; empty = deleted
//          The values of a key are adjacent, so that an update changes one page, not two.
// stale    version (8)                             -> (key hash (32), version (8)) of each value that this
//                                                     version superseded, and of each deletion it made
// blocks   height (8)                              -> first version, time, epoch (8 each)
// records  last version (8)                        -> number of records (2), size of each (4), all of them deflated
// tree     node key                                -> node
// index    see index-rows.ts
// side     opaque key                              -> opaque value, see SideRow
// meta     name                                    -> see META
import type { Database, RootDatabase } from "lmdb";
import { readNumber, writeNumber } from "../../base/bytes.ts";

/** One table: bytes to bytes. */
export type Table = Database<Buffer, Uint8Array>;

const NAMES = ["items", "stale", "blocks", "records", "tree", "index", "side", "meta"] as const;

/** All tables of a store. */
export type Tables = Readonly<Record<(typeof NAMES)[number], Table>>;

export function isTableName(name: string): boolean {
  return NAMES.some((own) => own === name);
}

/** Capacity for tables of an environment. */
export const MAX_TABLES = 16;

/** The format that this code reads and writes. It refuses every other one. */
export const FORMAT = 4;

/** Keys of the meta table. */
export const META = {
  /** FORMAT, 4 bytes. */
  format: Buffer.from("format"),
  /** StoreIdentity: chain id (1), genesis hash (32). */
  identity: Buffer.from("identity"),
  /** Position, see position-row.ts. */
  position: Buffer.from("position"),
  /** Mark of the writing process, see lease.ts. */
  writer: Buffer.from("writer"),
} as const;

/** Rows without sums: every version of the program reads the first, and the second says nothing about the ledger. */
export const UNSEALED: readonly Buffer[] = [META.format, META.writer];

/** Bytes of a state key hash. */
export const HASH_BYTES = 32;
/** Bytes of a version. */
export const VERSION_BYTES = 8;
/** Bytes before the StateValue of a newest row. */
export const NEWEST_HEAD_BYTES = VERSION_BYTES + 1;
/** Bytes of a key of the items table. */
export const ITEM_KEY_BYTES = HASH_BYTES + VERSION_BYTES;
/** Bytes of one entry of a stale row. */
export const STALE_BYTES = HASH_BYTES + VERSION_BYTES;

const ALL_ONES = 0xffff_ffff_ffff_ffffn;
/** What `readOlderVersion` reads in the row key of a newest value. */
export const NEWEST: bigint = ALL_ONES;

/** Opens all tables and creates missing ones; undefined if one is missing in a read-only environment. */
export function openTables(root: RootDatabase): Tables | undefined {
  const open = (name: string): Table | undefined =>
    root.openDB<Buffer, Uint8Array>({ name, encoding: "binary", keyEncoding: "binary" });
  const opened = NAMES.map((name) => [name, open(name)] as const);
  if (opened.some(([, table]) => table === undefined)) return undefined;
  return Object.fromEntries(opened) as Tables;
}

/** The version at the start of a newest row. */
export function readVersion(row: Uint8Array): bigint {
  return readNumber(row, 0);
}

/** Writes the version at the start of a newest row. */
export function writeVersion(target: Uint8Array, version: bigint): void {
  writeNumber(target, 0, version);
}

/** Writes the row key of a newest value; it sorts before all older ones. */
export function writeLatestKey(target: Buffer, keyHash: Uint8Array): void {
  target.set(keyHash, 0);
  target.fill(0, HASH_BYTES, ITEM_KEY_BYTES);
}

/** True for the row key of a newest value. */
export function isLatestKey(key: Uint8Array): boolean {
  for (let at = HASH_BYTES; at < ITEM_KEY_BYTES; at++) if (key[at] !== 0) return false;
  return true;
}

/** Writes the row key of an older value; later versions sort first. */
export function writeOlderKey(target: Buffer, keyHash: Uint8Array, version: bigint): void {
  target.set(keyHash, 0);
  writeNumber(target, HASH_BYTES, ALL_ONES - version);
}

/** A new row key of an older value. */
export function olderKey(keyHash: Uint8Array, version: bigint): Buffer {
  const key = Buffer.allocUnsafe(ITEM_KEY_BYTES);
  writeOlderKey(key, keyHash, version);
  return key;
}

/** The version in the row key of an older value; the key starts at `offset`. */
export function readOlderVersion(key: Uint8Array, offset = 0): bigint {
  return ALL_ONES - readNumber(key, offset + HASH_BYTES);
}

/** One superseded value. */
export interface StaleEntry {
  readonly keyHash: Uint8Array;
  readonly version: bigint;
}

export function encodeStaleRow(entries: readonly StaleEntry[]): Buffer {
  const row = Buffer.allocUnsafe(entries.length * STALE_BYTES);
  let offset = 0;
  for (const { keyHash, version } of entries) {
    row.set(keyHash, offset);
    writeNumber(row, offset + HASH_BYTES, version);
    offset += STALE_BYTES;
  }
  return row;
}

export function readStaleRow(row: Uint8Array): StaleEntry[] {
  const entries: StaleEntry[] = [];
  for (let offset = 0; offset < row.length; offset += STALE_BYTES) {
    const keyHash = row.subarray(offset, offset + HASH_BYTES);
    entries.push({ keyHash, version: readNumber(row, offset + HASH_BYTES) });
  }
  return entries;
}
