// Type tokens and signatures. One pass checks a signature without building types and keeps its highest type parameter,
// so that later checks are cheap. Types are built once, only for signatures that the ABI shows, and shared.
import type { AbiStructType, AbiType, PrimitiveName } from "../abi.ts";
import { readAbilityBits, type StructTypeParam } from "./abilities.ts";
import { type Cursor, MAX_INDEX } from "./cursor.ts";

/** Deepest nesting of a type; the outermost token is at depth 1. */
const MAX_TYPE_DEPTH = 256;

/** Tags of compound tokens. */
export const TOKEN = {
  reference: 0x06,
  mutableReference: 0x07,
  struct: 0x08,
  parameter: 0x09,
  vector: 0x0a,
  genericStruct: 0x0b,
  function: 0x10,
} as const;

/** Primitive tokens: tag, name, and the format version that introduced them. */
export const PRIMITIVE_TOKENS: readonly (readonly [tag: number, name: PrimitiveName, since: number])[] = [
  [0x01, "bool", 1],
  [0x02, "u8", 1],
  [0x03, "u64", 1],
  [0x04, "u128", 1],
  [0x05, "address", 1],
  [0x0c, "signer", 1],
  [0x0d, "u16", 6],
  [0x0e, "u32", 6],
  [0x0f, "u256", 6],
  [0x11, "i8", 9],
  [0x12, "i16", 9],
  [0x13, "i32", 9],
  [0x14, "i64", 9],
  [0x15, "i128", 9],
  [0x16, "i256", 9],
];

// The version that introduced each token; undefined for an unknown one.
const SINCE: (number | undefined)[] = [];
for (const tag of Object.values(TOKEN)) SINCE[tag] = tag === TOKEN.function ? 8 : 1;
const PRIMITIVES: (AbiType | undefined)[] = [];
for (const [tag, kind, since] of PRIMITIVE_TOKENS) {
  SINCE[tag] = since;
  PRIMITIVES[tag] = { kind };
}

// Shared, so that each use costs one pointer.
const PARAMETERS: readonly AbiType[] = Array.from({ length: 256 }, (_, index) => ({
  kind: "parameter",
  index,
}));

/** The shared empty list of types. */
export const NO_TYPES: readonly AbiType[] = [];

/** The part of a struct handle that type tokens need. */
export interface StructShape {
  readonly typeParams: readonly StructTypeParam[];
  /** The type without arguments: the type itself when the struct has no type parameters. */
  readonly base: AbiStructType;
}

/** A checked list of types. */
export class Signature {
  readonly length: number;
  /** Highest type parameter, -1 for none. */
  readonly highestParam: number;
  readonly #build: (signature: Signature) => readonly AbiType[];
  readonly offset: number;
  readonly bytes: number;
  #types: readonly AbiType[] | undefined;

  constructor(
    place: Pick<Signature, "offset" | "bytes" | "length" | "highestParam">,
    build: (signature: Signature) => readonly AbiType[],
  ) {
    this.offset = place.offset;
    this.bytes = place.bytes;
    this.length = place.length;
    this.highestParam = place.highestParam;
    this.#build = build;
  }

  /** The types, built on first use. */
  get types(): readonly AbiType[] {
    this.#types ??= this.#build(this);
    return this.#types;
  }
}

/** Reads type tokens. `highestParam` is the highest type parameter since the caller last set it to -1. */
export class TypeReader {
  highestParam = -1;
  readonly #cursor: Cursor;
  readonly #structs: readonly StructShape[];

  constructor(cursor: Cursor, structs: readonly StructShape[]) {
    this.#cursor = cursor;
    this.#structs = structs;
  }

