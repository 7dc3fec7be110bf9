// Natives of move-stdlib: bcs, hash, string, signer, cmp, vector, mem.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { finish, type Pieces } from "../../base/pieces.ts";
import type { AbiType } from "../../move/abi.ts";
import { aborted, invariant, VmError } from "../errors.ts";
import { constantSize, encodeInPieces } from "../layout.ts";
import type { Native, NativeContext, NativeModule } from "../natives.ts";
import {
  abstractSize,
  asBig,
  asBytes,
  asRef,
  asStruct,
  asVec,
  bytesBetween,
  byteVec,
  compareValues,
  isLarge,
  Ref,
  Struct,
  type Value,
  Vec,
} from "../values.ts";

const BCS_FAILURE = 0x1c5;
const FEATURE_MEMORY_NATIVES = 80;

export function some(value: Value): Struct {
  return new Struct([value], 1);
}

export function none(): Struct {
  return new Struct([], 0);
}

/** Native functions that are charged the base of the group's price of their name before they run. */
export function priced(group: string, natives: NativeModule): NativeModule {
  const entries = Object.entries(natives).map(([name, run]): [string, Native] => {
    const key = `${group}.${name}`;
    return [
      name,
      (context, args, typeArgs) => {
        context.meter.chargeNative(key);
        return run(context, args, typeArgs);
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** An argument, or a type argument, that bytecode cannot leave out. */
export function argOf<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw invariant("a native function misses an argument");
  return found;
}

/** BCS of what a reference names; faults are aborts. */
function* serialized(context: NativeContext, value: Value, type: AbiType): Pieces<Uint8Array> {
  const { linker, meter } = context;
  try {
    return yield* encodeInPieces(value, linker.layout(type), "address");
  } catch (error) {
    if (!(error instanceof VmError)) throw error;
    meter.charge(meter.price("move_stdlib.bcs.to_bytes.failure"));
    throw aborted(BCS_FAILURE);
  }
}

const bcs: NativeModule = {
  to_bytes: (context, [ref], typeArgs) => {
    const { meter } = context;
    return onValue(asRef(ref).get(), function* (value) {
      const bytes = yield* serialized(context, value, argOf(typeArgs, 0));
      meter.charge(meter.price("move_stdlib.bcs.to_bytes.per_byte_serialized") * bytes.length);
      return [yield* byteVecInPieces(bytes)];
    });
  },
  serialized_size: (context, [ref], typeArgs) => {
    const { meter } = context;
    meter.charge(meter.price("move_stdlib.bcs.serialized_size.base"));
    return onValue(asRef(ref).get(), function* (value) {
      const { length } = yield* serialized(context, value, argOf(typeArgs, 0));
      meter.charge(meter.price("move_stdlib.bcs.serialized_size.per_byte_serialized") * length);
      return [BigInt(length)];
    });
  },
  constant_serialized_size: ({ linker, meter }, _, typeArgs) => {
    meter.charge(meter.price("move_stdlib.bcs.constant_serialized_size.base"));
    let nodes = 0;
    const size = constantSize(linker.layout(argOf(typeArgs, 0)), (count) => {
      nodes += count;
    });
    meter.charge(meter.price("move_stdlib.bcs.constant_serialized_size.per_type_node") * nodes);
    return [size === undefined ? none() : some(BigInt(size))];
  },
};

/** Long work on bytes is done in parts of this many, some milliseconds each. */
export const PART_BYTES = 1 << 14;

/** Gives parts of a vector of bytes to a function, with pauses between them. */
function* inParts(vec: Vec, take: (part: Uint8Array, at: number) => unknown): Pieces<void> {
  for (let at = 0; at < vec.items.length; at += PART_BYTES) {
    if (at > 0) yield;
    take(bytesBetween(vec, at, at + PART_BYTES), at);
  }
}

/** Work on a value of few parts is done at once. */
export function onValue<T>(value: Value, work: (value: Value) => Pieces<T>): T | Pieces<T> {
  const pieces = work(value);
  return isLarge(value) ? pieces : finish(pieces);
}

/** A vector of bytes, in parts. */
function* byteVecInPieces(bytes: Uint8Array): Pieces<Vec> {
  const vec = byteVec(bytes.subarray(0, PART_BYTES));
  for (let at = PART_BYTES; at < bytes.length; at++) {
    if (at % PART_BYTES === 0) yield;
    vec.items.push(bytes[at] as number);
  }
  return vec;
}

/** Work on a short vector is done at once. */
export function atOnce<T>(length: number, pieces: Pieces<T>): T | Pieces<T> {
  return length > PART_BYTES ? pieces : finish(pieces);
}

export interface Hasher {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

function* hashed(vec: Vec, hasher: Hasher): Pieces<readonly Value[]> {
  yield* inParts(vec, (part) => hasher.update(part));
  return [byteVec(hasher.digest())];
}

export function hashNative(key: string, create: () => Hasher): Native {
  return (context, [value]) => {
    const vec = asVec(value);
    context.meter.chargeNative(key, vec.items.length);
    return atOnce(vec.items.length, hashed(vec, create()));
  };
}

const hash: NativeModule = {
  sha2_256: hashNative("move_stdlib.hash.sha2_256", () => createHash("sha256")),
  sha3_256: hashNative("move_stdlib.hash.sha3_256", () => createHash("sha3-256")),
};

export function* bytesInParts(vec: Vec): Pieces<Uint8Array> {
  const bytes = new Uint8Array(vec.items.length);
  yield* inParts(vec, (part, at) => bytes.set(part, at));
  return bytes;
}

function* isUtf8InParts(vec: Vec): Pieces<readonly Value[]> {
  return [isUtf8(yield* bytesInParts(vec))];
}

/** Where a pattern is in a text, or the text's length: by Knuth, Morris and Pratt, in time in proportion to the charges. */
function* indexOf(
  { meter }: NativeContext,
  text: readonly Value[],
  pattern: readonly Value[],
): Pieces<Value[]> {
  const size = pattern.length;
  // How many of the first bytes of the pattern still fit, after that number did and the next one did not.
  const fallback = new Int32Array(size + 1);
  let at = size === 0 ? 0 : text.length;
  // First the pattern goes along itself, then the text along the pattern.
  for (let i = 1, fits = 0; i < size + at; i++) {
    if (i === size) fits = 0;
    const byte = i < size ? pattern[i] : text[i - size];
    while (fits > 0 && byte !== pattern[fits]) fits = fallback[fits] as number;
    if (byte === pattern[fits]) fits++;
    if (i < size) fallback[i + 1] = fits;
    else if (fits === size) at = i + 1 - 2 * size;
    if (i % PART_BYTES === 0) yield;
  }
  meter.charge(meter.price("move_stdlib.string.index_of.per_byte_searched") * at);
  return [BigInt(at)];
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

const string: NativeModule = {
  internal_check_utf8: (context, [ref]) => {
    const vec = asVec(ref);
    context.meter.chargeNative("move_stdlib.string.check_utf8", vec.items.length);
    return vec.items.length > PART_BYTES ? isUtf8InParts(vec) : [isUtf8(asBytes(vec))];
  },
  internal_is_char_boundary: (context, [ref, index]) => {
    context.meter.chargeNative("move_stdlib.string.is_char_boundary");
    const { items } = asVec(ref);
    const at = Number(asBig(index));
    return [at === 0 || at === items.length || (at < items.length && !isContinuation(items[at] as number))];
  },
  internal_sub_string: (context, [ref, from, to]) => {
    const [i, j] = [asBig(from), asBig(to)];
    context.meter.chargeNative("move_stdlib.string.sub_string", j < i ? 0 : Number(j - i));
    if (j < i) throw aborted(1);
    return [new Vec("u8", asVec(ref).items.slice(Number(i), Number(j)))];
  },
  internal_index_of: (context, [ref, pattern]) => {
    const [{ items: text }, { items: wanted }] = [asVec(ref), asVec(pattern)];
    context.meter.chargeNative("move_stdlib.string.index_of", wanted.length, "per_byte_pattern");
    return atOnce(text.length, indexOf(context, text, wanted));
  },
};

const signer: NativeModule = priced("move_stdlib.signer", {
  borrow_address: (_, [ref]) => [new Ref(asStruct(ref).fields, 0)],
});

const cmp: NativeModule = {
  compare: ({ meter }, [a, b]) => {
    const [one, other] = [asRef(a), asRef(b)];
    const size = abstractSize(one, true) + abstractSize(other, true);
    meter.chargeNative("move_stdlib.cmp.compare", size, "per_abs_val_unit");
    const order = compareValues(one.get(), other.get());
    return [new Struct([], order < 0 ? 0 : order === 0 ? 1 : 2)];
  },
};

const vector: NativeModule = {
  move_range: (context, [from, removal, length, to, insertion]) => {
    const { meter, session } = context;
    const key = "move_stdlib.vector.move_range";
    meter.charge(meter.price(`${key}.base`));
    if (!session.options.features.has(FEATURE_MEMORY_NATIVES)) throw aborted(0xd0002);
    const [source, target] = [asRef(from), asRef(to)];
    const [fromItems, toItems] = [asVec(source).items, asVec(target).items];
    const [at, count, into] = [asBig(removal), asBig(length), asBig(insertion)];
    if (at + count > BigInt(fromItems.length) || into > BigInt(toItems.length)) throw aborted(1);
    const [start, size, place] = [Number(at), Number(count), Number(into)];
    meter.charge(
      meter.price(`${key}.per_index_moved`) * (fromItems.length - start + (toItems.length - place) + size),
    );
    for (const { root } of [source, target]) if (root !== undefined) root.isDirty = true;
    const moved = fromItems.splice(start, size);
    return atOnce(toItems.length + size, insertAt(toItems, place, moved));
  },
};

/** Inserts many items; a spread of all of them would overflow the stack. */
function* insertAt(items: Value[], place: number, inserted: readonly Value[]): Pieces<readonly Value[]> {
  const rest = items.splice(place);
  for (const list of [inserted, rest])
    for (let i = 0; i < list.length; i++) {
      items.push(list[i] as Value);
      if (i % PART_BYTES === PART_BYTES - 1) yield;
    }
  return [];
}

const mem: NativeModule = priced("move_stdlib.mem", {
  swap: ({ session }, [a, b]) => {
    if (!session.options.features.has(FEATURE_MEMORY_NATIVES)) throw aborted(0xd0001);
    const [one, other] = [asRef(a), asRef(b)];
    const kept = one.get();
    one.set(other.get());
    other.set(kept);
    return [];
  },
});

export const STDLIB_NATIVES: Readonly<Record<string, NativeModule>> = {
  bcs,
  hash,
  string,
  signer,
  cmp,
  vector,
  mem,
};
