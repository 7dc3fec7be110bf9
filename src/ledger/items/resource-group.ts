// Resource groups: one state item that holds several resources, as a map from struct tag to bytes. Lookups walk
// over the bytes and decode nothing else. Every balance does this, so the common key, a struct tag without type
// arguments, is skipped by hand; other keys go through the reader.
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { structTagCodec } from "../../move/type-tag.ts";

const ADDRESS_LENGTH = 32;
/** Lengths below this take one byte. */
const ULEB_CONTINUES = 0x80;
const MIN_KEY_BYTES = ADDRESS_LENGTH + 3;

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if ((bytes[i] ?? ULEB_CONTINUES) >= ULEB_CONTINUES) return false;
  return true;
}

/** End of a struct tag with short ASCII names and no type arguments; -1 for any other. */
function plainKeyEnd(bytes: Uint8Array, start: number): number {
  let at = start + ADDRESS_LENGTH;
  for (let name = 0; name < 2; name++) {
    const length = bytes[at++] ?? ULEB_CONTINUES;
    if (length >= ULEB_CONTINUES || at + length > bytes.length || !isAscii(bytes, at, at + length)) return -1;
    at += length;
  }
  return bytes[at] === 0 ? at + 1 : -1;
}

function keyEnd(bytes: Uint8Array, start: number): number {
  const end = plainKeyEnd(bytes, start);
  if (end >= 0) return end;
  const reader = new BcsReader(bytes);
  reader.offset = start;
  structTagCodec.skip(reader);
  return reader.offset;
}

/** Lexicographic order of two ranges: negative, zero or positive. */
function compareRanges(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let i = 0; i < length; i++) {
    const difference = (a[aStart + i] ?? 0) - (b[bStart + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
}

/**
 * The members with the given struct tags (in BCS), in that order; undefined for a missing member. Checks the whole map
 * and returns undefined when it does not decode.
 */
export function findGroupMembers(
  group: Uint8Array,
  tags: readonly Uint8Array[],
): readonly (Uint8Array | undefined)[] | undefined {
  try {
    return walkGroup(group, tags);
  } catch (error) {
    if (error instanceof BcsError) return undefined;
    throw error;
  }
}

function readLength(bytes: Uint8Array, at: number): [length: number, next: number] {
  const reader = new BcsReader(bytes);
  reader.offset = at;
  return [reader.count(), reader.offset];
}

function walkGroup(
  group: Uint8Array,
  tags: readonly Uint8Array[],
): readonly (Uint8Array | undefined)[] | undefined {
  const found: (Uint8Array | undefined)[] = [];
  let count = group[0] ?? ULEB_CONTINUES;
  let at = 1;
  if (count >= ULEB_CONTINUES) [count, at] = readLength(group, 0);
  let previousStart = -1;
  let previousEnd = -1;
  for (let i = 0; i < count; i++) {
    if (at + MIN_KEY_BYTES > group.length) return undefined;
    const start = at;
    const end = keyEnd(group, start);
    if (previousEnd >= 0 && compareRanges(group, previousStart, previousEnd, group, start, end) >= 0) {
      return undefined;
    }
    previousStart = start;
    previousEnd = end;
    let length = group[end] ?? ULEB_CONTINUES;
    at = end + 1;
    if (length >= ULEB_CONTINUES) [length, at] = readLength(group, end);
    if (at + length > group.length) return undefined;
    for (let t = 0; t < tags.length; t++) {
      const tag = tags[t];
      if (tag?.length !== end - start) continue;
      if (compareRanges(group, start, end, tag, 0, tag.length) === 0)
        found[t] = group.subarray(at, at + length);
    }
    at += length;
  }
  return at === group.length ? found : undefined;
}