  /** Reads one type. */
  type(depth = 1): AbiType {
    const at = this.#cursor.offset;
    const tag = this.#tag(depth);
    switch (tag) {
      case TOKEN.vector:
        return { kind: "vector", item: this.type(depth + 1) };
      case TOKEN.reference:
      case TOKEN.mutableReference:
        return { kind: "reference", mutable: tag === TOKEN.mutableReference, to: this.type(depth + 1) };
      case TOKEN.parameter: {
        const index = this.#parameter();
        return PARAMETERS[index] ?? { kind: "parameter", index };
      }
      case TOKEN.struct:
        return this.#struct(at).base;
      case TOKEN.genericStruct: {
        const { base, typeParams } = this.#genericStruct(at);
        const { address, module, name } = base;
        return { kind: "struct", address, module, name, typeArgs: this.#types(typeParams.length, depth + 1) };
      }
      case TOKEN.function: {
        const { abilities, argCount, resultCount } = this.#function();
        const args = this.#types(argCount, depth + 1);
        return { kind: "function", args, results: this.#types(resultCount, depth + 1), abilities };
      }
      default:
        return this.#primitive(tag);
    }
  }

  /** Skips one type, with the same checks as `type`. */
  skip(depth = 1): void {
    const at = this.#cursor.offset;
    switch (this.#tag(depth)) {
      case TOKEN.vector:
      case TOKEN.reference:
      case TOKEN.mutableReference:
        this.skip(depth + 1);
        break;
      case TOKEN.parameter:
        this.#parameter();
        break;
      case TOKEN.struct:
        this.#struct(at);
        break;
      case TOKEN.genericStruct: {
        const count = this.#genericStruct(at).typeParams.length;
        for (let i = 0; i < count; i++) this.skip(depth + 1);
        break;
      }
      case TOKEN.function: {
        const { argCount, resultCount } = this.#function();
        for (let i = 0; i < argCount + resultCount; i++) this.skip(depth + 1);
      }
    }
  }

  /** Checks a counted list of types. Building them later moves the cursor of this reader. */
  signature(): Signature {
    const length = this.#cursor.uleb(255, "signature length");
    const { offset } = this.#cursor;
    this.highestParam = -1;
    for (let i = 0; i < length; i++) this.skip();
    const bytes = this.#cursor.offset - offset;
    return new Signature({ offset, bytes, length, highestParam: this.highestParam }, this.#build);
  }

  readonly #build = (signature: Signature): readonly AbiType[] => {
    this.#cursor.offset = signature.offset;
    return this.#types(signature.length, 1);
  };

  #types(count: number, depth: number): readonly AbiType[] {
    if (count === 0) return NO_TYPES;
    return this.#cursor.elements(count, "type", () => this.type(depth));
  }

  #tag(depth: number): number {
    const cursor = this.#cursor;
    const at = cursor.offset;
    if (depth > MAX_TYPE_DEPTH) cursor.fail("MALFORMED", `type nested deeper than ${MAX_TYPE_DEPTH}`);
    const tag = cursor.u8("type token");
    const since = SINCE[tag];
    if (since === undefined) return cursor.fail("UNKNOWN_SERIALIZED_TYPE", `type token ${tag}`, at);
    if (cursor.version < since) {
      cursor.fail("MALFORMED", `type token ${tag} does not exist in format version ${cursor.version}`, at);
    }
    return tag;
  }

  #primitive(tag: number): AbiType {
    const type = PRIMITIVES[tag];
    if (type === undefined) throw new Error(`type token ${tag} has parts`);
    return type;
  }

  #parameter(): number {
    const index = this.#cursor.uleb(MAX_INDEX, "type parameter index");
    if (index > this.highestParam) this.highestParam = index;
    return index;
  }

  #struct(at: number): StructShape {
    const shape = this.#cursor.pick(this.#structs, "struct handle index");
    this.#assertArity(shape, 0, at);
    return shape;
  }

  #genericStruct(at: number): StructShape {
    const shape = this.#cursor.pick(this.#structs, "struct handle index");
    const count = this.#cursor.uleb(255, "type argument count");
    if (count === 0) this.#cursor.fail("MALFORMED", "a generic struct has at least one type argument", at);
    this.#assertArity(shape, count, at);
    return shape;
  }

  #assertArity({ typeParams }: StructShape, given: number, at: number): void {
    if (given === typeParams.length) return;
    const text = `the struct takes ${typeParams.length} type arguments, not ${given}`;
    this.#cursor.fail("NUMBER_OF_TYPE_ARGUMENTS_MISMATCH", text, at);
  }

  #function(): { readonly abilities: number; readonly argCount: number; readonly resultCount: number } {
    const abilities = readAbilityBits(this.#cursor, "struct");
    const argCount = this.#cursor.uleb(255, "function argument count");
    return { abilities, argCount, resultCount: this.#cursor.uleb(255, "function result count") };
  }
}
