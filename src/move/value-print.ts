// BCS to JSON values, guided by a layout: the inverse of value-json.ts. A few bytes can print to many characters,
// because field names repeat with every item, so the printed size has a bound too.
import { toHex } from "../base/hex.ts";
import type { BcsReader } from "../bcs/reader.ts";
import { ADDRESS_LENGTH, formatAddressDigits } from "./address.ts";
import { MoveError } from "./errors.ts";
import type { EnumLayout, FieldsLayout, Layout, StructLayout } from "./layout.ts";

/** A JSON value. Objects have no prototype, so `__proto__` is an ordinary name. */
export type JsonValue =
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Form and size of printed values. */
export interface ValuePrinterOptions {
  /**
   * `requests`: enums as encode accepts them, `{"Name": {…}}`; `answers`: as nodes print them, `{"__variant__":
   * "Name", …}`.
   */
  readonly enums: "requests" | "answers";
  /** Limit on the JSON characters of all values of one printer, apart from escapes. */
  readonly maxCharacters: number;
  /** The hex of bytes that a reader gave. */
  readonly hexOf?: (bytes: Uint8Array) => string;
}

/** Characters of a piece of text, apart from a single long text or byte string. */
const PIECE_CHARACTERS = 8 << 10;

/** Deepest nesting of a printed value: clients and their parsers recurse. */
const MAX_DEPTH = 64;

/**
 * Prints values read from BCS. Throws BcsError for bytes that are not the canonical form of the layout, and
 * MoveError `value` for a value that is too large or too deep to print.
 */
export class ValuePrinter {
  readonly #options: ValuePrinterOptions;
  readonly #hexOf: (bytes: Uint8Array) => string;
  #printed = 0;
  #depth = 0;
  /** Text that is not part of a piece yet. */
  #unsent = "";

  constructor(options: ValuePrinterOptions) {
    this.#options = options;
    this.#hexOf = options.hexOf ?? toHex;
  }

  /** Reads one value of the layout. A refused value does not count towards the limit. */
  read(reader: BcsReader, layout: Layout): JsonValue {
    const printed = this.#printed;
    this.#depth = 0;
    try {
      return this.#read(reader, layout);
    } catch (error) {
      this.#printed = printed;
      throw error;
    }
  }

  /**
   * Reads one value as pieces of its JSON text: those of `JSON.stringify` of what `read` returns. The caller may let other
   * work run between two pieces. Throws like `read`.
   */
  *pieces(reader: BcsReader, layout: Layout): Generator<string, void> {
    const printed = this.#printed;
    this.#depth = 0;
    this.#unsent = "";
    try {
      if (isLong(layout)) yield* this.#print(reader, layout);
      else this.#addWhole(reader, layout);
      yield this.#unsent;
    } catch (error) {
      this.#printed = printed;
      throw error;
    }
  }

  /** The whole text of a value that is not long. Throws like `read`. */
  text(reader: BcsReader, layout: Layout): string {
    const printed = this.#printed;
    this.#depth = 0;
    this.#unsent = "";
    try {
      this.#addWhole(reader, layout);
      return this.#unsent;
    } catch (error) {
      this.#printed = printed;
      throw error;
    }
  }

