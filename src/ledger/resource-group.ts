// Resource groups: one state item that holds several resources, as a map from struct tag to bytes. Members
// are found by offset; nothing but the bytes asked for is taken out.
import { BcsError } from "../bcs/errors.ts";
import { BcsReader } from "../bcs/reader.ts";
import { skipStructTag } from "../move/type-tag.ts";

/** Smallest entry: address, two empty names, no type arguments, an empty value. */
const MIN_ENTRY_BYTES = 36;

/**
 * The members with the given struct tags (in BCS), in that order, undefined where there is none. The whole
 * map is checked; undefined when it does not decode.
 */
export function findGroupMembers(
  group: Uint8Array,
  tags: readonly Uint8Array[],
): readonly (Uint8Array | undefined)[] | undefined {
  const found: (Uint8Array | undefined)[] = tags.map(() => undefined);
  try {
    const reader = new BcsReader(group);
    const count = reader.count(MIN_ENTRY_BYTES);
    let previous: Uint8Array | undefined;
    for (let i = 0; i < count; i++) {
      const start = reader.offset;
      skipStructTag(reader);
      const key = reader.span(start);
      if (previous !== undefined && Buffer.compare(previous, key) >= 0) return undefined;
      previous = key;
      const value = reader.byteString();
      for (let t = 0; t < tags.length; t++) {
        const tag = tags[t];
        if (tag?.length === key.length && Buffer.compare(tag, key) === 0) found[t] = value;
      }
    }
    reader.finish();
    return found;
  } catch (error) {
    if (error instanceof BcsError) return undefined;
    throw error;
  }
}
