// Concrete types on the wire: type tags and struct tags, with their BCS form and their printed form. The
// text parser is in type-text.ts.
import type { Codec } from "../bcs/codec.ts";
import type { BcsReader } from "../bcs/reader.ts";
import type { BcsWriter } from "../bcs/writer.ts";
import type { PrimitiveName } from "./abi.ts";
import { ADDRESS_LENGTH, type Address, addressFromBytes, formatAddress } from "./address.ts";

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

/** Variant names in wire order. */
const KINDS = [
  "bool",
  "u8",
  "u64",
  "u128",
  "address",
  "signer",
  "vector",
  "struct",
  "u16",
  "u32",
  "u256",
  "function",
  "i8",
  "i16",
  "i32",
  "i64",
  "i128",
  "i256",
] as const satisfies readonly TypeTag["kind"][];

const PASSED_AS = ["reference", "mutable", "value"] as const satisfies readonly PassedAs[];

/** Address, two empty names, no arguments. */
const MIN_STRUCT_TAG_BYTES = ADDRESS_LENGTH + 3;

const NUMBERS: ReadonlyMap<TypeTag["kind"], number> = new Map(KINDS.map((kind, number) => [kind, number]));

/** Reads a type tag. */
export function readTypeTag(reader: BcsReader): TypeTag {
  reader.nest();
  const kind = KINDS[reader.variant(KINDS.length, "TypeTag")];
  let tag: TypeTag;
  switch (kind) {
    case undefined:
      throw new Error("variant number in range without a name");
    case "vector":
      tag = { kind, item: reader.field("item", readTypeTag) };
      break;
    case "struct":
      tag = { kind, struct: readStructTag(reader) };
      break;
    case "function":
      tag = {
        kind,
        args: reader.field("args", readParams),
        results: reader.field("results", readParams),
        abilities: reader.u8(),
      };
      break;
    default:
      tag = { kind };
  }
  reader.unnest();
  return tag;
}

/** Passes over a type tag, as strictly as `readTypeTag`. */
export function skipTypeTag(reader: BcsReader): void {
  reader.nest();
  const kind = KINDS[reader.variant(KINDS.length, "TypeTag")];
  switch (kind) {
    case "vector":
      reader.enter("item");
      skipTypeTag(reader);
      reader.leave();
      break;
    case "struct":
      skipStructTag(reader);
      break;
    case "function":
      skipParams(reader, "args");
      skipParams(reader, "results");
      reader.u8();
      break;
  }
  reader.unnest();
}

/** Writes a type tag. */
export function writeTypeTag(writer: BcsWriter, tag: TypeTag): void {
  const number = NUMBERS.get(tag.kind);
  if (number === undefined) throw new Error(`no variant number for ${tag.kind}`);
  writer.uleb(number);
  switch (tag.kind) {
    case "vector":
      writeTypeTag(writer, tag.item);
      break;
    case "struct":
      writeStructTag(writer, tag.struct);
      break;
    case "function":
      writer.vector(tag.args, writeParam).vector(tag.results, writeParam).u8(tag.abilities);
      break;
  }
}

function readParams(reader: BcsReader): FunctionParamTag[] {
  return reader.vector(readParam, 2);
}

function readParam(reader: BcsReader): FunctionParamTag {
  reader.nest();
  const as = PASSED_AS[reader.variant(PASSED_AS.length, "FunctionParamTag")] ?? "value";
  const type = readTypeTag(reader);
  reader.unnest();
  return { as, type };
}

function skipParams(reader: BcsReader, name: string): void {
  reader.enter(name);
  const count = reader.count(2);
  for (let i = 0; i < count; i++) {
    reader.enter(i);
    reader.nest();
    reader.variant(PASSED_AS.length, "FunctionParamTag");
    skipTypeTag(reader);
    reader.unnest();
    reader.leave();
  }
  reader.leave();
}

function writeParam(writer: BcsWriter, param: FunctionParamTag): void {
  writer.uleb(PASSED_AS.indexOf(param.as));
  writeTypeTag(writer, param.type);
}

function readText(reader: BcsReader): string {
  return reader.text();
}

function readTypeArgs(reader: BcsReader): TypeTag[] {
  return reader.vector(readTypeTag);
}

/** Reads a struct tag. Its address is a view on the input. */
export function readStructTag(reader: BcsReader): StructTag {
  reader.nest();
  const address = addressFromBytes(reader.fixed(ADDRESS_LENGTH));
  const module = reader.field("module", readText);
  const name = reader.field("name", readText);
  const typeArgs = reader.field("type_args", readTypeArgs);
  reader.unnest();
  return { address, module, name, typeArgs };
}

/** Passes over a struct tag, as strictly as `readStructTag`. */
export function skipStructTag(reader: BcsReader): void {
  reader.nest();
  reader.skip(ADDRESS_LENGTH);
  reader.enter("module");
  reader.skipText();
  reader.leave();
  reader.enter("name");
  reader.skipText();
  reader.leave();
  reader.enter("type_args");
  const count = reader.count();
  for (let i = 0; i < count; i++) {
    reader.enter(i);
    skipTypeTag(reader);
    reader.leave();
  }
  reader.leave();
  reader.unnest();
}

/** Writes a struct tag. */
export function writeStructTag(writer: BcsWriter, tag: StructTag): void {
  writer.fixed(tag.address).text(tag.module).text(tag.name).vector(tag.typeArgs, writeTypeTag);
}

/** Type tags as a codec. */
export const typeTagCodec: Codec<TypeTag> = {
  minBytes: 1,
  read: readTypeTag,
  write: writeTypeTag,
  skip: skipTypeTag,
};

/** Struct tags as a codec. */
export const structTagCodec: Codec<StructTag> = {
  minBytes: MIN_STRUCT_TAG_BYTES,
  read: readStructTag,
  write: writeStructTag,
  skip: skipStructTag,
};

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

/** Function types have no text that parses back; this form is for people and never ambiguous to them. */
function formatFunctionTag(tag: FunctionTag): string {
  const abilities = ABILITY_NAMES.filter((_, bit) => (tag.abilities & (1 << bit)) !== 0);
  const has = abilities.length === 0 ? "" : ` has ${abilities.join(" + ")}`;
  return `|${tag.args.map(formatParam).join(", ")}|(${tag.results.map(formatParam).join(", ")})${has}`;
}

function formatParam(param: FunctionParamTag): string {
  const prefix = { reference: "&", mutable: "&mut ", value: "" }[param.as];
  return `${prefix}${formatTypeTag(param.type)}`;
}
