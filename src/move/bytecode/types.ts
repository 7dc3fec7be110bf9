// Type tokens and signatures. Every token is walked once: the highest type parameter is kept with the
// signature, so that later checks cost nothing, and the decoded types are shared by all that refer to it.
import type { AbiStructType, AbiType, PrimitiveName } from "../abi.ts";
import { readAbilityBits, type StructTypeParam } from "./abilities.ts";
import { type Cursor, MAX_INDEX } from "./cursor.ts";

/** Deepest nesting of a type, the outermost token counted as 1. */
export const MAX_TYPE_DEPTH = 256;

/** Tags of the tokens that have parts. */
export const TOKEN = {
  reference: 0x06,
  mutableReference: 0x07,
  struct: 0x08,
  parameter: 0x09,
  vector: 0x0a,
  genericStruct: 0x0b,
  function: 0x10,
} as const;

/** Tokens without parts: tag, name, and the format version that brought them. */
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

const PRIMITIVES: ({ readonly type: AbiType; readonly since: number } | undefined)[] = [];
for (const [tag, kind, since] of PRIMITIVE_TOKENS) PRIMITIVES[tag] = { type: { kind }, since };

// Shared, so that the smallest tokens cost a pointer each.
const PARAMETERS: readonly AbiType[] = Array.from({ length: 256 }, (_, index) => ({
  kind: "parameter",
  index,
}));

/** The one empty list of types. */
export const NO_TYPES: readonly AbiType[] = [];

/** What a token needs of a struct handle. */
export interface StructShape {
  readonly typeParams: readonly StructTypeParam[];
  /** The type without arguments: the type itself when the struct has no type parameters. */
  readonly base: AbiStructType;
}

/** A list of types with the highest type parameter in it (-1 for none). */
export interface Signature {
  readonly types: readonly AbiType[];
  readonly highestParam: number;
}

const NO_SIGNATURE: Signature = { types: NO_TYPES, highestParam: -1 };

/** Reads tokens and keeps the highest type parameter met since `highestParam` was last set to -1. */
export class TypeReader {
  highestParam = -1;
  readonly #cursor: Cursor;
  readonly #structs: readonly StructShape[];

  constructor(cursor: Cursor, structs: readonly StructShape[]) {
    this.#cursor = cursor;
    this.#structs = structs;
  }

  /** One type with everything nested in it. */
  type(depth = 1): AbiType {
    const cursor = this.#cursor;
    const at = cursor.offset;
    if (depth > MAX_TYPE_DEPTH) cursor.fail("MALFORMED", `type nested deeper than ${MAX_TYPE_DEPTH}`);
    const tag = cursor.u8("type token");
    const primitive = PRIMITIVES[tag];
    if (primitive !== undefined) {
      if (cursor.version < primitive.since) this.#tooNew(tag, at);
      return primitive.type;
    }
    switch (tag) {
      case TOKEN.vector:
        return { kind: "vector", item: this.type(depth + 1) };
      case TOKEN.reference:
      case TOKEN.mutableReference:
        return { kind: "reference", mutable: tag === TOKEN.mutableReference, to: this.type(depth + 1) };
      case TOKEN.parameter: {
        const index = cursor.uleb(MAX_INDEX, "type parameter index");
        if (index > this.highestParam) this.highestParam = index;
        return PARAMETERS[index] ?? { kind: "parameter", index };
      }
      case TOKEN.struct:
        return this.#struct(at, 0).base;
      case TOKEN.genericStruct:
        return this.#genericStruct(at, depth);
      case TOKEN.function:
        if (cursor.version < 8) this.#tooNew(tag, at);
        return this.#function(depth);
      default:
        return cursor.fail("UNKNOWN_SERIALIZED_TYPE", `type token ${tag}`, at);
    }
  }

  /** A counted list of types as a signature. */
  signature(): Signature {
    const count = this.#cursor.uleb(255, "signature length");
    if (count === 0) return NO_SIGNATURE;
    this.highestParam = -1;
    const types = this.#types(count, 1);
    return { types, highestParam: this.highestParam };
  }

  #types(count: number, depth: number): readonly AbiType[] {
    if (count === 0) return NO_TYPES;
    const types: AbiType[] = [];
    for (let i = 0; i < count; i++) types.push(this.type(depth));
    return types;
  }

  #struct(at: number, given: number | undefined): StructShape {
    const shape = this.#cursor.pick(this.#structs, "struct handle index");
    const wanted = shape.typeParams.length;
    if (given !== undefined && given !== wanted) this.#arity(wanted, given, at);
    return shape;
  }

  #genericStruct(at: number, depth: number): AbiType {
    const shape = this.#struct(at, undefined);
    const count = this.#cursor.uleb(255, "type argument count");
    if (count === 0) this.#cursor.fail("MALFORMED", "a generic struct has at least one type argument", at);
    if (count !== shape.typeParams.length) this.#arity(shape.typeParams.length, count, at);
    const { address, module, name } = shape.base;
    return { kind: "struct", address, module, name, typeArgs: this.#types(count, depth + 1) };
  }

  #function(depth: number): AbiType {
    const abilities = readAbilityBits(this.#cursor, "struct");
    const argCount = this.#cursor.uleb(255, "function argument count");
    const resultCount = this.#cursor.uleb(255, "function result count");
    const args = this.#types(argCount, depth + 1);
    const results = this.#types(resultCount, depth + 1);
    return { kind: "function", args, results, abilities };
  }

  #arity(wanted: number, given: number, at: number): never {
    return this.#cursor.fail(
      "NUMBER_OF_TYPE_ARGUMENTS_MISMATCH",
      `the struct takes ${wanted} type arguments, not ${given}`,
      at,
    );
  }

  #tooNew(tag: number, at: number): never {
    const { version } = this.#cursor;
    return this.#cursor.fail(
      "MALFORMED",
      `type token ${tag} does not exist in format version ${version}`,
      at,
    );
  }
}
