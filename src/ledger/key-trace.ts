// From a key hash back to its state key. Reads use hashes, but a view that lacks part of the state must ask other nodes
// by key. Such a view carries a trace, and the functions that hash a key for it record the key there.
import { BcsWriter } from "../bcs/writer.ts";

const TABLE_ITEM = 1;
const TAG_AND_HANDLE = 33;

/** Keys by hash. An entry lives as long as the array of its hash. */
export class KeyTrace {
  /** By the identity of the hash's array, not by its bytes. */
  readonly #keys = new WeakMap<Uint8Array, Uint8Array>();

  /** Records a key in BCS. The trace keeps the array, so the caller must not reuse it. */
  noteBcs(keyHash: Uint8Array, bcs: Uint8Array): void {
    this.#keys.set(keyHash, bcs);
  }

  /** Records a key in storage form: an access path or a table item. The bytes are copied. */
  noteStorage(keyHash: Uint8Array, storage: Uint8Array): void {
    const writer = new BcsWriter(storage.length + 5);
    // Only table items differ: in BCS a length precedes the key.
    if (storage[0] === TABLE_ITEM) {
      writer.fixed(storage.subarray(0, TAG_AND_HANDLE)).byteString(storage.subarray(TAG_AND_HANDLE));
    } else {
      writer.fixed(storage);
    }
    this.#keys.set(keyHash, writer.take());
  }

  /** BCS of the key of a hash; undefined if the hash was computed without this trace. */
  keyOf(keyHash: Uint8Array): Uint8Array | undefined {
    return this.#keys.get(keyHash);
  }
}
