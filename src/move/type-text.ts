// Parses type text such as `vector<0x1::coin::Coin<u8>>` in one pass without backtracking. Signed integers, function
// types and references have no text form and are refused.
import { hexDigit } from "../base/hex.ts";
import type { PrimitiveName } from "./abi.ts";
import { ADDRESS_LENGTH, type Address, parseAddress } from "./address.ts";
import { MoveError } from "./errors.ts";
import type { StructTag, TypeTag } from "./type-tag.ts";

/** Deepest nesting of a type in text; the outermost type is at depth 0. */
export const MAX_TYPE_TEXT_DEPTH = 8;

const SHOWN_LENGTH = 80;

const PRIMITIVES: ReadonlySet<string> = new Set([
  "bool",
  "u8",
  "u16",
  "u32",
  "u64",
  "u128",
  "u256",
  "address",
  "signer",
] satisfies PrimitiveName[]);

const RESERVED: ReadonlySet<string> = new Set([...PRIMITIVES, "vector", "true", "false"]);

/** Parses a type: a primitive, a vector or a struct with a full address. */
export function parseTypeTag(text: string): TypeTag {
  const parser = new TypeParser(text);
  const tag = parser.type(0);
  parser.end();
  return tag;
}

/** Parses a struct type; primitives and vectors are refused. */
export function parseStructTag(text: string): StructTag {
  const parser = new TypeParser(text);
  const tag = parser.struct(0);
  parser.end();
  return tag;
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

function isNamePart(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57) || code === 95 || code === 36;
}

/** Space, tab, line feed, form feed, carriage return. */
function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}

class TypeParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  type(depth: number): TypeTag {
    this.#blanks();
    const start = this.#at;
    if (this.#code() === 48) return { kind: "struct", struct: this.struct(depth) };
    this.#checkDepth(depth);
    if (!isLetter(this.#code())) this.#fail("a type", start);
    const word = this.#word();
    if (PRIMITIVES.has(word)) return { kind: word as PrimitiveName };
    if (word !== "vector") this.#fail("a type", start);
    this.#symbol("<");
    const item = this.type(depth + 1);
    this.#symbol(">");
    return { kind: "vector", item };
  }

  struct(depth: number): StructTag {
    this.#blanks();
    this.#checkDepth(depth);
    const address = this.#address();
    this.#symbol("::");
    const module = this.#name("a module name");
    this.#symbol("::");
    const name = this.#name("a struct name");
    this.#blanks();
    return { address, module, name, typeArgs: this.#text[this.#at] === "<" ? this.#typeArgs(depth) : [] };
  }

  end(): void {
    this.#blanks();
    if (this.#at < this.#text.length) this.#fail("the end of the type", this.#at);
  }

  #typeArgs(depth: number): TypeTag[] {
    this.#symbol("<");
    const args: TypeTag[] = [];
    for (;;) {
      this.#blanks();
      // Also after a comma: the list may be empty and may end with a comma.
      if (this.#text[this.#at] === ">") break;
      args.push(this.type(depth + 1));
      this.#blanks();
      if (this.#text[this.#at] !== ",") break;
      this.#at++;
    }
    if (this.#text[this.#at] !== ">") this.#fail('"," or ">"', this.#at);
    this.#at++;
    return args;
  }

  #address(): Address {
    const start = this.#at;
    if (this.#code() !== 48 || (this.#text.charCodeAt(start + 1) | 32) !== 120) {
      this.#fail("an address that starts with 0x", start);
    }
    const digits = start + 2;
    let end = digits;
    while (hexDigit(this.#text.charCodeAt(end)) >= 0) end++;
    if (end === digits) this.#fail("a hex digit", end);
    if (end - digits > 2 * ADDRESS_LENGTH) this.#fail(`at most ${2 * ADDRESS_LENGTH} hex digits`, start);
    this.#at = end;
    return parseAddress(this.#text.slice(digits, end));
  }

  #name(what: string): string {
    this.#blanks();
    const start = this.#at;
    if (!isLetter(this.#code())) this.#fail(what, start);
    const word = this.#word();
    if (RESERVED.has(word)) this.#fail(`${what} that is not a reserved word`, start);
    return word;
  }

  #word(): string {
    const start = this.#at;
    while (isNamePart(this.#code())) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #symbol(symbol: string): void {
    this.#blanks();
    if (!this.#text.startsWith(symbol, this.#at)) this.#fail(JSON.stringify(symbol), this.#at);
    this.#at += symbol.length;
  }

  #blanks(): void {
    while (isBlank(this.#code())) this.#at++;
  }

  /** Character code at the position; NaN, which equals nothing, at the end. */
  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #checkDepth(depth: number): void {
    if (depth > MAX_TYPE_TEXT_DEPTH) this.#fail(`at most ${MAX_TYPE_TEXT_DEPTH} levels of nesting`, this.#at);
  }

  #fail(expected: string, position: number): never {
    const found = position < this.#text.length ? shorten(this.#text.slice(position)) : "the end";
    throw new MoveError(
      "type",
      `type ${shorten(this.#text)}: expected ${expected} at position ${position}, got ${found}`,
      { details: { expected, position } },
    );
  }
}

function shorten(text: string): string {
  return JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);
}
