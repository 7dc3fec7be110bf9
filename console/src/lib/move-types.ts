// Types of Move as texts, and values by their types: JSON as the node takes it, and bytes as the ledger keeps them.
import { fromHex, toHex } from "./sign.ts";

/** Fields by the type of their struct. */
export type Structs = ReadonlyMap<string, readonly { readonly name: string; readonly type: string }[]>;

export interface StructParts {
  readonly address: string;
  readonly module: string;
  readonly name: string;
  readonly typeArguments: readonly string[];
}

export const STRING = "0x1::string::String";
const OPTION = /^0x1::option::Option<(.*)>$/;
const OBJECT = /^0x1::object::Object<.*>$/;
const VECTOR = /^vector<(.*)>$/;
const INTEGER = /^([iu])(8|16|32|64|128|256)$/;

/** Splits `a, b<c, d>` at its top level. */
function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "<") depth++;
    if (text[at] === ">") depth--;
    if (text[at] !== "," || depth > 0) continue;
    parts.push(text.slice(start, at).trim());
    start = at + 1;
  }
  return [...parts, text.slice(start).trim()];
}

export function structParts(type: string): StructParts | undefined {
  const match = /^(0x[0-9a-f]+)::(\w+)::(\w+)(?:<(.*)>)?$/.exec(type);
  if (match === null) return undefined;
  const [, address = "", module = "", name = "", inner] = match;
  return { address, module, name, typeArguments: inner === undefined ? [] : splitTypes(inner) };
}

/** The type inside an Option. */
export function optionType(type: string): string | undefined {
  return OPTION.exec(type)?.[1];
}

/** The type of a vector's elements. */
export function elementType(type: string): string | undefined {
  return VECTOR.exec(type)?.[1];
}

export function isAddressType(type: string): boolean {
  return type === "address" || OBJECT.test(type);
}

export function isIntegerType(type: string): boolean {
  return INTEGER.test(type);
}

/** Integers that the node takes as JSON numbers; wider ones are strings. */
export function isSmallInteger(type: string): boolean {
  return /^[iu](8|16|32)$/.test(type);
}

/** The structs that a value of this type has inside, without those that have a form of their own. */
export function typesInside(type: string): readonly string[] {
  const inner = elementType(type) ?? optionType(type);
  if (inner !== undefined) return typesInside(inner);
  return type === STRING || OBJECT.test(type) || structParts(type) === undefined ? [] : [type];
}

/** Reads BCS from the front. Every read throws where the bytes do not have what the type says. */
class BytesReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new Error("the bytes end too early");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  length(): number {
    let value = 0;
    for (let shift = 0; shift < 32; shift += 7) {
      const [byte = 0] = this.take(1);
      value += (byte & 0x7f) * 2 ** shift;
      // The shortest form alone is valid.
      if (byte < 0x80 && (byte > 0 || shift === 0) && value < 2 ** 32) return value;
      if (byte < 0x80) break;
    }
    throw new Error("expected a length in ULEB128");
  }
}

function readInteger(reader: BytesReader, type: string): string {
  const [, sign = "", bits = ""] = INTEGER.exec(type) ?? [];
  const value = reader.take(Number(bits) / 8).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return `${sign === "i" ? BigInt.asIntN(Number(bits), value) : value}`;
}

function readValue(reader: BytesReader, type: string, structs: Structs): unknown {
  if (INTEGER.test(type)) return readInteger(reader, type);
  if (type === "bool") {
    const [byte = 2] = reader.take(1);
    if (byte > 1) throw new Error("expected a bool");
    return byte === 1;
  }
  if (isAddressType(type)) return toHex(reader.take(32));
  if (type === STRING)
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(reader.take(reader.length()));
  const element = elementType(type);
  if (element === "u8") return toHex(reader.take(reader.length()));
  const optional = optionType(type);
  const inner = element ?? optional;
  if (inner !== undefined) {
    const count = reader.length();
    if (optional !== undefined && count > 1) throw new Error("expected at most one value");
    const items: unknown[] = [];
    for (let index = 0; index < count; index++) {
      // An element without bytes would let a length of a few bytes fill the memory.
      if (reader.isAtEnd) throw new Error("the bytes end too early");
      items.push(readValue(reader, inner, structs));
    }
    return optional === undefined ? items : (items[0] ?? null);
  }
  const fields = structs.get(type);
  if (fields === undefined) throw new Error(`the fields of ${type} are not known`);
  return Object.fromEntries(
    fields.map((field) => [field.name, readValue(reader, field.type, structs)] as const),
  );
}

/** The value in bytes of a type; undefined where the type is not known, or the bytes are not of it. */
export function decodeBytes(type: string, hex: string, structs: Structs): unknown {
  try {
    const reader = new BytesReader(fromHex(hex));
    const value = readValue(reader, type, structs);
    return reader.isAtEnd ? value : undefined;
  } catch {
    return undefined;
  }
}
