// Layouts: what the bytes of a type look like, and values to and from BCS by them.
import { toHex } from "../base/hex.ts";
import { finish, type Pieces } from "../base/pieces.ts";
import { BcsError } from "../bcs/errors.ts";
import { BcsReader } from "../bcs/reader.ts";
import { BcsWriter } from "../bcs/writer.ts";
import type { PrimitiveName } from "../move/abi.ts";
import { addressFromBytes } from "../move/address.ts";
import { typeTagCodec } from "../move/type-tag.ts";
import { createType } from "../transaction/requests/type-arguments.ts";
import { asFault, invariant, STATUS, VmError } from "./errors.ts";
import { assertTagBytes, tagOf } from "./types.ts";
import {
  byteVec,
  Closure,
  Delayed,
  type ItemKind,
  isLarge,
  itemKindOf,
  MAX_VALUE_DEPTH,
  Struct,
  signerOf,
  type Value,
  Vec,
  visit,
  visitParts,
} from "./values.ts";

export type Layout =
  | { readonly kind: PrimitiveName }
  | { readonly kind: "vector"; readonly item: Layout; readonly itemKind: ItemKind }
  | { readonly kind: "struct"; readonly fields: readonly Layout[] }
  | { readonly kind: "enum"; readonly variants: readonly (readonly Layout[])[] }
  | { readonly kind: "function" }
  /** A number, or text, that may not be known while a block runs. */
  | { readonly kind: "delayed"; readonly inner: Layout };

/** How a signer is written: as its address alone, or as the enum that it is. */
export type SignerForm = "address" | "enum";

const CLOSURE_FORMAT = 1;

/** Short values are written here; what a writer takes of so few bytes is a copy. */
const scratch = new Uint8Array(64);

/** BCS of a value. Throws VmError for a value that has none. */
export function encodeValue(value: Value, layout: Layout, signers: SignerForm = "enum"): Uint8Array {
  const writer = new BcsWriter(scratch);
  try {
    write(writer, value, layout, signers, 1);
  } catch (error) {
    throw asFault(error);
  }
  return writer.take();
}

/** Bytes that are written or read in one piece. */
export const PIECE_BYTES = 1 << 14;

/** As `encodeValue`, for a value that may be large. */
export function* encodeInPieces(
  value: Value,
  layout: Layout,
  signers: SignerForm = "enum",
): Pieces<Uint8Array> {
  if (!isLarge(value)) return encodeValue(value, layout, signers);
  const writer = new BcsWriter(PIECE_BYTES);
  try {
    yield* writeInPieces(writer, value, layout, signers, 1);
  } catch (error) {
    throw asFault(error);
  }
  return writer.take();
}

function* writeInPieces(
  writer: BcsWriter,
  value: Value,
  layout: Layout,
  signers: SignerForm,
  depth: number,
): Pieces<void> {
  let parts: readonly Value[];
  let layouts: readonly Layout[] | Layout;
  if (value instanceof Vec && layout.kind === "vector") {
    [parts, layouts] = [value.items, layout.item];
    writer.count(parts.length);
  } else if (value instanceof Struct && (layout.kind === "struct" || layout.kind === "enum")) {
    [parts, layouts] = [value.fields, beginFields(writer, value, layout)];
  } else if (value instanceof Closure) {
    [parts, layouts, signers] = [value.captured, beginClosure(writer, value), "enum"];
  } else {
    write(writer, value, layout, signers, depth);
    return;
  }
  visit(depth);
  for (let i = 0; i < parts.length; i++) {
    const one = Array.isArray(layouts) ? (layouts[i] as Layout) : (layouts as Layout);
    const before = writer.length;
    if (value instanceof Closure) writeLayout(writer, one);
    if (typeof parts[i] === "object")
      yield* writeInPieces(writer, parts[i] as Value, one, signers, depth + 1);
    else write(writer, parts[i] as Value, one, signers, depth + 1);
    if ((before ^ writer.length) >= PIECE_BYTES) yield;
  }
}

const MAX_DELAYED = 10;

/** BCS of a value that the ledger keeps: it may have numbers of aggregators. */
export function encodeStored(value: Value, layout: Layout): Uint8Array {
  return finish(encodeStoredInPieces(value, layout));
}

/** As `encodeStored`, for a value that may be large. */
export function* encodeStoredInPieces(value: Value, layout: Layout): Pieces<Uint8Array> {
  if (!hasDelayed(layout)) return yield* encodeInPieces(value, layout);
  const budget = { left: MAX_DELAYED };
  return yield* encodeInPieces(withoutDelayed(value, budget), plainLayout(layout));
}

