// Records of consecutive versions share a row, compressed: alone most of them take whole pages, and each repeats most of the
// one before it. The key of a row is its last version, so the first key at or after a version is that of its group.

import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Transaction } from "lmdb";
import { numberKey } from "../../base/bytes.ts";
import { toHex } from "../../base/hex.ts";
import type { RawRecord } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { openRow, putRow } from "./sealed-rows.ts";
import { readVersion, type Table, VERSION_BYTES } from "./tables.ts";

/** Bounds of a group, so that a read of one record inflates little: about 100 µs. A larger record has a group of its own. */
export const GROUP_RECORDS = 64;
export const GROUP_BYTES = 40 << 10;

/** A larger record stays as it is: packing or unpacking it would hold up the event loop. It takes about 4 ms. */
const MAX_DEFLATED_BYTES = 256 << 10;
/** Higher levels take twice the time for a tenth less, and brotli takes twice the time to read. */
const LEVEL = 1;
/** Deflate makes no byte into more than this many, so a larger size is wrong, and nothing is allocated for it. */
const MAX_RATIO = 1032;
const COUNT_BYTES = 2;
const SIZE_BYTES = 4;

/** The records of consecutive versions. */
export interface RecordGroup {
  readonly first: bigint;
  readonly last: bigint;
  /** All of them, one after the other. */
  readonly bytes: Uint8Array;
  /** Where each ends. */
  readonly ends: readonly number[];
}

type ReadOptions = { readonly transaction?: Transaction };

/** Writes records in groups; they are in the order of their versions. Call inside a write transaction. */
export function putRecords(table: Table, records: readonly RawRecord[]): void {
  let group: RawRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const last = group.at(-1);
    const fits = group.length < GROUP_RECORDS && bytes + record.bytes.length <= GROUP_BYTES;
    if (last !== undefined && !(fits && record.version === last.version + 1n)) {
      putGroup(table, group);
      group = [];
      bytes = 0;
    }
    group.push(record);
    bytes += record.bytes.length;
  }
  putGroup(table, group);
}

function putGroup(table: Table, records: readonly RawRecord[]): void {
  const last = records.at(-1);
  if (last === undefined) return;
  const head = Buffer.allocUnsafe(COUNT_BYTES + records.length * SIZE_BYTES);
  let at = head.writeUInt16BE(records.length, 0);
  for (const { bytes } of records) at = head.writeUInt32BE(bytes.length, at);
  const all = Buffer.concat(records.map(({ bytes }) => bytes));
  putRow(table, numberKey(last.version), deflate(all), head);
}

/** Fewer bytes, or the same ones. */
function deflate(bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_DEFLATED_BYTES) return bytes;
  const deflated = deflateRawSync(bytes, { level: LEVEL });
  return deflated.length < bytes.length ? deflated : bytes;
}

/** The group in the content of a row, copied; undefined if it does not decode. */
export function decodeGroup(key: Uint8Array, content: Uint8Array): RecordGroup | undefined {
  const row = Buffer.from(content.buffer, content.byteOffset, content.length);
  const count = row.length < COUNT_BYTES ? 0 : row.readUInt16BE(0);
  const start = COUNT_BYTES + count * SIZE_BYTES;
  const isSized = count >= 1 && count <= GROUP_RECORDS && start <= row.length;
  if (key.length !== VERSION_BYTES || !isSized) return undefined;
  const last = readVersion(key);
  const ends: number[] = [];
  let size = 0;
  for (let at = COUNT_BYTES; at < start; at += SIZE_BYTES) {
    size += row.readUInt32BE(at);
    ends.push(size);
  }
  const first = last - BigInt(count - 1);
  const bytes = count > 1 && size > GROUP_BYTES ? undefined : inflate(row.subarray(start), size);
  if (bytes === undefined || first < 0n) return undefined;
  return { first, last, bytes, ends };
}

