// JSON values to BCS, guided by a layout: one walk over both, straight into the writer. The error names the path of the
// first fault, the expected JSON form, and the value found.
import { formatPath, type PathStep } from "../bcs/errors.ts";
import type { BcsWriter } from "../bcs/writer.ts";
import { ABSENT, type JsonDocument } from "../json/document.ts";
import { parseAddress } from "./address.ts";
import { MoveError } from "./errors.ts";
import type { EnumLayout, FieldsLayout, Layout, StructLayout } from "./layout.ts";
import { INTEGER_RANGES, isSmallInteger, parseHexBytes, parseInteger } from "./scalar-text.ts";

const LISTED_NAMES = 12;

/** Describes the JSON form of a layout, with its Move type where that is short. */
function expectedForm(layout: Layout): string {
  switch (layout.kind) {
    case "bool":
      return "true or false";
    case "address":
      return 'an address string such as "0x1"';
    case "bytes":
      return 'a hex string such as "0x0a" (vector<u8>)';
    case "string":
      return "a string";
    case "vector":
      return `an array, each item ${expectedForm(layout.item)}`;
    case "option":
      return layout.item.kind === "u8"
        ? 'an object {"vec": "0x"} for none or {"vec": "0x05"} for some (Option<u8>)'
        : `an object {"vec": []} for none or {"vec": [value]} for some, the value being ${expectedForm(layout.item)}`;
    case "struct":
      return `an object with the fields of ${layout.name}: ${listNames(layout.fields)}`;
    case "enum":
      return `an object with one member that names a variant of ${layout.name}: ${listNames(layout.variants)}`;
    default: {
      const { min, max } = INTEGER_RANGES[layout.kind];
      if (isSmallInteger(layout.kind)) return `a JSON integer from ${min} to ${max} (${layout.kind})`;
      return `a string of decimal digits such as "5" (${layout.kind})`;
    }
  }
}

function listNames(items: readonly { readonly name: string }[]): string {
  const names = items.slice(0, LISTED_NAMES).map((item) => item.name);
  return `${names.join(", ")}${items.length > LISTED_NAMES ? ", …" : ""}`;
}

/** The likely fix for a value of the wrong form; undefined when there is none. */
function likelyFix(layout: Layout, document: JsonDocument, value: number): string | undefined {
  const kind = document.kind(value);
  switch (layout.kind) {
    case "bool":
      return kind === "string" ? "write it without quotes" : undefined;
    case "address":
      if (kind === "number") return "put the address in quotes";
      return kind === "object" && document.member(value, "inner") >= 0
        ? 'write the address itself, without {"inner": …}'
        : undefined;
    case "bytes":
      if (kind === "array") return "write the bytes as one hex string, not as an array of numbers";
      return kind === "number" ? "write the bytes as a hex string in quotes" : undefined;
    case "string":
      return kind === "number" || kind === "boolean" ? "put it in quotes" : undefined;
    case "vector":
      return kind === "string" ? "only vector<u8> is written as one string; put the items in [ ]" : undefined;
    case "option":
      return optionFix(layout.item, document, value);
    case "struct":
      return kind === "string" && layout.fields.length === 1 && layout.fields[0]?.name === "inner"
        ? 'inside other types an object reference is written {"inner": "0x…"}'
        : undefined;
    case "enum":
      return kind === "object" && document.member(value, "__variant__") >= 0
        ? 'write {"Name": {fields}}, not {"__variant__": "Name", …}'
        : undefined;
    default:
      if (!isSmallInteger(layout.kind)) return kind === "number" ? "put the number in quotes" : undefined;
      if (kind === "string") return "write the number without quotes";
      return kind === "number" ? "write digits only, within the range" : undefined;
  }
}

function optionFix(item: Layout, document: JsonDocument, value: number): string {
  const none = item.kind === "u8" ? '{"vec": "0x"}' : '{"vec": []}';
  const kind = document.kind(value);
  if (kind === "null") return `write none as ${none}`;
  if (item.kind === "u8") return 'write some as {"vec": "0x05"}: one byte in hex';
  const inner = document.excerpt(value, 30);
  if (kind === "object") return 'the only member is "vec", an array of no or one value';
  return `write it as {"vec": ${kind === "array" ? inner : `[${inner}]`}}`;
}

/** Limit on the bytes of all values; no node accepts a larger transaction. */
const MAX_VALUE_BYTES = 8 * 1024 * 1024;

