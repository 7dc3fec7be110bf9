// Values of a run. Integers up to 32 bits are numbers, wider ones bigints; an address is its 64 hex digits; what has
// parts is an object that is never shared: copying is deep. A reference names a place: an array and an index.
import type { AbiType, PrimitiveName } from "../move/abi.ts";
import type { FunctionReference } from "../move/bytecode/program.ts";
import { invariant, STATUS, VmError } from "./errors.ts";

export type Value = number | bigint | boolean | string | Struct | Vec | Closure | Ref | Delayed;

export const MAX_VALUE_DEPTH = 128;
const NO_PARTS: readonly Value[] = [];
/** Units of one walk through a value: several times the memory that the chain allows a run, so only faulty values have more. */
const MAX_WALK = 1 << 26;
const CONTAINER_UNITS = 40;
/** As long as one instruction takes, about. */
const UNITS_PER_STEP = 64;
const LOAD_UNITS = 256 * UNITS_PER_STEP;
const UNITS_PER_LOADED_BYTE = 8;

/** Units that walks passed since they were taken, and where the walk that goes on must end. They stay small integers. */
let walked = 0;
let walkEnd = 0;

/** Counts a value that has parts, at its place in a walk. Throws VmError for a value that no run can have made. */
export function visit(depth: number): void {
  if (depth === 1) {
    if (walked > MAX_WALK) walked = MAX_WALK;
    walkEnd = walked + MAX_WALK;
  } else if (depth > MAX_VALUE_DEPTH) throw tooDeep();
  visitParts(CONTAINER_UNITS);
}

export function visitParts(units: number): void {
  walked += units;
  if (walked > walkEnd) throw new VmError(STATUS.memoryLimitExceeded, "a value has too many parts");
}

/** Counts the load of an item: it takes as long as some hundred instructions, and longer with every byte. */
export function countLoad(bytes: number): void {
  countWork(LOAD_UNITS + UNITS_PER_LOADED_BYTE * bytes);
}

/** Counts other work that is not priced by its time, in the units of walks. */
export function countWork(units: number): void {
  walked += units;
}

/** Instructions that would have taken as long as the walks and loads since the last call. */
export function takeWalkedSteps(): number {
  const steps = (walked / UNITS_PER_STEP) | 0;
  walked = 0;
  return steps;
}

/** A struct; an enum has the tag of its variant. A signer is an enum with the address as its only field. */
export class Struct {
  fields: Value[];
  /** -1 for a struct. */
  tag: number;

  constructor(fields: Value[], tag = -1) {
    this.fields = fields;
    this.tag = tag;
  }
}

/** Types whose vectors the chain stores packed. Others are "other". */
export type ItemKind = Exclude<PrimitiveName, "signer"> | "other";

export class Vec {
  items: Value[];
  readonly kind: ItemKind;

  constructor(kind: ItemKind, items: Value[]) {
    this.kind = kind;
    this.items = items;
  }
}

/** A function with some of its arguments. */
export class Closure {
  readonly target: Pick<FunctionReference, "module" | "name">;
  readonly typeArgs: readonly AbiType[];
  readonly mask: bigint;
  captured: Value[];
  /** Types of the captured values, as they are stored. Undefined if the closure cannot be stored. */
  readonly layouts: readonly unknown[] | undefined;

  constructor(
    target: Pick<FunctionReference, "module" | "name">,
    typeArgs: readonly AbiType[],
    mask: bigint,
    captured: Value[],
    layouts: readonly unknown[] | undefined,
  ) {
    this.target = target;
    this.typeArgs = typeArgs;
    this.mask = mask;
    this.captured = captured;
    this.layouts = layouts;
  }
}

/**
 * The number of an aggregator or of a snapshot, or the text made of one. While the chain runs a block, the number may not
 * be known yet: code cannot compare or encode it. Only natives of aggregators look inside.
 */
export class Delayed {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** What writes through a reference mark as changed. */
export interface Root {
  isDirty: boolean;
  /** True if an aggregator in it changed: it is then written, but its deposit stays. */
  hasAggregatorChange: boolean;
}

export class Ref {
  readonly container: Value[];
  readonly index: number;
  readonly root: Root | undefined;

  constructor(container: Value[], index: number, root?: Root) {
    this.container = container;
    this.index = index;
    this.root = root;
  }

  get(): Value {
    const value = this.container[this.index];
    if (value === undefined) throw invariant("a reference to nothing");
    return value;
  }