/** The `size` bytes that `deflate` got, copied; undefined if these are not what it gives. */
function inflate(deflated: Uint8Array, size: number): Buffer | undefined {
  if (deflated.length === size) return Buffer.from(deflated);
  if (size > Math.min(deflated.length * MAX_RATIO, MAX_DEFLATED_BYTES)) return undefined;
  try {
    // One byte more than needed, or zlib asks for a second buffer to see that nothing follows.
    const options = { maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, size + 1) };
    const bytes = inflateRawSync(deflated, options);
    return bytes.length === size ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** The groups that were read last, each with its row: what follows the ledger reads the newest ones several times. */
const recent: { readonly key: Uint8Array; readonly content: Uint8Array; readonly group: RecordGroup }[] = [];
const RECENT_GROUPS = 4;

function decodeRecent(key: Uint8Array, content: Uint8Array): RecordGroup | undefined {
  const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
  const known = recent.find((one) => isSame(one.key, key) && isSame(one.content, content));
  if (known !== undefined) return known.group;
  const group = decodeGroup(key, content);
  if (group === undefined || group.bytes.length > GROUP_BYTES) return group;
  recent.unshift({ key: new Uint8Array(key), content: new Uint8Array(content), group });
  recent.length = Math.min(recent.length, RECENT_GROUPS);
  return group;
}

/** The group of a version, or the next one if the version has none. Throws LedgerError `damaged`, StoreError `corrupt`. */
export function findGroup(table: Table, version: bigint): RecordGroup | undefined {
  for (const group of groupsFrom(table, version)) return group;
  return undefined;
}

/** The groups from that of a version on, as `findGroup` finds it. */
export function* groupsFrom(table: Table, version: bigint, options?: ReadOptions): Generator<RecordGroup> {
  for (const { key, value } of table.getRange({ start: numberKey(version), ...options })) {
    const group = decodeRecent(key, openRow(key, value));
    if (group === undefined) {
      throw new StoreError(
        "corrupt",
        `the store is damaged: table of records rows: the row of key 0x${toHex(key)} does not decode`,
      );
    }
    yield group;
  }
}

/** The record of a version, if the group has it. */
export function recordIn(group: RecordGroup | undefined, version: bigint): Uint8Array | undefined {
  if (group === undefined || version < group.first || version > group.last) return undefined;
  const { first, bytes, ends } = group;
  const at = Number(version - first);
  return bytes.subarray(ends[at - 1] ?? 0, ends[at]);
}

/** The records of a group with their versions. */
export function versionsOf({ first, bytes, ends }: RecordGroup): RawRecord[] {
  return ends.map((end, i) => ({ version: first + BigInt(i), bytes: bytes.subarray(ends[i - 1] ?? 0, end) }));
}

/**
 * Removes the records below a version, at most `limit`. Returns their number, and calls `onRecord` for each. Call inside a
 * write transaction.
 */
export function removeRecordsBelow(
  table: Table,
  floor: bigint,
  limit: number,
  onRecord: (record: RawRecord) => void,
): number {
  let removed = 0;
  while (removed < limit) {
    const group = findGroup(table, 0n);
    if (group === undefined || group.first >= floor) break;
    const records = versionsOf(group);
    const below = records.filter(({ version }) => version < floor).slice(0, limit - removed);
    for (const record of below) onRecord(record);
    removed += below.length;
    // The cut group has the same key.
    if (below.length === records.length) table.removeSync(numberKey(group.last));
    else putGroup(table, records.slice(below.length));
  }
  return removed;
}

/** Removes the records from a version on. Call inside a write transaction. */
export function removeRecordsFrom(table: Table, first: bigint): void {
  const cut = findGroup(table, first);
  // Read first, then remove: removals invalidate a cursor.
  for (const key of [...table.getKeys({ start: numberKey(first) })]) table.removeSync(key);
  if (cut !== undefined)
    putGroup(
      table,
      versionsOf(cut).filter(({ version }) => version < first),
    );
}