  #add(text: string): void {
    this.#unsent += text;
  }

  /** Adds a value that is not long. Without an object for each struct, which would take longer than all the rest. */
  #addWhole(reader: BcsReader, layout: Layout): void {
    const heads = layout.kind === "struct" ? headsOf(layout) : undefined;
    if (layout.kind === "struct" && heads !== undefined) {
      this.#charge(2);
      this.#deeper();
      this.#add("{");
      for (const [i, { name, layout: field }] of layout.fields.entries()) {
        this.#charge(name.length + 2);
        this.#add(heads[i] ?? "");
        reader.enter(name);
        this.#addWhole(reader, field);
        reader.leave();
      }
      this.#add("}");
      this.#depth--;
    } else if (layout.kind === "option" && layout.item.kind !== "u8") {
      this.#charge(2);
      this.#deeper();
      this.#add('{"vec":[');
      if (this.#optionCount(reader) > 0) {
        reader.enter(0);
        this.#addWhole(reader, layout.item);
        reader.leave();
      }
      this.#add("]}");
      this.#depth--;
    } else {
      const value = this.#read(reader, layout);
      // Digits need no escapes.
      const isDigits = typeof value === "string" && layout.kind !== "string";
      this.#add(isDigits ? `"${value}"` : JSON.stringify(value));
    }
  }

  /** Prints a value of a long layout. What is not long is printed at once. */
  *#print(reader: BcsReader, layout: Layout): Generator<string, void> {
    this.#charge(2);
    if (layout.kind === "enum") {
      const variant = this.#variant(reader, layout);
      this.#deeper();
      if (this.#options.enums === "answers") {
        this.#add(`{"__variant__":${JSON.stringify(variant.name)}`);
        yield* this.#printFields(reader, variant, ",");
        this.#add("}");
      } else {
        this.#add(`{${JSON.stringify(variant.name)}:{`);
        yield* this.#printFields(reader, variant, "");
        this.#add("}}");
      }
    } else {
      this.#deeper();
      switch (layout.kind) {
        case "vector":
          yield* this.#printItems(reader, layout.item, reader.count(0));
          break;
        case "option":
          this.#add('{"vec":');
          yield* this.#printItems(reader, layout.item, this.#optionCount(reader));
          this.#add("}");
          break;
        case "struct":
          this.#add("{");
          yield* this.#printFields(reader, layout, "");
          this.#add("}");
          break;
        default:
          throw new Error(`a value of kind ${layout.kind} is not long`);
      }
    }
    this.#depth--;
  }

  *#printItems(reader: BcsReader, layout: Layout, count: number): Generator<string, void> {
    const itemIsLong = isLong(layout);
    this.#add("[");
    for (let i = 0; i < count; i++) {
      if (i > 0) this.#add(",");
      reader.enter(i);
      if (itemIsLong) yield* this.#print(reader, layout);
      else this.#addWhole(reader, layout);
      reader.leave();
      if (this.#unsent.length >= PIECE_CHARACTERS) {
        yield this.#unsent;
        this.#unsent = "";
      }
    }
    this.#add("]");
  }

  *#printFields(reader: BcsReader, { fields }: FieldsLayout, before: string): Generator<string, void> {
    let separator = before;
    for (const { name, layout } of fields) {
      this.#charge(name.length + 2);
      this.#add(`${separator}${JSON.stringify(name)}:`);
      separator = ",";
      reader.enter(name);
      if (isLong(layout)) yield* this.#print(reader, layout);
      else this.#addWhole(reader, layout);
      reader.leave();
    }
  }

  #read(reader: BcsReader, layout: Layout): JsonValue {
    // Values without bytes count too; otherwise a large count alone could cause endless work.
    this.#charge(2);
    switch (layout.kind) {
      case "bool":
        return reader.bool();
      case "u8":
      case "u16":
      case "u32":
      case "i8":
      case "i16":
      case "i32":
        return reader[layout.kind]();
      case "u64":
      case "u128":
      case "u256":
      case "i64":
      case "i128":
      case "i256":
        return this.#text(reader[layout.kind]().toString());
      case "address":
        return this.#text(formatAddressDigits(this.#hexOf(reader.fixed(ADDRESS_LENGTH))));
      case "bytes":
        return this.#text(`0x${this.#hexOf(reader.byteString())}`);
      case "string":
        return this.#text(reader.text());
      case "vector":
        return this.#nested(() => this.#items(reader, layout.item, reader.count(0)));
      case "option":
        return this.#nested(() => this.#option(reader, layout.item));
      case "struct":
        return this.#nested(() => this.#fields(reader, layout, emptyObject()));
      case "enum": {
        const variant = this.#variant(reader, layout);
        return this.#nested(() => {
          const out = emptyObject();
          if (this.#options.enums === "answers") {
            out.__variant__ = variant.name;
            return this.#fields(reader, variant, out);
          }
          out[variant.name] = this.#fields(reader, variant, emptyObject());
          return out;
        });
      }
    }
  }

  #variant(reader: BcsReader, layout: EnumLayout): EnumLayout["variants"][number] {
    const variant = layout.variants[reader.variant(layout.variants.length, layout.name)];
    if (variant === undefined) throw new Error("variant number in range without a definition");
    this.#charge(variant.name.length);
    return variant;
  }

  #charge(characters: number): void {
    this.#printed += characters;
    if (this.#printed > this.#options.maxCharacters) {
      throw new MoveError(
        "value",
        `it is too large to print: over ${this.#options.maxCharacters} characters`,
      );
    }
  }

  #text(text: string): string {
    this.#charge(text.length);
    return text;
  }

  #deeper(): void {
    if (++this.#depth > MAX_DEPTH) {
      throw new MoveError("value", `it is nested too deep to print: over ${MAX_DEPTH} levels`);
    }
  }

  #nested<T>(read: () => T): T {
    this.#deeper();
    const value = read();
    this.#depth--;
    return value;
  }

  #items(reader: BcsReader, layout: Layout, count: number): JsonValue[] {
    const items: JsonValue[] = [];
    for (let i = 0; i < count; i++) items.push(reader.field(i, () => this.#read(reader, layout)));
    return items;
  }

  #optionCount(reader: BcsReader): number {
    const at = reader.offset;
    const count = reader.count(0);
    if (count > 1) reader.fail(`an Option holds at most one value, not ${count}`, at);
    return count;
  }

  #option(reader: BcsReader, layout: Layout): JsonValue {
    const count = this.#optionCount(reader);
    const out = emptyObject();
    out.vec =
      layout.kind === "u8" ? `0x${this.#hexOf(reader.fixed(count))}` : this.#items(reader, layout, count);
    return out;
  }

  #fields(
    reader: BcsReader,
    layout: FieldsLayout,
    out: Record<string, JsonValue>,
  ): Record<string, JsonValue> {
    for (const { name, layout: field } of layout.fields) {
      this.#charge(name.length + 2);
      out[name] = reader.field(name, () => this.#read(reader, field));
    }
    return out;
  }
}

