// Natives that print values: string_utils.
import { isUtf8 } from "node:buffer";
import { toHex } from "../../base/hex.ts";
import type { Pieces } from "../../base/pieces.ts";
import type { AbiStructType, AbiType } from "../../move/abi.ts";
import { formatAddress } from "../../move/address.ts";
import { aborted, invariant } from "../errors.ts";
import type { Meter } from "../gas.ts";
import { isSpecialAddress } from "../linker.ts";
import type { NativeContext, NativeModule } from "../natives.ts";
import { formatType, substitute } from "../types.ts";
import {
  asBytes,
  asRef,
  asStruct,
  asVec,
  bytesBetween,
  type Closure,
  Delayed,
  MAX_VALUE_DEPTH,
  Struct,
  tooDeep,
  type Value,
  Vec,
} from "../values.ts";
import { argOf, bytesInParts } from "./stdlib.ts";

interface Form {
  readonly hasTypes: boolean;
  readonly isCanonical: boolean;
  readonly isSingleLine: boolean;
  readonly hasIntegerTypes: boolean;
}

const FORMAT = "aptos_framework.string_utils.format";
const STRING = "::string::String";
const OPTION = "::option::Option";

function isFramework({ address }: AbiStructType): boolean {
  return toHex(address).endsWith("1") && isSpecialAddress(toHex(address));
}

function isNamed(type: AbiStructType, name: string): boolean {
  return isFramework(type) && `::${type.module}::${type.name}` === name;
}

/** The number of an aggregator has no text. */
const NOT_KNOWN_YET = 3;

/** Texts of more bytes are added in pieces. */
const PIECE_BYTES = 1 << 12;

/** Text that grows by parts, with a pause after some. It counts as memory at once: types and names make it far longer than values. */
class Text {
  readonly bytes: Value[] = [];
  readonly #meter: Meter;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  *add(text: string | Uint8Array): Pieces<void> {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    this.#meter.useMemory(bytes.length);
    for (const byte of bytes) if (this.bytes.push(byte) % PIECE_BYTES === 0) yield;
  }

  /** The result of a native, whose memory is counted by its caller. */
  take(): readonly Value[] {
    this.#meter.releaseMemory(this.bytes.length);
    return [new Struct([new Vec("u8", this.bytes)])];
  }
}

class Printer {
  readonly #context: NativeContext;
  readonly #form: Form;
  readonly #out: Text;

  constructor(context: NativeContext, form: Form, out: Text) {
    this.#context = context;
    this.#form = form;
    this.#out = out;
  }

  /** Prints a value. `nesting` is its place in the value as a whole, `depth` that of its line. */
  *print(value: Value, type: AbiType, nesting = 1, depth = 0, isNamedBelow = true): Pieces<void> {
    this.#context.meter.chargeNative(FORMAT);
    if (value instanceof Delayed) throw aborted(NOT_KNOWN_YET);
    if (nesting > MAX_VALUE_DEPTH) throw tooDeep();
    const out = this.#out;
    switch (type.kind) {
      case "bool":
        return yield* out.add(`${value as boolean}`);
      case "address":
        return yield* out.add(this.#address(value as string));
      case "signer":
        return yield* out.add(`signer(${this.#address((value as Struct).fields[0] as string)})`);
      case "vector":
        return yield* this.#vector(asVec(value), type.item, nesting, depth, isNamedBelow);
      case "struct":
        return yield* this.#struct(value as Struct, type, nesting, depth, isNamedBelow);
      case "function":
        return yield* this.#closure(value as Closure, nesting, depth);
      case "reference":
        return yield* this.print(asRef(value).get(), type.to, nesting, depth, isNamedBelow);
      case "parameter":
        throw invariant("a type has no value");
      default:
        yield* out.add(`${value as bigint}${this.#form.hasIntegerTypes ? type.kind : ""}`);
    }
  }

  #address(address: string): string {
    if (this.#form.isCanonical) return `@${address}`;
    return `@${formatAddress(Buffer.from(address, "hex"))}`;
  }

  #perByte(bytes: number): void {
    const { meter } = this.#context;
    meter.charge(meter.price(`${FORMAT}.per_byte`) * bytes);
  }

