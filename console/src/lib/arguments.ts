// From what the reader typed for a parameter to JSON text, as encode_submission takes it. Digits stay text: no number of
// JavaScript is in between.
import { parseExactJson } from "./exact-json.ts";
import {
  elementType,
  isAddressType,
  isIntegerType,
  isSmallInteger,
  optionType,
  STRING,
  type Structs,
} from "./move-types.ts";

/** JSON text, or what is wrong with what was typed. */
export type Literal = { readonly json: string } | { readonly error: string };

/** What was typed for a parameter. */
export interface Typed {
  readonly text: string;
  /** An Option without a value. */
  readonly none: boolean;
  /** Of a struct. */
  readonly fields?: Readonly<Record<string, Typed>>;
}

export const NOTHING: Typed = { text: "", none: false };

/** How a parameter is typed in. */
export type InputKind = "bool" | "line" | "text" | "list" | "struct" | "json" | "option";

/** What the types of parameters mean here: fields of structs, and addresses of names. */
export interface Meanings {
  readonly structs: Structs;
  readonly addressOf: (text: string) => string;
}

const PLAIN: Meanings = { structs: new Map(), addressOf: (text) => text };

export function inputKind(type: string, structs: Structs = PLAIN.structs): InputKind {
  if (type === "bool") return "bool";
  if (isIntegerType(type) || isAddressType(type) || type === "vector<u8>") return "line";
  if (type === STRING) return "text";
  if (structs.has(type)) return "struct";
  const element = elementType(type);
  if (element !== undefined) return isIntegerType(element) || isAddressType(element) ? "list" : "json";
  const inner = optionType(type);
  return inner !== undefined && inputKind(inner, structs) !== "json" ? "option" : "json";
}

/** An example of a value, as JSON. */
function exampleOf(type: string, structs: Structs): string {
  if (type === "bool") return "false";
  if (isIntegerType(type)) return "0";
  if (isAddressType(type)) return '"0x1"';
  if (type === "vector<u8>") return '"0x"';
  if (type === STRING) return '""';
  const element = elementType(type);
  if (element !== undefined) return `[${exampleOf(element, structs)}]`;
  if (optionType(type) !== undefined) return '{"vec": []}';
  const fields = (structs.get(type) ?? []).map(
    ({ name, type: inner }) => `"${name}": ${exampleOf(inner, structs)}`,
  );
  return fields.length === 0 ? "{ }" : `{${fields.join(", ")}}`;
}

/** What the input shows while it is empty. */
export function placeholderOf(type: string, structs: Structs = PLAIN.structs): string {
  if (isAddressType(type)) return "0x1";
  if (type === "vector<u8>") return "0x";
  if (isIntegerType(type)) return "0";
  const element = elementType(type);
  if (inputKind(type, structs) === "list") return isAddressType(element ?? "") ? "0x1, 0x2" : "1, 2, 3";
  return type === STRING ? "" : exampleOf(type, structs);
}

function integer(type: string, text: string): string {
  // Anything else goes as a string; the node says what is wrong with it.
  return isSmallInteger(type) && /^-?\d{1,30}$/.test(text)
    ? text.replace(/^(-?)0+(?=\d)/, "$1")
    : JSON.stringify(text);
}

/** A parsed value as the node takes it: wide integers are strings, narrow ones are not, however they were written. */
function jsonOf(type: string, value: unknown, meanings: Meanings): string {
  const isScalar = typeof value === "string" || typeof value === "number";
  if (isIntegerType(type) && isScalar) return integer(type, `${value}`);
  if (isAddressType(type) && isScalar) return JSON.stringify(meanings.addressOf(`${value}`));
  const inner = elementType(type);
  if (inner !== undefined && Array.isArray(value))
    return `[${value.map((item) => jsonOf(inner, item, meanings)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const optional = optionType(type);
  const types = new Map(
    optional === undefined
      ? meanings.structs.get(type)?.map((field) => [field.name, field.type])
      : [["vec", `vector<${optional}>`]],
  );
  const members = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}: ${jsonOf(types.get(name) ?? "", item, meanings)}`,
  );
  return Array.isArray(value) ? JSON.stringify(value) : `{${members.join(", ")}}`;
}

/** The members of a list: `1, 2, 3`, one a line, or as JSON. */
function listOf(text: string): string[] {
  const inside = text.trim().replace(/^\[(.*)\]$/s, "$1");
  return inside
    .split(/[,\n]/)
    .map((item) => item.trim().replace(/^"(.*)"$/, "$1"))
    .filter((item, index, all) => item !== "" || index < all.length - 1);
}

/** The JSON of an argument. */
export function toLiteral(type: string, typed: Typed, meanings: Meanings = PLAIN): Literal {
  const { structs, addressOf } = meanings;
  const kind = inputKind(type, structs);
  if (kind === "option") {
    if (typed.none) return { json: '{"vec": []}' };
    const inner = toLiteral(optionType(type) ?? "", { ...typed, none: false }, meanings);
    return "error" in inner ? inner : { json: `{"vec": [${inner.json}]}` };
  }
  if (kind === "struct") {
    const members: string[] = [];
    for (const { name, type: inner } of structs.get(type) ?? []) {
      const literal = toLiteral(inner, typed.fields?.[name] ?? NOTHING, meanings);
      if ("error" in literal) return { error: `${name}: ${literal.error}` };
      members.push(`"${name}": ${literal.json}`);
    }
    return { json: `{${members.join(", ")}}` };
  }
  if (kind === "bool") return { json: typed.text === "true" ? "true" : "false" };
  if (kind === "text") return { json: JSON.stringify(typed.text) };
  const text = typed.text.trim();
  if (kind === "line")
    return { json: isAddressType(type) ? JSON.stringify(addressOf(text)) : integer(type, text) };
  if (kind === "list") {
    const items = listOf(text).map((item) => jsonOf(elementType(type) ?? "", item, meanings));
    return { json: `[${items.join(", ")}]` };
  }
  if (text === "") return { error: `expected JSON for ${type}, such as ${placeholderOf(type, structs)}` };
  try {
    return { json: jsonOf(type, parseExactJson(text), meanings) };
  } catch (error) {
    return { error: `that is not JSON: ${(error as Error).message}` };
  }
}

/** The part of a request that an error message of the node is about. */
export function faultyPart(message: string): string | undefined {
  const match = /^([a-z_]+(?:\.[a-z_]+|\[\d+\])*)(?:[: ,]| is missing)/.exec(message);
  return match?.[1];
}
