// Random Move values: addresses, names, types.
import fc from "fast-check";
import type { ModuleId, PrimitiveName } from "../../src/move/abi.ts";
import { ADDRESS_LENGTH, type Address, addressFromBytes } from "../../src/move/address.ts";
import type { FunctionParamTag, StructTag, TypeTag } from "../../src/move/type-tag.ts";
import { anyCharacter } from "./property.ts";

/** Any u64, often near the limits. */
export const anyU64: fc.Arbitrary<bigint> = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });

/** Short byte strings. */
export const anyBytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 40 });

/** Exactly `length` bytes. */
export function bytesOf(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

/** 32-byte hashes. */
export const anyHash: fc.Arbitrary<Uint8Array> = bytesOf(32);

/** Text of any script. */
export const anyText: fc.Arbitrary<string> = fc.string({ unit: anyCharacter, maxLength: 12 });

/** Addresses, often short ones. */
export const anyAddress: fc.Arbitrary<Address> = fc
  .oneof(
    bytesOf(ADDRESS_LENGTH),
    fc.nat(255).map((last) => {
      const bytes = new Uint8Array(ADDRESS_LENGTH);
      bytes[ADDRESS_LENGTH - 1] = last;
      return bytes;
    }),
  )
  .map(addressFromBytes);

const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const NAME_PARTS = [...LETTERS, ..."0123456789_$"];
const RESERVED = new Set("u8 u16 u32 u64 u128 u256 bool address vector signer true false".split(" "));

/** Names that type text allows. */
export const anyName: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...LETTERS), fc.array(fc.constantFrom(...NAME_PARTS), { maxLength: 10 }))
  .map(([first, rest]) => first + rest.join(""))
  .filter((name) => !RESERVED.has(name));

/** A module's address and name. */
export const anyModuleId: fc.Arbitrary<ModuleId> = fc.record({ address: anyAddress, name: anyName });

const UNSIGNED: readonly PrimitiveName[] = [
  "bool",
  "u8",
  "u16",
  "u32",
  "u64",
  "u128",
  "u256",
  "address",
  "signer",
];
const SIGNED: readonly PrimitiveName[] = ["i8", "i16", "i32", "i64", "i128", "i256"];

function primitives(names: readonly PrimitiveName[]): fc.Arbitrary<TypeTag> {
  return fc.constantFrom(...names).map((kind) => ({ kind }));
}

const { anyTextualType, anyTextualStruct } = fc.letrec<{
  anyTextualType: TypeTag;
  anyTextualStruct: StructTag;
}>((tie) => ({
  anyTextualType: fc.oneof(
    { maxDepth: 4, depthIdentifier: "type" },
    primitives(UNSIGNED),
    fc.record({ kind: fc.constant("vector" as const), item: tie("anyTextualType") }),
    fc.record({ kind: fc.constant("struct" as const), struct: tie("anyTextualStruct") }),
  ),
  anyTextualStruct: fc.record({
    address: anyAddress,
    module: anyName,
    name: anyName,
    typeArgs: fc.array(tie("anyTextualType"), { maxLength: 3, depthIdentifier: "type" }),
  }),
}));

const { anyTypeTag, anyStructTag } = fc.letrec<{
  anyTypeTag: TypeTag;
  anyStructTag: StructTag;
  param: FunctionParamTag;
}>((tie) => ({
  anyTypeTag: fc.oneof(
    { maxDepth: 4, depthIdentifier: "type" },
    primitives([...UNSIGNED, ...SIGNED]),
    fc.record({ kind: fc.constant("vector" as const), item: tie("anyTypeTag") }),
    fc.record({ kind: fc.constant("struct" as const), struct: tie("anyStructTag") }),
    fc.record({
      kind: fc.constant("function" as const),
      args: fc.array(tie("param"), { maxLength: 2, depthIdentifier: "type" }),
      results: fc.array(tie("param"), { maxLength: 2, depthIdentifier: "type" }),
      abilities: fc.nat(255),
    }),
  ),
  anyStructTag: fc.record({
    address: anyAddress,
    module: anyText,
    name: anyText,
    typeArgs: fc.array(tie("anyTypeTag"), { maxLength: 3, depthIdentifier: "type" }),
  }),
  param: fc.record({
    as: fc.constantFrom("reference" as const, "mutable" as const, "value" as const),
    type: tie("anyTypeTag"),
  }),
}));

export {
  /** Struct tags with any text as names. */
  anyStructTag,
  /** Structs that type text can express. */
  anyTextualStruct,
  /** Types that type text can express. */
  anyTextualType,
  /** Type tags of every kind. */
  anyTypeTag,
};
