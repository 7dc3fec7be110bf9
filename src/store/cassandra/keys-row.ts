// The keys that a version wrote, in one value. The pruner uses it to find superseded rows, without a row for each key.
import { StoreError } from "../errors.ts";
import type { OwnedPlace } from "./owned-rows.ts";

/** One key of a version. */
export interface WrittenKey {
  readonly key: Buffer;
  /** The bucket of the write. */
  readonly bucket: number;
  readonly isDeletion: boolean;
  /** Index rows of an item that the write deletes. */
  readonly owned: readonly OwnedPlace[];
}

const KEY_BYTES = 32;
const DELETION = 1;
const HAS_BUCKET = 2;
const HAS_OWNED = 4;
const OWNER_BYTES = 33;
const OWNED_BYTES = OWNER_BYTES + 32;

/** Bytes of a list of keys. */
export function encodeKeys(keys: readonly WrittenKey[]): Buffer {
  const parts: Buffer[] = [];
  for (const { key, bucket, isDeletion, owned } of keys) {
    const hasBucket = bucket > 0;
    const row = Buffer.alloc(1 + KEY_BYTES + (hasBucket ? 4 : 0));
    const hasOwned = owned.length > 0;
    row[0] = (isDeletion ? DELETION : 0) | (hasBucket ? HAS_BUCKET : 0) | (hasOwned ? HAS_OWNED : 0);
    row.set(key, 1);
    if (hasBucket) row.writeUInt32BE(bucket, 1 + KEY_BYTES);
    parts.push(row);
    if (!hasOwned) continue;
    parts.push(Buffer.from([owned.length]));
    for (const { owner, place } of owned) parts.push(owner, place);
  }
  return Buffer.concat(parts);
}

/** A list of keys from its bytes. Throws StoreError `corrupt`. */
export function decodeKeys(bytes: Buffer): readonly WrittenKey[] {
  const keys: WrittenKey[] = [];
  let at = 0;
  while (at < bytes.length) {
    const flags = bytes[at] ?? 0;
    const hasBucket = (flags & HAS_BUCKET) !== 0;
    const keyEnd = at + 1 + KEY_BYTES + (hasBucket ? 4 : 0);
    const hasOwned = (flags & HAS_OWNED) !== 0;
    const ownedCount = hasOwned ? (bytes[keyEnd] ?? 0) : 0;
    const end = hasOwned ? keyEnd + 1 + ownedCount * OWNED_BYTES : keyEnd;
    if (flags > (DELETION | HAS_BUCKET | HAS_OWNED) || end > bytes.length) {
      throw new StoreError("corrupt", `a list of keys is damaged at byte ${at}`);
    }
    const key = bytes.subarray(at + 1, at + 1 + KEY_BYTES);
    const bucket = hasBucket ? bytes.readUInt32BE(at + 1 + KEY_BYTES) : 0;
    const owned = Array.from({ length: ownedCount }, (_, i) => {
      const row = bytes.subarray(keyEnd + 1 + i * OWNED_BYTES, keyEnd + 1 + (i + 1) * OWNED_BYTES);
      return { owner: row.subarray(0, OWNER_BYTES), place: row.subarray(OWNER_BYTES) };
    });
    keys.push({ key, bucket, isDeletion: (flags & DELETION) !== 0, owned });
    at = end;
  }
  return keys;
}
