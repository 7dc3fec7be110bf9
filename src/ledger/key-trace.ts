// From a key hash back to its state key. Reads go by hash; a view that does not know the whole state must ask other
// nodes by key, so it carries a trace, and whoever makes a hash for a read of that view notes its key there.
import { BcsWriter } from "../bcs/writer.ts";

const TABLE_ITEM = 1;
const TAG_AND_HANDLE = 33;

/** Keys by their hashes, each kept for as long as its hash lives. */
export class KeyTrace {
  /** By the hash's own array, not by its bytes. */
  readonly #keys = new WeakMap<Uint8Array, Uint8Array>();

  /** Notes the key of a hash, given as its BCS. The bytes are kept, so they must not be reused. */
  noteBcs(keyHash: Uint8Array, bcs: Uint8Array): void {
    this.#keys.set(keyHash, bcs);
  }

  /** Notes the key of a hash, given in storage form; an access path or a table item. The bytes are copied. */
  noteStorage(keyHash: Uint8Array, storage: Uint8Array): void {
    const writer = new BcsWriter(storage.length + 5);
    // Only table items differ: in BCS the key has its length before it.
    if (storage[0] === TABLE_ITEM) {
      writer.fixed(storage.subarray(0, TAG_AND_HANDLE)).byteString(storage.subarray(TAG_AND_HANDLE));
    } else {
      writer.fixed(storage);
    }
    this.#keys.set(keyHash, writer.take());
  }

  /** BCS of the key behind a hash; undefined where the hash was made without this trace. */
  keyOf(keyHash: Uint8Array): Uint8Array | undefined {
    return this.#keys.get(keyHash);
  }
}
