// Type tags and struct tags: concrete types, with their BCS form and their printed form. The text parser is in
// type-text.ts.
import { type Codec, lazy } from "../bcs/codec.ts";
import type { BcsReader } from "../bcs/reader.ts";
import { choice, struct, variants } from "../bcs/records.ts";
import { text, u8 } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import type { BcsWriter } from "../bcs/writer.ts";
import type { PrimitiveName } from "./abi.ts";
import { type Address, formatAddress } from "./address.ts";
import { addressCodec } from "./wire.ts";

/** How a function type's argument or result is passed. */
export type PassedAs = "reference" | "mutable" | "value";

export interface FunctionParamTag {
  readonly as: PassedAs;
  readonly type: TypeTag;
}

export interface FunctionTag {
  readonly kind: "function";
  readonly args: readonly FunctionParamTag[];
  readonly results: readonly FunctionParamTag[];
  /** Ability bits: copy 1, drop 2, store 4, key 8. */
  readonly abilities: number;
}

export type TypeTag =
  | { readonly kind: PrimitiveName }
  | { readonly kind: "vector"; readonly item: TypeTag }
  | { readonly kind: "struct"; readonly struct: StructTag }
  | FunctionTag;

export interface StructTag {
  readonly address: Address;
  readonly module: string;
  readonly name: string;
  readonly typeArgs: readonly TypeTag[];
}

/** Type tags that are nested more deeply have no bytes. */
export const MAX_TAG_NESTING = 8;
/** How deep the current tag is. Reading or writing one is never interrupted, so that one count is enough. */
let nesting = 0;

function enter(bytes: BcsReader | BcsWriter): void {
  if (nesting >= MAX_TAG_NESTING) bytes.fail("a type tag is nested too deeply");
  nesting++;
}

/** What a tag consists of, with the limit of nesting. */
function inside<T>({ minBytes, read, write, skip }: Codec<T>): Codec<T> {
  return {
    minBytes,
    read: (reader) => {
      enter(reader);
      try {
        return read(reader);
      } finally {
        nesting--;
      }
    },
    write: (writer, value) => {
      enter(writer);
      try {
        write(writer, value);
      } finally {
        nesting--;
      }
    },
    skip: (reader) => {
      enter(reader);
      try {
        skip(reader);
      } finally {
        nesting--;
      }
    },
  };
}

const anyTypeTag: Codec<TypeTag> = lazy(1, () => typeTagCodec);

const functionParamTagCodec: Codec<FunctionParamTag> = struct({
  as: choice("PassedAs", ["reference", "mutable", "value"]),
  type: anyTypeTag,
});

/** Struct tags on the wire. */
export const structTagCodec: Codec<StructTag> = struct({
  address: addressCodec,
  module: text,
  name: text,
  typeArgs: vector(anyTypeTag),
});

/** Type tags on the wire. */
export const typeTagCodec: Codec<TypeTag> = variants("TypeTag", {
  bool: {},
  u8: {},
  u64: {},
  u128: {},
  address: {},
  signer: {},
  vector: { item: inside(anyTypeTag) },
  struct: { struct: inside(structTagCodec) },
  u16: {},
  u32: {},
  u256: {},
  function: {
    args: inside(vector(functionParamTagCodec)),
    results: inside(vector(functionParamTagCodec)),
    abilities: u8,
  },
  i8: {},
  i16: {},
  i32: {},
  i64: {},
  i128: {},
  i256: {},
});

/** Prints a type: short addresses, `, ` between arguments. */
export function formatTypeTag(tag: TypeTag): string {
  switch (tag.kind) {
    case "vector":
      return `vector<${formatTypeTag(tag.item)}>`;
    case "struct":
      return formatStructTag(tag.struct);
    case "function":
      return formatFunctionTag(tag);
    default:
      return tag.kind;
  }
}

/** Prints a struct type: short addresses, `, ` between arguments. */
export function formatStructTag(tag: StructTag): string {
  const args = tag.typeArgs.length === 0 ? "" : `<${tag.typeArgs.map(formatTypeTag).join(", ")}>`;
  return `${formatAddress(tag.address)}::${tag.module}::${tag.name}${args}`;
}

const ABILITY_NAMES = ["copy", "drop", "store", "key"] as const;

/** For messages only: no parser accepts function types. */
function formatFunctionTag(tag: FunctionTag): string {
  const abilities = ABILITY_NAMES.filter((_, bit) => (tag.abilities & (1 << bit)) !== 0);
  const has = abilities.length === 0 ? "" : ` has ${abilities.join(" + ")}`;
  return `|${tag.args.map(formatParam).join(", ")}|(${tag.results.map(formatParam).join(", ")})${has}`;
}

function formatParam(param: FunctionParamTag): string {
  const prefix = { reference: "&", mutable: "&mut ", value: "" }[param.as];
  return `${prefix}${formatTypeTag(param.type)}`;
}