function withoutDelayed(value: Value, budget: { left: number }, depth = 1): Value {
  if (typeof value !== "object") return value;
  visit(depth);
  if (value instanceof Delayed) {
    if (--budget.left < 0) throw new VmError(STATUS.tooManyDelayedFields, "a value has too many aggregators");
    return value.value;
  }
  if (value instanceof Struct)
    return new Struct(
      value.fields.map((one) => withoutDelayed(one, budget, depth + 1)),
      value.tag,
    );
  if (value instanceof Vec && value.kind === "other")
    return new Vec(
      value.kind,
      value.items.map((one) => withoutDelayed(one, budget, depth + 1)),
    );
  return value;
}

const plainLayouts = new WeakMap<Layout, Layout>();

function plainLayout(layout: Layout): Layout {
  switch (layout.kind) {
    case "delayed":
      return layout.inner;
    case "vector":
    case "struct":
    case "enum":
      break;
    default:
      return layout;
  }
  let plain = plainLayouts.get(layout);
  if (plain === undefined) {
    plain =
      layout.kind === "vector"
        ? { ...layout, item: plainLayout(layout.item) }
        : layout.kind === "struct"
          ? { kind: "struct", fields: layout.fields.map(plainLayout) }
          : { kind: "enum", variants: layout.variants.map((fields) => fields.map(plainLayout)) };
    plainLayouts.set(layout, plain);
  }
  return plain;
}

const delayedLayouts = new WeakMap<Layout, boolean>();

export function hasDelayed(layout: Layout): boolean {
  if (layout.kind !== "struct" && layout.kind !== "enum") return findDelayed(layout);
  let found = delayedLayouts.get(layout);
  if (found === undefined) {
    found = findDelayed(layout);
    delayedLayouts.set(layout, found);
  }
  return found;
}

function findDelayed(layout: Layout): boolean {
  switch (layout.kind) {
    case "delayed":
      return true;
    case "vector":
      return hasDelayed(layout.item);
    case "struct":
      return layout.fields.some(hasDelayed);
    case "enum":
      return layout.variants.some((fields) => fields.some(hasDelayed));
    default:
      return false;
  }
}

function write(writer: BcsWriter, value: Value, layout: Layout, signers: SignerForm, depth: number): void {
  switch (layout.kind) {
    case "bool":
      writer.bool(value as boolean);
      return;
    case "u8":
    case "u16":
    case "u32":
    case "i8":
    case "i16":
    case "i32":
      writer[layout.kind](value as number);
      return;
    case "u64":
    case "u128":
    case "u256":
    case "i64":
    case "i128":
    case "i256":
      writer[layout.kind](value as bigint);
      return;
    case "address":
      writeAddress(writer, value as string);
      return;
    case "signer": {
      const { fields, tag } = value as Struct;
      const [address] = fields;
      if (tag !== 0) throw invariant("a permissioned signer is not written");
      if (signers === "enum") writer.uleb(0);
      writeAddress(writer, address as string);
      return;
    }
    default:
      break;
  }
  visit(depth);
  switch (layout.kind) {
    case "vector": {
      const { items } = value as Vec;
      visitParts(items.length);
      writer.count(items.length);
      if (layout.itemKind === "u8") writer.fixed(items as number[]);
      else for (const item of items) write(writer, item, layout.item, signers, depth + 1);
      return;
    }
    case "struct":
    case "enum": {
      const { fields } = value as Struct;
      const layouts = beginFields(writer, value as Struct, layout);
      for (let i = 0; i < fields.length; i++)
        write(writer, fields[i] as Value, layouts[i] as Layout, signers, depth + 1);
      return;
    }
    case "function":
      writeClosure(writer, value as Closure, depth);
      return;
    case "delayed":
      throw new VmError(STATUS.delayedFieldMismatch, "the number of an aggregator is not encoded");
  }
}

const addressBytes = Buffer.alloc(32);
/** The digits that are in `addressBytes`: code writes the same few addresses. */
let writtenAddress = "";

function writeAddress(writer: BcsWriter, address: string): void {
  if (address !== writtenAddress) addressBytes.write(address, "hex");
  writtenAddress = address;
  writer.fixed(addressBytes);
}