/** Longest name of a field or variant. */
const MAX_NAME_LENGTH = 255;

type SmallIntegerName = "u8" | "u16" | "u32" | "i8" | "i16" | "i32";

/** Ranges as numbers: comparing a number with a bigint is slow. */
const SMALL_RANGES: Readonly<Record<SmallIntegerName, { readonly min: number; readonly max: number }>> = {
  u8: { min: 0, max: 0xff },
  u16: { min: 0, max: 0xffff },
  u32: { min: 0, max: 0xffff_ffff },
  i8: { min: -0x80, max: 0x7f },
  i16: { min: -0x8000, max: 0x7fff },
  i32: { min: -0x8000_0000, max: 0x7fff_ffff },
};

/** A value in a JSON document, and its path for messages. */
export interface JsonSource {
  readonly document: JsonDocument;
  /** Tape index of the value. */
  readonly value: number;
  /** The writer changes it while it reads the value. */
  readonly path: PathStep[];
  /** True where enums may also come as nodes print them: `{"__variant__": "Name", …}`. */
  readonly takesPrinted?: boolean;
}

/** Writes the BCS of a JSON value of the given layout. Throws MoveError `value`. */
export function writeJsonValue(writer: BcsWriter, layout: Layout, source: JsonSource): void {
  new ValueWriter(writer, source).write(layout, source.value);
}

class ValueWriter {
  readonly #writer: BcsWriter;
  readonly #document: JsonDocument;
  readonly #path: PathStep[];
  readonly #takesPrinted: boolean;

  constructor(writer: BcsWriter, source: JsonSource) {
    this.#writer = writer;
    this.#document = source.document;
    this.#path = source.path;
    this.#takesPrinted = source.takesPrinted ?? false;
  }

  write(layout: Layout, value: number): void {
    switch (layout.kind) {
      case "bool":
        if (this.#document.kind(value) !== "boolean") this.#mismatch(layout, value);
        this.#writer.bool(this.#document.boolean(value));
        break;
      case "address":
        this.#writer.fixed(this.#scalar(layout, value, parseAddress));
        break;
      case "bytes":
        this.#writer.byteString(this.#scalar(layout, value, parseHexBytes));
        break;
      case "string":
        if (this.#document.kind(value) !== "string") this.#mismatch(layout, value);
        this.#writer.byteString(this.#document.stringBytes(value));
        break;
      case "vector":
        this.#vector(layout, value);
        break;
      case "option":
        this.#option(layout, value);
        break;
      case "struct":
        this.#struct(layout, value);
        break;
      case "enum":
        this.#enum(layout, value);
        break;
      default: {
        const { kind } = layout;
        if (isSmallInteger(kind)) this.#writer[kind](this.#number(kind, value));
        else this.#writer[kind](this.#scalar(layout, value, (text) => parseInteger(text, kind)));
      }
    }
    if (this.#writer.length > MAX_VALUE_BYTES) {
      this.#fail(`the arguments take more than ${MAX_VALUE_BYTES} bytes; no node accepts such a transaction`);
    }
  }

  #fail(reason: string): never {
    throw new MoveError("value", `${formatPath(this.#path)}: ${reason}`);
  }

  #mismatch(layout: Layout, value: number): never {
    const fix = likelyFix(layout, this.#document, value);
    this.#fail(
      `expected ${expectedForm(layout)}, got ${this.#document.excerpt(value)}${fix === undefined ? "" : `; ${fix}`}`,
    );
  }

  /** Parses a value that JSON holds as a string. */
  #scalar<T>(layout: Layout, value: number, parse: (text: string) => T): T {
    if (this.#document.kind(value) !== "string") this.#mismatch(layout, value);
    try {
      return parse(this.#document.string(value));
    } catch (error) {
      if (!(error instanceof MoveError)) throw error;
      return this.#fail(`expected ${expectedForm(layout)}: ${error.message}`);
    }
  }

  /** Reads a JSON number written as an integer. */
  #number(type: SmallIntegerName, value: number): number {
    if (this.#document.kind(value) !== "number") this.#mismatch({ kind: type }, value);
    const { min, max } = SMALL_RANGES[type];
    const number = this.#document.smallInteger(value);
    if (number === undefined || number < min || number > max) this.#mismatch({ kind: type }, value);
    return number;
  }

  #vector(layout: Layout & { kind: "vector" }, value: number): void {
    const document = this.#document;
    if (document.kind(value) !== "array") this.#mismatch(layout, value);
    this.#writer.uleb(document.count(value));
    const end = document.end(value);
    this.#path.push(0);
    for (let item = document.first(value), index = 0; item < end; item = document.next(item), index++) {
      this.#path[this.#path.length - 1] = index;
      this.write(layout.item, item);
    }
    this.#path.pop();
  }

