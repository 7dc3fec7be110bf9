// The main-state writes of a write set, read from its bytes without decoding it: key hashes and encoded state values,
// as the state tree and the store need them.
import type { BcsReader } from "../bcs/reader.ts";
import { stateKeyCodec, stateKeyHashOfBcs } from "./formats/state-key.ts";
import { stateMetadataCodec } from "./formats/state-value.ts";
import { extensionsCodec, hotKeysCodec } from "./formats/write-set.ts";

/** One write, ready to be stored. */
export interface EncodedWrite {
  /** BCS of the state key, a view on the input. */
  readonly key: Uint8Array;
  readonly keyHash: Uint8Array;
  /** BCS of the StateValue, a view on the input where the bytes agree; undefined deletes. */
  readonly value: Uint8Array | undefined;
}

const WRITE_OPS = 6;
const CREATION = 0;
const MODIFICATION = 1;
const DELETION = 2;
const DELETION_WITH_METADATA = 5;
const VALUE_V0 = 0;
const VALUE_WITH_METADATA = 1;
/** Smallest entry: an empty raw key and a deletion. */
const MIN_ENTRY_BYTES = 3;

/** Far above what networks allow in one transaction (8,192): a write of few bytes takes some hundreds in memory. */
const MAX_WRITES = 100_000;

/** A write operation and the value it writes differ only in the variant number. */
function retag(op: Uint8Array, tag: number): Uint8Array {
  if (op[0] === tag) return op;
  // From Buffer's pool: most writes of a page pass through here and are freed together.
  const value = Buffer.allocUnsafe(op.length);
  value.set(op);
  value[0] = tag;
  return value;
}

function readValue(reader: BcsReader): Uint8Array | undefined {
  const start = reader.offset;
  const variant = reader.variant(WRITE_OPS, "WriteOp");
  if (variant === DELETION) return undefined;
  if (variant === DELETION_WITH_METADATA) {
    stateMetadataCodec.skip(reader);
    return undefined;
  }
  reader.skipByteString();
  if (variant === CREATION || variant === MODIFICATION) return retag(reader.span(start), VALUE_V0);
  stateMetadataCodec.skip(reader);
  return retag(reader.span(start), VALUE_WITH_METADATA);
}

/** The hash of the next state key of a page. */
export type KeyHasher = (key: Uint8Array) => Uint8Array;

/** The data of a written value, without a copy; undefined for a deletion. */
export function readWrittenData(reader: BcsReader): Uint8Array | undefined {
  const variant = reader.variant(WRITE_OPS, "WriteOp");
  const data = variant === DELETION || variant === DELETION_WITH_METADATA ? undefined : reader.byteString();
  if (variant > DELETION) stateMetadataCodec.skip(reader);
  return data;
}

/** Skips a write set, as strictly as its codec, and returns its writes to the main state; `read` reads the values. */
export function readStateWrites(
  reader: BcsReader,
  hashKey: KeyHasher = stateKeyHashOfBcs,
  read: (reader: BcsReader) => Uint8Array | undefined = readValue,
): EncodedWrite[] {
  const version = reader.variant(2, "WriteSet");
  const writes: EncodedWrite[] = [];
  const count = reader.count(MIN_ENTRY_BYTES);
  if (count > MAX_WRITES) reader.fail(`expected at most ${MAX_WRITES} writes, got ${count}`, reader.offset);
  let start = -1;
  let end = -1;
  for (let i = 0; i < count; i++) {
    reader.enter(i);
    const at = reader.offset;
    stateKeyCodec.skip(reader);
    if (start >= 0 && reader.compareSpans(start, end, at, reader.offset) >= 0) {
      reader.fail("map keys are not strictly increasing", at);
    }
    start = at;
    end = reader.offset;
    const key = reader.span(at);
    writes.push({ key, keyHash: hashKey(key), value: read(reader) });
    reader.leave();
  }
  if (version === 1) {
    hotKeysCodec.skip(reader);
    extensionsCodec.skip(reader);
  }
  return writes;
}