/** Writes the tag of an enum; gives the layouts of the fields. */
function beginFields(
  writer: BcsWriter,
  { tag, fields }: Struct,
  layout: Layout & { readonly kind: "struct" | "enum" },
): readonly Layout[] {
  if (layout.kind === "enum") writer.uleb(tag);
  const layouts = layout.kind === "struct" ? layout.fields : (layout.variants[tag] ?? []);
  if (fields.length !== layouts.length) throw invariant("a value does not have its layout");
  visitParts(fields.length);
  return layouts;
}

function writeClosure(writer: BcsWriter, closure: Closure, depth: number): void {
  const { captured } = closure;
  const layouts = beginClosure(writer, closure);
  for (let i = 0; i < captured.length; i++) {
    const layout = layouts[i] as Layout;
    writeLayout(writer, layout);
    write(writer, captured[i] as Value, layout, "enum", depth + 1);
  }
}

/** Writes what comes before the captured values; gives their layouts. */
function beginClosure(writer: BcsWriter, closure: Closure): readonly Layout[] {
  const { target, typeArgs, mask, captured } = closure;
  const layouts = closure.layouts as readonly Layout[] | undefined;
  if (layouts === undefined) throw invariant("a closure that cannot be stored");
  assertTagBytes(typeArgs);
  writer.uleb(5 + 2 * captured.length);
  writer.u16(CLOSURE_FORMAT);
  writer.fixed(target.module.address).text(target.module.name).text(target.name);
  writer.count(typeArgs.length);
  for (const type of typeArgs) typeTagCodec.write(writer, tagOf(type));
  writer.u64(mask);
  return layouts;
}

type LayoutTag = PrimitiveName | "vector" | "struct" | "native" | "function";

const LAYOUT_TAGS =
  "bool u8 u64 u128 address vector struct signer u16 u32 u256 native function i8 i16 i32 i64 i128 i256".split(
    " ",
  ) as LayoutTag[];

function writeLayout(writer: BcsWriter, layout: Layout): void {
  visitParts(1);
  if (layout.kind === "enum") {
    writer.uleb(6).uleb(1).count(layout.variants.length);
    for (const fields of layout.variants) {
      writer.count(fields.length);
      for (const field of fields) writeLayout(writer, field);
    }
    return;
  }
  if (layout.kind === "delayed") throw invariant("the number of an aggregator is not captured");
  writer.uleb(LAYOUT_TAGS.indexOf(layout.kind));
  if (layout.kind === "vector") writeLayout(writer, layout.item);
  if (layout.kind === "struct") {
    writer.uleb(0).count(layout.fields.length);
    for (const field of layout.fields) writeLayout(writer, field);
  }
}

function readLayout(reader: BcsReader, depth: number): Layout {
  if (depth > MAX_VALUE_DEPTH) reader.fail("a layout is nested too deeply");
  const kind = LAYOUT_TAGS[reader.uleb()];
  const list = (): Layout[] => Array.from({ length: reader.count() }, () => readLayout(reader, depth + 1));
  switch (kind) {
    case undefined:
    case "native":
      return reader.fail("an unknown layout");
    case "vector": {
      const item = readLayout(reader, depth + 1);
      return { kind, item, itemKind: itemKindOf(item) };
    }
    case "struct": {
      const form = reader.uleb();
      if (form === 0) {
        const fields = list();
        // Its values would have no bytes, so that a few bytes could say that there are millions.
        return fields.length === 0 ? reader.fail("a struct without fields") : { kind, fields };
      }
      if (form === 1) return { kind: "enum", variants: Array.from({ length: reader.count() }, list) };
      return reader.fail("an unknown struct layout");
    }
    default:
      return { kind };
  }
}

/** The value of some bytes; undefined if they are not the BCS of one. */
export function decodeValue(bytes: Uint8Array, layout: Layout): Value | undefined {
  if (layout.kind === "address") return bytes.length === 32 ? toHex(bytes) : undefined;
  try {
    const reader = new BcsReader(bytes);
    const value = read(reader, layout, 1);
    reader.finish();
    return value;
  } catch (error) {
    if (error instanceof BcsError) return undefined;
    throw error;
  }
}

/** As `decodeValue`, for bytes that may be many. Throws VmError for a value of more parts than a run could hold. */
export function* decodeInPieces(bytes: Uint8Array, layout: Layout): Pieces<Value | undefined> {
  if (bytes.length <= PIECE_BYTES) return decodeValue(bytes, layout);
  try {
    const reader = new BcsReader(bytes);
    const value = yield* readInPieces(reader, layout, 1, { left: MAX_READ_PARTS });
    reader.finish();
    return value;
  } catch (error) {
    if (error instanceof BcsError) return undefined;
    throw error;
  }
}

