// The keys that a version wrote, in one value. The pruner uses it to find superseded rows, without a row for each key.
import { StoreError } from "../errors.ts";

/** One key of a version. */
export interface WrittenKey {
  readonly key: Buffer;
  /** The bucket of the write. */
  readonly bucket: number;
  readonly isDeletion: boolean;
}

const KEY_BYTES = 32;
const DELETION = 1;
const HAS_BUCKET = 2;

/** Bytes of a list of keys. */
export function encodeKeys(keys: readonly WrittenKey[]): Buffer {
  const parts: Buffer[] = [];
  for (const { key, bucket, isDeletion } of keys) {
    const hasBucket = bucket > 0;
    const row = Buffer.alloc(1 + KEY_BYTES + (hasBucket ? 4 : 0));
    row[0] = (isDeletion ? DELETION : 0) | (hasBucket ? HAS_BUCKET : 0);
    row.set(key, 1);
    if (hasBucket) row.writeUInt32BE(bucket, 1 + KEY_BYTES);
    parts.push(row);
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
    const end = at + 1 + KEY_BYTES + (hasBucket ? 4 : 0);
    if (flags > (DELETION | HAS_BUCKET) || end > bytes.length) {
      throw new StoreError("corrupt", `a list of keys is damaged at byte ${at}`);
    }
    const key = bytes.subarray(at + 1, at + 1 + KEY_BYTES);
    const bucket = hasBucket ? bytes.readUInt32BE(at + 1 + KEY_BYTES) : 0;
    keys.push({ key, bucket, isDeletion: (flags & DELETION) !== 0 });
    at = end;
  }
  return keys;
}
