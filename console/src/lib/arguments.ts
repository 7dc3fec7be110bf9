// From what the reader typed for a parameter to JSON text, as encode_submission takes it. Digits stay text: no number of
// JavaScript is in between.

/** JSON text, or what is wrong with what was typed. */
export type Literal = { readonly json: string } | { readonly error: string };

/** How a parameter is typed in. */
export type InputKind = "bool" | "line" | "text" | "json" | "option";

const NUMBERS = new Set(["u8", "u16", "u32", "i8", "i16", "i32"]);
const LINES = new Set([
  "u8",
  "u16",
  "u32",
  "u64",
  "u128",
  "u256",
  "i8",
  "i16",
  "i32",
  "i64",
  "i128",
  "i256",
  "address",
]);
const OPTION = /^0x1::option::Option<(.*)>$/;
const OBJECT = /^0x1::object::Object<.*>$/;
const STRING = "0x1::string::String";

/** The type inside an Option. */
export function optionType(type: string): string | undefined {
  return OPTION.exec(type)?.[1];
}

export function inputKind(type: string): InputKind {
  if (type === "bool") return "bool";
  if (LINES.has(type) || OBJECT.test(type) || type === "vector<u8>") return "line";
  if (type === STRING) return "text";
  const inner = optionType(type);
  return inner !== undefined && inputKind(inner) !== "json" ? "option" : "json";
}

/** What the input shows while it is empty. */
export function placeholderOf(type: string): string {
  if (type === "address" || OBJECT.test(type)) return "0x1";
  if (type === "vector<u8>") return "0x";
  if (/^[iu]\d+$/.test(type)) return "0";
  if (type === "vector<address>") return '["0x1", "0x2"]';
  if (/^vector<u(64|128|256)>$/.test(type)) return '["1", "2"]';
  if (type.startsWith("vector<")) return "[ ]";
  if (OPTION.test(type)) return '{"vec": []}';
  return type === STRING ? "" : "{ }";
}

/** The JSON of an argument. `none` stands for an Option without a value. */
export function toLiteral(type: string, typed: string, none = false): Literal {
  const kind = inputKind(type);
  if (kind === "option") {
    if (none) return { json: '{"vec": []}' };
    const inner = toLiteral(optionType(type) ?? "", typed);
    return "error" in inner ? inner : { json: `{"vec": [${inner.json}]}` };
  }
  if (kind === "bool") return { json: typed === "true" ? "true" : "false" };
  if (kind === "text") return { json: JSON.stringify(typed) };
  const text = typed.trim();
  if (kind === "line") {
    // Anything else goes as a string; the node says what is wrong with it.
    return {
      json:
        NUMBERS.has(type) && /^-?\d{1,30}$/.test(text)
          ? text.replace(/^(-?)0+(?=\d)/, "$1")
          : JSON.stringify(text),
    };
  }
  if (text === "") return { error: `expected JSON for ${type}, such as ${placeholderOf(type)}` };
  try {
    JSON.parse(text);
    return { json: text };
  } catch (error) {
    return { error: `that is not JSON: ${(error as Error).message}` };
  }
}

/** The part of a request that an error message of the node is about. */
export function faultyPart(message: string): string | undefined {
  const match = /^([a-z_]+(?:\.[a-z_]+|\[\d+\])*)(?:[: ,]| is missing)/.exec(message);
  return match?.[1];
}