/** Vectors and structs, which take ten times the memory of a byte. */
const MAX_READ_PARTS = 1 << 19;

function* readInPieces(
  reader: BcsReader,
  layout: Layout,
  depth: number,
  budget: { left: number },
): Pieces<Value> {
  const isList = layout.kind === "vector";
  if ((!isList && layout.kind !== "struct") || depth > MAX_VALUE_DEPTH) return read(reader, layout, depth);
  if (--budget.left < 0) throw new VmError(STATUS.memoryLimitExceeded, "a value has too many parts");
  visit(depth);
  const parts: Value[] = [];
  const count = isList ? reader.count() : layout.fields.length;
  for (let i = 0; i < count; i++) {
    const one = isList ? layout.item : (layout.fields[i] as Layout);
    const before = reader.offset;
    const hasParts = one.kind === "vector" || one.kind === "struct";
    parts.push(hasParts ? yield* readInPieces(reader, one, depth + 1, budget) : read(reader, one, depth + 1));
    if ((before ^ reader.offset) >= PIECE_BYTES) yield;
  }
  return isList ? new Vec(layout.itemKind, parts) : new Struct(parts);
}

function read(reader: BcsReader, layout: Layout, depth: number): Value {
  switch (layout.kind) {
    case "address":
      return toHex(reader.fixed(32));
    case "signer":
      if (reader.uleb() !== 0) reader.fail("an unknown kind of signer");
      return signerOf(toHex(reader.fixed(32)));
    case "vector":
    case "struct":
    case "enum":
    case "function":
      break;
    case "delayed":
      return new Delayed(read(reader, layout.inner, depth));
    default:
      return reader[layout.kind]();
  }
  // A struct of an upstream's module may have no fields, and its values no bytes: they are counted.
  visit(depth);
  switch (layout.kind) {
    case "vector": {
      const { item, itemKind } = layout;
      if (itemKind === "u8") return byteVec(reader.byteString());
      const count = reader.count();
      const items = new Array<Value>(count);
      for (let i = 0; i < count; i++) items[i] = read(reader, item, depth + 1);
      return new Vec(itemKind, items);
    }
    case "struct":
      return new Struct(readFields(reader, layout.fields, depth));
    case "enum": {
      const tag = reader.uleb();
      const fields = layout.variants[tag];
      if (fields === undefined) return reader.fail("an unknown variant");
      return new Struct(readFields(reader, fields, depth), tag);
    }
    case "function":
      return readClosure(reader, depth);
  }
}

function readFields(reader: BcsReader, layouts: readonly Layout[], depth: number): Value[] {
  const fields = new Array<Value>(layouts.length);
  for (let i = 0; i < layouts.length; i++) fields[i] = read(reader, layouts[i] as Layout, depth + 1);
  return fields;
}

function readClosure(reader: BcsReader, depth: number): Closure {
  const parts = reader.uleb();
  if (parts < 5 || parts % 2 === 0) reader.fail("a closure with a wrong number of parts");
  if (reader.u16() !== CLOSURE_FORMAT) reader.fail("an unknown format of a closure");
  const address = addressFromBytes(Uint8Array.from(reader.fixed(32)));
  const module = { address, name: reader.text() };
  const name = reader.text();
  const typeArgs = Array.from({ length: reader.count() }, () => createType(typeTagCodec.read(reader)));
  const mask = reader.u64();
  const layouts: Layout[] = [];
  const captured: Value[] = [];
  for (let i = 0; i < (parts - 5) / 2; i++) {
    const layout = readLayout(reader, 1);
    layouts.push(layout);
    captured.push(read(reader, layout, depth + 1));
  }
  return new Closure({ module, name }, typeArgs, mask, captured, layouts);
}

/** Bytes of every value of a type, where they are all as long. */
export function constantSize(layout: Layout, count: (nodes: number) => void): number | undefined {
  count(1);
  switch (layout.kind) {
    case "vector":
    case "enum":
    case "signer":
    case "function":
      return undefined;
    case "struct": {
      let size = 0;
      for (const field of layout.fields) {
        const one = constantSize(field, count);
        if (one === undefined) return undefined;
        size += one;
      }
      return size;
    }
    case "delayed":
      return constantSize(layout.inner, count);
    case "bool":
      return 1;
    case "address":
      return 32;
    default:
      return Number(layout.kind.slice(1)) / 8;
  }
}