  set(value: Value): void {
    this.container[this.index] = value;
    if (this.root !== undefined) this.root.isDirty = true;
  }
}

export function itemKindOf({ kind }: { readonly kind: string }): ItemKind {
  return kind in PACKED_SIZES ? (kind as ItemKind) : "other";
}

export function signerOf(address: string): Struct {
  return new Struct([address], 0);
}

export function byteVec(bytes: Uint8Array): Vec {
  const items = new Array<Value>(bytes.length);
  for (let i = 0; i < bytes.length; i++) items[i] = bytes[i] as number;
  return new Vec("u8", items);
}

export function tooDeep(): VmError {
  return new VmError(STATUS.valueDepthReached, "a value is nested too deeply");
}

export function copyValue(value: Value, depth = 1): Value {
  if (typeof value !== "object") return value;
  visit(depth);
  if (value instanceof Struct) {
    const { fields } = value;
    visitParts(fields.length);
    const copies = new Array<Value>(fields.length);
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as Value;
      copies[i] = typeof field === "object" ? copyValue(field, depth + 1) : field;
    }
    return new Struct(copies, value.tag);
  }
  if (value instanceof Vec) {
    visitParts(value.items.length);
    if (value.kind !== "other") return new Vec(value.kind, value.items.slice());
    return new Vec(
      value.kind,
      value.items.map((item) => copyValue(item, depth + 1)),
    );
  }
  if (value instanceof Closure) {
    const { target, typeArgs, mask, captured, layouts } = value;
    return new Closure(
      target,
      typeArgs,
      mask,
      captured.map((one) => copyValue(one, depth + 1)),
      layouts,
    );
  }
  return value;
}

function isDelayed(): VmError {
  return new VmError(STATUS.delayedFieldMismatch, "the number of an aggregator cannot be compared");
}

/** Order of two values of one type: negative, zero or positive. */
export function compareValues(a: Value, b: Value, depth = 1): number {
  if (typeof a !== "object" || typeof b !== "object")
    return a === b ? 0 : (a as number) < (b as number) ? -1 : 1;
  visit(depth);
  if (a instanceof Delayed || b instanceof Delayed) throw isDelayed();
  if (a instanceof Ref) return compareValues(a.get(), b instanceof Ref ? b.get() : b, depth + 1);
  if (b instanceof Ref) return compareValues(a, b.get(), depth + 1);
  if (a instanceof Struct && b instanceof Struct) {
    if (a.tag !== b.tag) return a.tag - b.tag;
    return compareLists(a.fields, b.fields, depth);
  }
  if (a instanceof Vec && b instanceof Vec) return compareLists(a.items, b.items, depth);
  if (a instanceof Closure && b instanceof Closure) return compareClosures(a, b, depth);
  throw invariant("values of different kinds are compared");
}

