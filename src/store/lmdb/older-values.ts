// Older values as differences. Most writes of an item change a few bytes of it, so an older value is stored as what differs
// from the next newer one: that one then stays whole, or rests on a newer one in its turn. The pruner removes the oldest
// value first, so no difference loses what it rests on.
//
// older    0, StateValue
//          distance to the newer version, size, then for each change: equal bytes before it, its size, its bytes; numbers
//          in ULEB128
import { StoreError } from "../errors.ts";
import {
  ITEM_KEY_BYTES,
  NEWEST_HEAD_BYTES,
  readVersion,
  VERSION_BYTES,
  writeLatestKey,
  writeOlderKey,
  writeVersion,
} from "./tables.ts";

/**
 * Most differences that a read of a value follows. Of small values every second is whole, so that a read of one costs at
 * most one row more, about 1 µs; three links would save another 14 % of the table. Large ones take pages of their own.
 */
const SMALL_LINKS = 1;
export const MAX_LINKS = 15;
const LARGE_BYTES = 1024;
/** Values of other sizes are stored whole: the key of a row takes as much as a smaller one. */
const MIN_BYTES = 64;
const MAX_BYTES = 1 << 20;
/** A shorter run of equal bytes costs more than it saves. */
const MIN_EQUAL_BYTES = 3;
/** A number of up to four bytes. */
const MAX_DISTANCE = 2 ** 28 - 1;
/** In place of a distance. */
const WHOLE = 0;
const WHOLE_HEAD = Uint8Array.of(WHOLE);

/** A value with its version; `links` is how many older values rest on it, one on the other. */
export interface LinkedValue {
  readonly version: bigint;
  readonly value: Uint8Array;
  readonly links: number;
}

const newestHead = new Uint8Array(NEWEST_HEAD_BYTES);

/** What the row of a newest value begins with; a deletion has nothing else. Valid until the next call. */
export function encodeNewestHead({ version, value, links }: LinkedValue): Uint8Array {
  writeVersion(newestHead, version);
  newestHead[VERSION_BYTES] = links;
  return value.length === 0 ? newestHead.subarray(0, VERSION_BYTES) : newestHead;
}

let scratch = new Uint8Array(4096);
let length = 0;

/**
 * The head and the rest of the row of an older value, and the links of the newer one. An empty value is a deletion. Valid
 * until the next call.
 */
export function encodeOlder(
  older: LinkedValue,
  newer: { readonly version: bigint; readonly value: Uint8Array },
): { readonly head?: Uint8Array; readonly rest: Uint8Array; readonly links: number } {
  const { value, links } = older;
  const bytes = value.length;
  if (bytes === 0) return { rest: value, links: 0 };
  const distance = newer.version - older.version;
  const most = bytes < LARGE_BYTES ? SMALL_LINKS : MAX_LINKS;
  const isInBounds = bytes >= MIN_BYTES && bytes <= MAX_BYTES && distance <= MAX_DISTANCE;
  if (links < most && isInBounds && newer.value.length > 0) {
    if (scratch.length < bytes) scratch = new Uint8Array(2 * bytes);
    length = 0;
    putNumber(Number(distance));
    putNumber(bytes);
    if (putChanges(value, newer.value, bytes >> 1)) {
      return { rest: scratch.subarray(0, length), links: links + 1 };
    }
  }
  return { head: WHOLE_HEAD, rest: value, links: 0 };
}

/** Returns false if the changes take more than `limit` bytes. */
function putChanges(value: Uint8Array, base: Uint8Array, limit: number): boolean {
  const bytes = value.length;
  for (let at = 0, done = 0; ; ) {
    while (at < bytes && value[at] === base[at]) at++;
    if (at === bytes) return length <= limit;
    const start = at;
    let end = at + 1;
    for (at = end; at < bytes && at - end <= MIN_EQUAL_BYTES; at++) if (value[at] !== base[at]) end = at + 1;
    // Two numbers take up to six bytes.
    if (length + 6 + end - start > limit) return false;
    putNumber(start - done);
    putNumber(end - start);
    for (let i = start; i < end; i++) scratch[length++] = value[i] ?? 0;
    done = end;
    at = end;
  }
}

function putNumber(number: number): void {
  let rest = number;
  for (; rest >= 0x80; rest >>>= 7) scratch[length++] = (rest & 0x7f) | 0x80;
  scratch[length++] = rest;
}

/** Where `getNumber` reads on. */
let place = 0;

function getNumber(bytes: Uint8Array): number {
  let number = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[place++] ?? 0;
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

/** True if the content of an older row rests on a newer value. */
export function isDifference(content: Uint8Array): boolean {
  return content.length > 0 && content[0] !== WHOLE;
}

/** The value that differs from a newer one. Throws StoreError `corrupt`. */
function applyDifference(newer: Uint8Array, difference: Uint8Array): Uint8Array {
  place = 0;
  getNumber(difference);
  const size = getNumber(difference);
  // Bytes that the newer value lacks are all in the difference.
  if (size > newer.length + difference.length) throw unreadable();
  const value = Buffer.allocUnsafe(size);
  value.set(newer.length > size ? newer.subarray(0, size) : newer);
  let [start, end] = [0, 0];
  while (place < difference.length) {
    start = end + getNumber(difference);
    end = start + getNumber(difference);
    if (end > size || place + end - start > difference.length) throw unreadable();
    for (let i = start; i < end; i++) value[i] = difference[place++] as number;
  }
  if (size > newer.length && (start > newer.length || end < size)) throw unreadable();
  return value;
}

/** The content of a row of the items table, valid until the next read. */
export interface NewerRow {
  readonly isNewest: boolean;
  readonly content: Uint8Array;
}

/**
 * The value in the content of the older row of a version, empty for a deletion. Reads the rows that it rests on. Throws
 * StoreError `corrupt`.
 */
export function openOlder(
  version: bigint,
  content: Uint8Array,
  readNewer: (version: bigint) => NewerRow | undefined,
): Uint8Array {
  if (!isDifference(content)) return content.subarray(1);
  const differences: Uint8Array[] = [];
  let at = version;
  let next: NewerRow | undefined = { isNewest: false, content };
  while (!next.isNewest && isDifference(next.content)) {
    if (differences.length === MAX_LINKS) throw unreadable();
    // The next read may overwrite it.
    const difference = new Uint8Array(next.content);
    differences.push(difference);
    place = 0;
    at += BigInt(getNumber(difference));
    next = readNewer(at);
    if (next === undefined) throw unreadable();
  }
  let value = next.content.subarray(next.isNewest ? NEWEST_HEAD_BYTES : 1);
  for (let i = differences.length - 1; i >= 0; i--) value = applyDifference(value, differences[i] ?? value);
  return value;
}

/** The row of a version of a key, if `readRow` finds it by its row key. */
export function findNewerRow(
  keyHash: Uint8Array,
  version: bigint,
  readRow: (key: Uint8Array) => Uint8Array | undefined,
): NewerRow | undefined {
  writeOlderKey(rowKey, keyHash, version);
  const older = readRow(rowKey);
  if (older !== undefined) return { isNewest: false, content: older };
  writeLatestKey(rowKey, keyHash);
  const newest = readRow(rowKey);
  if (newest === undefined || readVersion(newest) !== version) return undefined;
  return { isNewest: true, content: newest };
}

const rowKey = Buffer.alloc(ITEM_KEY_BYTES);

function unreadable(): StoreError {
  return new StoreError(
    "corrupt",
    "the store is damaged: an older value does not fit the one that follows it",
  );
}