  /** Items between brackets, with what separates them. */
  *#items(
    open: string,
    close: string,
    isBroken: boolean,
    depth: number,
    count: number,
    item: (i: number) => Pieces<void>,
  ): Pieces<void> {
    const out = this.#out;
    yield* out.add(open);
    if (count > 0) {
      const breaks = !this.#form.isSingleLine && isBroken;
      const space = (at: number): string => (breaks ? `\n${"  ".repeat(at)}` : " ");
      for (let i = 0; i < count; i++) {
        yield* out.add(i === 0 ? space(depth + 1) : `,${space(depth + 1)}`);
        yield* item(i);
      }
      yield* out.add(space(depth));
    }
    yield* out.add(close);
  }

  *#vector(vec: Vec, item: AbiType, nesting: number, depth: number, isNamedBelow: boolean): Pieces<void> {
    const { items } = vec;
    if (item.kind === "u8") {
      this.#perByte(items.length);
      yield* this.#out.add("0x");
      for (let at = 0; at < items.length; at += PIECE_BYTES)
        yield* this.#out.add(toHex(bytesBetween(vec, at, at + PIECE_BYTES)));
      return;
    }
    const isBroken = item.kind === "vector" || item.kind === "struct";
    yield* this.#items("[", "]", isBroken, depth, items.length, (i) =>
      this.print(items[i] as Value, item, nesting + 1, depth + 1, isNamedBelow),
    );
  }

  *#struct(
    value: Struct,
    type: AbiStructType,
    nesting: number,
    depth: number,
    isNamedBelow: boolean,
  ): Pieces<void> {
    const out = this.#out;
    if (isNamed(type, STRING)) {
      const bytes = asBytes(value.fields[0]);
      this.#perByte(bytes.length);
      const text = Buffer.from(bytes).toString();
      return yield* out.add(`"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
    }
    if (isNamed(type, OPTION)) return yield* this.#option(value, type, nesting, depth, isNamedBelow);
    const { abi } = this.#context.linker.struct(type);
    const { variants } = abi;
    const fields = variants === undefined ? abi.fields : (variants[value.tag]?.fields ?? []);
    const hasNames = variants === undefined && isNamedBelow;
    const name = hasNames ? `${this.#form.hasTypes ? formatType(type) : type.name} ` : "";
    const open = variants === undefined ? `${name}{` : `#${value.tag}{`;
    const print = function* (this: Printer, i: number): Pieces<void> {
      const field = fields[i] as (typeof fields)[number];
      if (hasNames) yield* out.add(`${field.name}: `);
      const fieldType = substitute(field.type, type.typeArgs);
      yield* this.print(value.fields[i] as Value, fieldType, nesting + 1, depth + 1, hasNames);
    };
    yield* this.#items(open, "}", true, depth, fields.length, print.bind(this));
  }

  *#option(
    value: Struct,
    type: AbiStructType,
    nesting: number,
    depth: number,
    isNamedBelow: boolean,
  ): Pieces<void> {
    const [item] = type.typeArgs;
    // An enum, or a struct with a vector of at most one.
    const [inner] = value.tag < 0 ? asVec(value.fields[0]).items : value.fields;
    if (inner === undefined || item === undefined) return yield* this.#out.add("None");
    yield* this.#out.add("Some(");
    yield* this.print(inner, item, nesting + 1, depth, isNamedBelow);
    yield* this.#out.add(")");
  }

  *#closure(closure: Closure, nesting: number, depth: number): Pieces<void> {
    const { target, typeArgs, mask, captured } = closure;
    const hex = toHex(target.module.address);
    const address = isSpecialAddress(hex) ? formatAddress(target.module.address) : `0x${hex}`;
    const args = typeArgs.length === 0 ? "" : `<${typeArgs.map(formatType).join(", ")}>`;
    const out = this.#out;
    yield* out.add(`${address}::${target.module.name}::${target.name}${args}(`);
    const params = this.#context.linker.function(target, typeArgs).definition.params;
    let taken = 0;
    for (let i = 0; taken < captured.length; i++) {
      if (i > 0) yield* out.add(", ");
      if (((mask >> BigInt(i)) & 1n) === 0n) yield* out.add("_");
      else {
        const type = substitute(params[i] ?? { kind: "bool" }, typeArgs);
        yield* this.print(captured[taken++] as Value, type, nesting + 1, depth);
      }
    }
    yield* out.add(captured.length > 0 ? ", ..)" : ")");
  }
}

const ITEMS_MISMATCH = 1;
const BAD_FORMAT = 2;

/** A list is nested pairs: Cons<T, N>{car, cdr} and NIL. */
function nextItem(
  rest: Value,
  type: AbiType,
): { value: Value; type: AbiType; rest: Value; restType: AbiType } {
  if (type.kind !== "struct" || !isNamed(type, "::string_utils::Cons")) throw aborted(ITEMS_MISMATCH);
  const [item, next] = type.typeArgs;
  const [value, tail] = asStruct(rest).fields;
  if (item === undefined || next === undefined || value === undefined || tail === undefined)
    throw aborted(ITEMS_MISMATCH);
  return { value, type: item, rest: tail, restType: next };
}

const [OPEN, CLOSE] = [0x7b, 0x7d];

function* formatList(
  context: NativeContext,
  vec: Vec,
  list: Value,
  listType: AbiType,
): Pieces<readonly Value[]> {
  const format = yield* bytesInParts(vec);
  if (!isUtf8(format)) throw aborted(BAD_FORMAT);
  const out = new Text(context.meter);
  const form = { hasTypes: true, isCanonical: false, isSingleLine: true, hasIntegerTypes: false };
  const printer = new Printer(context, form, out);
  let [rest, type] = [list, listType];
  for (let i = 0; i < format.length; i++) {
    const [one, next] = [format[i], format[i + 1]];
    const isBrace = one === OPEN || one === CLOSE;
    if (!isBrace || one === next) yield* out.add(format.subarray(i, i + 1));
    if (!isBrace) continue;
    i++;
    if (one === next) continue;
    if (one !== OPEN || next !== CLOSE) throw aborted(BAD_FORMAT);
    const item = nextItem(rest, type);
    yield* printer.print(item.value, item.type);
    [rest, type] = [item.rest, item.restType];
  }
  if (type.kind !== "struct" || !isNamed(type, "::string_utils::NIL")) throw aborted(ITEMS_MISMATCH);
  return out.take();
}

const string_utils: NativeModule = {
  *native_format(context, [value, hasTypes, isCanonical, isSingleLine, hasIntegerTypes], typeArgs) {
    const form = {
      hasTypes: hasTypes as boolean,
      isCanonical: isCanonical as boolean,
      isSingleLine: isSingleLine as boolean,
      hasIntegerTypes: hasIntegerTypes as boolean,
    };
    const out = new Text(context.meter);
    yield* new Printer(context, form, out).print(asRef(value).get(), argOf(typeArgs, 0));
    return out.take();
  },
  native_format_list: (context, [format, list], typeArgs) => {
    const vec = asVec(format);
    context.meter.chargeNative(FORMAT, vec.items.length);
    return formatList(context, vec, asRef(list).get(), argOf(typeArgs, 0));
  },
};

export const TEXT_NATIVES: Readonly<Record<string, NativeModule>> = { string_utils };