const structHeads = new WeakMap<StructLayout, readonly string[] | "none">();

/** What stands before each value of a struct. Undefined where two fields share a name, which an object has once. */
function headsOf(layout: StructLayout): readonly string[] | undefined {
  let heads = structHeads.get(layout);
  if (heads === undefined) {
    const { fields, positions } = layout;
    const made = fields.map(({ name }, i) => `${i > 0 ? "," : ""}${JSON.stringify(name)}:`);
    heads = positions.size === fields.length ? made : "none";
    structHeads.set(layout, heads);
  }
  return heads === "none" ? undefined : heads;
}

const longLayouts = new WeakMap<Layout, boolean>();

/** True where a value may have any number of parts. */
export function isLong(layout: Layout): boolean {
  switch (layout.kind) {
    case "vector":
      return true;
    case "option":
      return isLong(layout.item);
    case "struct":
    case "enum": {
      let known = longLayouts.get(layout);
      if (known === undefined) {
        const lists = layout.kind === "struct" ? [layout] : layout.variants;
        // An object has each name once, so such a list is not printed field by field.
        const isPlain = lists.every(
          ({ fields, positions }) =>
            positions.size === fields.length && !(layout.kind === "enum" && positions.has("__variant__")),
        );
        known = isPlain && lists.some(({ fields }) => fields.some((field) => isLong(field.layout)));
        longLayouts.set(layout, known);
      }
      return known;
    }
    default:
      return false;
  }
}

function emptyObject(): Record<string, JsonValue> {
  return Object.create(null) as Record<string, JsonValue>;
}
