// Parser of types in module definitions: the printed form of ABI types. Function types, which print ambiguously, are
// `fn(u64,&T0):(bool)+copy+drop`. Limits depth and length.
import type { AbiType, PrimitiveName } from "../../src/move/abi.ts";
import { parseAddress } from "../../src/move/address.ts";
import { ABILITIES } from "../../src/move/bytecode/abilities.ts";
import { PRIMITIVE_TOKENS } from "../../src/move/bytecode/types.ts";
import { MoveError } from "../../src/move/errors.ts";
import { isIdentifier } from "../../src/move/identifier.ts";

const MAX_TEXT_LENGTH = 10_000;
const MAX_DEPTH = 64;

const PRIMITIVES = new Map<string, PrimitiveName>(PRIMITIVE_TOKENS.map(([, name]) => [name, name]));

/** Parses `u64`, `&mut T0`, `vector<address>`, `0x1::object::Object<0x1::m::S>` and the like. */
export function parseAbiType(text: string): AbiType {
  if (text.length > MAX_TEXT_LENGTH) {
    throw new MoveError("type", `a type has at most ${MAX_TEXT_LENGTH} characters, not ${text.length}`);
  }
  const parser = new Parser(text);
  const type = parser.type(1);
  parser.finish();
  return type;
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  type(depth: number): AbiType {
    if (depth > MAX_DEPTH) this.#fail(`nested deeper than ${MAX_DEPTH}`);
    if (this.#take("&")) {
      const mutable = this.#take("mut ");
      return { kind: "reference", mutable, to: this.type(depth + 1) };
    }
    const word = this.#word();
    const primitive = PRIMITIVES.get(word);
    if (primitive !== undefined) return { kind: primitive };
    if (word === "fn") return this.#function(depth);
    if (word === "vector") {
      const [item, more] = this.#args(depth);
      if (item === undefined || more !== undefined) return this.#fail("a vector has one item type");
      return { kind: "vector", item };
    }
    if (isParameter(word)) return { kind: "parameter", index: Number(word.slice(1)) };
    return this.#struct(word, depth);
  }

  finish(): void {
    if (this.#at !== this.#text.length) this.#fail("expected the end");
  }

  #struct(address: string, depth: number): AbiType {
    if (!this.#take("::")) this.#fail("expected a type");
    const module = this.#name();
    if (!this.#take("::")) this.#fail("expected ::");
    const name = this.#name();
    const typeArgs = this.#text[this.#at] === "<" ? this.#args(depth) : [];
    return { kind: "struct", address: parseAddress(address), module, name, typeArgs };
  }

  #function(depth: number): AbiType {
    const list = (): AbiType[] => {
      if (this.#take("()")) return [];
      return this.#args(depth, "(", ")");
    };
    const args = list();
    const results = this.#take(":") ? list() : [];
    let abilities = 0;
    for (const [bit, ability] of ABILITIES.entries()) if (this.#take(`+${ability}`)) abilities |= 1 << bit;
    return { kind: "function", args, results, abilities };
  }

  #args(depth: number, open = "<", close = ">"): AbiType[] {
    if (!this.#take(open)) this.#fail(`expected ${open}`);
    const args = [this.type(depth + 1)];
    while (this.#take(",")) {
      this.#take(" ");
      args.push(this.type(depth + 1));
    }
    if (!this.#take(close)) this.#fail(`expected ${close} or ,`);
    return args;
  }

  #name(): string {
    const name = this.#word();
    if (!isIdentifier(name)) this.#fail("expected a name");
    return name;
  }

  #word(): string {
    const start = this.#at;
    while (isWordCode(this.#text.charCodeAt(this.#at))) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #fail(reason: string): never {
    throw new MoveError("type", `${reason} at character ${this.#at} of a type`, {
      details: { at: this.#at },
    });
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isWordCode(code: number): boolean {
  const lower = code | 32;
  return isDigit(code) || (lower >= 97 && lower <= 122) || code === 95 || code === 36;
}

function isParameter(word: string): boolean {
  if (word.length < 2 || word.length > 6 || word[0] !== "T") return false;
  for (let i = 1; i < word.length; i++) if (!isDigit(word.charCodeAt(i))) return false;
  return word.length === 2 || word[1] !== "0";
}