  #option(layout: Layout & { kind: "option" }, value: number): void {
    const document = this.#document;
    if (document.kind(value) !== "object") this.#mismatch(layout, value);
    const vec = document.member(value, "vec");
    const isBytes = layout.item.kind === "u8";
    if (vec < 0 || document.kind(vec) !== (isBytes ? "string" : "array")) this.#mismatch(layout, value);
    this.#path.push("vec");
    if (isBytes) {
      const bytes = this.#scalar({ kind: "bytes" }, vec, parseHexBytes);
      if (bytes.length > 1) this.#tooMany(bytes.length);
      this.#writer.byteString(bytes);
    } else {
      const count = document.count(vec);
      if (count > 1) this.#tooMany(count);
      this.#vector({ kind: "vector", item: layout.item }, vec);
    }
    this.#path.pop();
  }

  #tooMany(count: number): never {
    this.#fail(`an Option holds at most one value, got ${count}; the chain would refuse it`);
  }

  #struct(layout: StructLayout, value: number): void {
    if (this.#document.kind(value) !== "object") this.#mismatch(layout, value);
    this.#fields(layout, value, undefined);
  }

  #enum(layout: EnumLayout, value: number): void {
    const document = this.#document;
    if (document.kind(value) !== "object") this.#mismatch(layout, value);
    const printed = this.#takesPrinted ? document.member(value, "__variant__") : ABSENT;
    if (printed !== ABSENT) {
      this.#printedEnum(layout, value, printed);
      return;
    }
    const name = document.first(value);
    if (name === document.end(value)) this.#mismatch(layout, value);
    const wanted = document.string(name);
    let body = name + 1;
    for (let other = document.next(body); other < document.end(value); other = document.next(body)) {
      if (!document.isString(other, wanted)) this.#mismatch(layout, value);
      body = other + 1;
    }
    const index = layout.variants.findIndex((variant) => variant.name === wanted);
    const variant = layout.variants[index];
    if (variant === undefined) this.#mismatch(layout, value);
    this.#path.push(wanted);
    if (document.kind(body) !== "object") {
      this.#fail(
        `expected an object with the fields of the variant (\`{}\` for none), got ${document.excerpt(body)}`,
      );
    }
    this.#writer.uleb(index);
    this.#fields(variant, body, `variant ${wanted}`);
    this.#path.pop();
  }

  #printedEnum(layout: EnumLayout, value: number, name: number): void {
    if (this.#document.kind(name) !== "string") this.#mismatch(layout, value);
    const wanted = this.#document.string(name);
    const index = layout.variants.findIndex((variant) => variant.name === wanted);
    const variant = layout.variants[index];
    if (variant === undefined) this.#mismatch(layout, value);
    this.#writer.uleb(index);
    this.#fields(variant, value, undefined);
  }

  /**
   * Finds the fields in one pass over the members, then writes them in declaration order. A struct ignores unknown
   * members; a variant, which `strictIn` names, refuses them.
   */
  #fields(layout: FieldsLayout, object: number, strictIn: string | undefined): void {
    const document = this.#document;
    const found: number[] = [];
    const end = document.end(object);
    for (let name = document.first(object); name < end; name = document.next(name + 1)) {
      const position = layout.positions.get(document.string(name));
      if (position !== undefined) found[position] = name + 1;
      else if (strictIn !== undefined) {
        this.#fail(`${strictIn} has no field ${document.excerpt(name)}; ${fieldList(layout)}`);
      }
    }
    for (const [position, field] of layout.fields.entries()) {
      const value = found[position];
      if (value === undefined) this.#fail(`the field ${field.name} is missing; ${fieldList(layout)}`);
      this.#path.push(field.name);
      this.write(field.layout, value);
      this.#path.pop();
    }
  }
}

function fieldList(layout: FieldsLayout): string {
  return layout.fields.length === 0
    ? "it has no fields"
    : `its fields are ${layout.fields
        .map((field) => field.name.slice(0, MAX_NAME_LENGTH))
        .join(", ")
        .slice(0, 400)}`;
}