function compareLists(a: readonly Value[], b: readonly Value[], depth: number): number {
  const length = Math.min(a.length, b.length);
  visitParts(length);
  for (let i = 0; i < length; i++) {
    const [one, other] = [a[i] as Value, b[i] as Value];
    if (one === other && typeof one !== "object") continue;
    const order = compareValues(one, other, depth + 1);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareClosures(a: Closure, b: Closure, depth: number): number {
  const [one, other] = [a.target, b.target];
  return (
    Buffer.compare(one.module.address, other.module.address) ||
    compareTexts(one.module.name, other.module.name) ||
    compareTexts(one.name, other.name) ||
    compareTypeLists(a.typeArgs, b.typeArgs) ||
    compareLists(a.captured, b.captured, depth)
  );
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Kinds of types in the order of their tags. */
const TYPE_ORDER: readonly string[] =
  "bool u8 u64 u128 address signer vector struct u16 u32 u256 function i8 i16 i32 i64 i128 i256".split(" ");

function compareTypes(a: AbiType, b: AbiType): number {
  // References come only in function types: immutable ones first, then mutable ones, then values.
  const rank = (type: AbiType): number => (type.kind === "reference" ? (type.mutable ? 1 : 0) : 2);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a.kind === "reference" && b.kind === "reference") return compareTypes(a.to, b.to);
  if (a.kind === "vector" && b.kind === "vector") return compareTypes(a.item, b.item);
  if (a.kind === "struct" && b.kind === "struct")
    return (
      Buffer.compare(a.address, b.address) ||
      compareTexts(a.module, b.module) ||
      compareTexts(a.name, b.name) ||
      compareTypeLists(a.typeArgs, b.typeArgs)
    );
  if (a.kind === "function" && b.kind === "function")
    return (
      compareTypeLists(a.args, b.args) || compareTypeLists(a.results, b.results) || a.abilities - b.abilities
    );
  return TYPE_ORDER.indexOf(a.kind) - TYPE_ORDER.indexOf(b.kind);
}

function compareTypeLists(a: readonly AbiType[], b: readonly AbiType[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareTypes(a[i] as AbiType, b[i] as AbiType);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Equality stops at the first difference, and vectors of different lengths are different at once. */
export function equalValues(a: Value, b: Value, depth = 1): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  visit(depth);
  if (a instanceof Delayed || b instanceof Delayed) throw isDelayed();
  if (a instanceof Ref) return equalValues(a.get(), b instanceof Ref ? b.get() : b, depth + 1);
  if (b instanceof Ref) return equalValues(a, b.get(), depth + 1);
  if (a instanceof Struct && b instanceof Struct) {
    return a.tag === b.tag && equalLists(a.fields, b.fields, depth);
  }
  if (a instanceof Vec && b instanceof Vec) return equalLists(a.items, b.items, depth);
  if (a instanceof Closure && b instanceof Closure) return compareClosures(a, b, depth) === 0;
  throw invariant("values of different kinds are compared");
}

function equalLists(a: readonly Value[], b: readonly Value[], depth: number): boolean {
  if (a.length !== b.length) return false;
  visitParts(a.length);
  for (let i = 0; i < a.length; i++) {
    const [one, other] = [a[i] as Value, b[i] as Value];
    if (one === other && typeof one !== "object") continue;
    if (!equalValues(one, other, depth + 1)) return false;
  }
  return true;
}

/** Units of memory that a value counts as, by the chain's schedule. */
const SCALAR_SIZE = 40;
/** What any value takes on the stack. */
export const STACK_SIZE = SCALAR_SIZE;
const PACKED_SIZES: Readonly<Record<ItemKind, number>> = {
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  u128: 16,
  u256: 32,
  bool: 1,
  address: 32,
  i8: 1,
  i16: 2,
  i32: 4,
  i64: 8,
  i128: 16,
  i256: 32,
  other: 0,
};
/** The walk that follows references does not pack these. */
const UNPACKED_WHEN_FOLLOWED: ReadonlySet<ItemKind> = new Set(["u16", "u32", "u256"]);

/** Size of a value; a reference counts as 40 units, or as what it names if references are followed. */
export function abstractSize(value: Value, follows = false, depth = 1): number {
  if (typeof value !== "object") return SCALAR_SIZE;
  visit(depth);
  if (value instanceof Struct) {
    let size = value.tag < 0 ? SCALAR_SIZE : 2 * SCALAR_SIZE;
    visitParts(value.fields.length);
    for (const field of value.fields)
      size += typeof field === "object" ? abstractSize(field, follows, depth + 1) : SCALAR_SIZE;
    return size;
  }
  if (value instanceof Vec) {
    const { kind, items } = value;
    if (kind !== "other") {
      const each = follows && UNPACKED_WHEN_FOLLOWED.has(kind) ? SCALAR_SIZE : PACKED_SIZES[kind];
      return SCALAR_SIZE + each * items.length;
    }
    let size = SCALAR_SIZE;
    visitParts(items.length);
    for (const item of items) size += abstractSize(item, follows, depth + 1);
    return size;
  }
  if (value instanceof Closure) {
    let size = SCALAR_SIZE;
    for (const one of value.captured) size += abstractSize(one, follows, depth + 1);
    return size;
  }
  if (value instanceof Delayed) return SCALAR_SIZE;
  return follows ? abstractSize(value.get(), follows, depth + 1) : SCALAR_SIZE;
}

/** More parts than this take milliseconds. */
const MANY_PARTS = 1 << 14;

/** True for a value with more than `MANY_PARTS`: it is worked on in pieces. */
export function isLarge(value: Value): boolean {
  return partsLeft(value, MANY_PARTS, 1) < 0;
}

function partsLeft(value: Value, most: number, depth: number): number {
  let left = most - 1;
  if (typeof value !== "object" || depth > MAX_VALUE_DEPTH) return left;
  if (value instanceof Vec && value.kind !== "other") return left - value.items.length;
  const parts =
    value instanceof Struct
      ? value.fields
      : value instanceof Vec
        ? value.items
        : value instanceof Closure
          ? value.captured
          : NO_PARTS;
  for (let i = 0; i < parts.length && left >= 0; i++) left = partsLeft(parts[i] as Value, left, depth + 1);
  return left;
}

/** The part of a value's size that is not on the stack. */
export function heapSize(value: Value): number {
  return typeof value !== "object" || value instanceof Ref ? 0 : abstractSize(value) - STACK_SIZE;
}

/** Size of the elements of a vector, as memory counts them. */
export function itemSize(kind: ItemKind): number {
  return kind === "other" ? SCALAR_SIZE : PACKED_SIZES[kind];
}

/** Bytes of a vector from one place to another, or to its end. The loop is the fastest way. */
export function bytesBetween({ items }: Vec, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(Math.min(to, items.length) - from);
  for (let i = 0; i < bytes.length; i++) bytes[i] = items[from + i] as number;
  return bytes;
}

export function asBytes(value: Value | undefined): Uint8Array {
  return bytesBetween(asVec(value), 0, Number.POSITIVE_INFINITY);
}

export function asStruct(value: Value | undefined): Struct {
  const struct = value instanceof Ref ? value.get() : value;
  if (!(struct instanceof Struct)) throw invariant("expected a struct");
  return struct;
}

export function asVec(value: Value | undefined): Vec {
  const vec = value instanceof Ref ? value.get() : value;
  if (!(vec instanceof Vec)) throw invariant("expected a vector");
  return vec;
}

export function asRef(value: Value | undefined): Ref {
  if (!(value instanceof Ref)) throw invariant("expected a reference");
  return value;
}

export function asAddress(value: Value | undefined): string {
  const address = value instanceof Ref ? value.get() : value;
  if (typeof address !== "string") throw invariant("expected an address");
  return address;
}

export function asBig(value: Value | undefined): bigint {
  const number = value instanceof Ref ? value.get() : value;
  if (typeof number !== "bigint") throw invariant("expected a wide integer");
  return number;
}

export function asNumber(value: Value | undefined): number {
  const number = value instanceof Ref ? value.get() : value;
  if (typeof number !== "number") throw invariant("expected a small integer");
  return number;
}
