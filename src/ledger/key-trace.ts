// From a key hash back to its state key. Reads go by hash; a node that does not know the whole state must ask
// others by key. While tracing is on, every hash that is made for a read carries its key along, for as long as
// the hash itself lives; off, as it is by default, nothing is kept.
import { BcsWriter } from "../bcs/writer.ts";

const TABLE_ITEM = 1;
const TAG_AND_HANDLE = 33;

let keys: WeakMap<Uint8Array, Uint8Array> | undefined;

/** Turns tracing on for this process. */
export function traceStateKeys(): void {
  keys ??= new WeakMap();
}

/** True while hashes carry their keys along. */
export function isTracing(): boolean {
  return keys !== undefined;
}

/** Notes the key of a hash, given as its BCS. The bytes are kept, so they must not be reused. */
export function noteStateKey(keyHash: Uint8Array, bcs: Uint8Array): void {
  keys?.set(keyHash, bcs);
}

/** Notes the key of a hash, given in storage form; an access path or a table item. The bytes are copied. */
export function noteStorageKey(keyHash: Uint8Array, storage: Uint8Array): void {
  if (keys === undefined) return;
  const writer = new BcsWriter(storage.length + 5);
  // Only table items differ: in BCS the key has its length before it.
  if (storage[0] === TABLE_ITEM) {
    writer.fixed(storage.subarray(0, TAG_AND_HANDLE)).byteString(storage.subarray(TAG_AND_HANDLE));
  } else {
    writer.fixed(storage);
  }
  keys.set(keyHash, writer.take());
}

/** BCS of the key behind a hash; undefined where the hash was made without tracing. */
export function stateKeyOf(keyHash: Uint8Array): Uint8Array | undefined {
  return keys?.get(keyHash);
}
