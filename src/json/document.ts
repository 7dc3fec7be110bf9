// A checked JSON text and its tape, read on demand. Values are named by their tape index, a plain number, so
// walking a document allocates nothing; strings and number texts are made only when asked for.
import { escapedUnit, escapeLength } from "./scan.ts";

/** What a JSON value is. */
export type JsonKind = "null" | "boolean" | "number" | "string" | "array" | "object";

/** Offsets and links, as the parser lays them out. */
export type Tape = number[] | Uint32Array;

/** Index that `member` and `members` give where there is no such member. */
export const ABSENT = -1;

const MAX_SMALL_DIGITS = 15;
const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;
const OPEN_ARRAY = 91;

/**
 * A parsed JSON text; made by `parseJson`. Start at `root`:
 *
 *     const document = parseJson(body);
 *     const key = document.member(document.root, "key");
 *     if (key !== ABSENT && document.kind(key) === "string") use(document.string(key));
 *
 *     for (let item = document.first(list); item < document.end(list); item = document.next(item)) ...
 *
 * The items of an object are its names and values in turn: the value of the name at `i` is at `i + 1`, the
 * next name at `next(i + 1)`. Asking a value for what its kind does not have is the caller's fault.
 */
export class JsonDocument {
  readonly bytes: Uint8Array;
  /** Index of the outermost value. */
  readonly root = 0;
  readonly #tape: Tape;
  readonly #buffer: Buffer;

  constructor(bytes: Uint8Array, tape: Tape) {
    this.bytes = bytes;
    this.#tape = tape;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Offset of the first byte of a value. */
  offset(value: number): number {
    return this.#tape[value] ?? 0;
  }

  #code(value: number): number {
    return this.bytes[this.#tape[value] ?? 0] ?? 0;
  }

  kind(value: number): JsonKind {
    switch (this.#code(value)) {
      case OPEN_OBJECT:
        return "object";
      case OPEN_ARRAY:
        return "array";
      case QUOTE:
        return "string";
      case 116: // t
      case 102: // f
        return "boolean";
      case 110: // n
        return "null";
      default:
        return "number";
    }
  }

  /** Index of the first item of an array or the first name of an object; equals `end` when it is empty. */
  first(container: number): number {
    return container + 2;
  }

  /** Index behind the last item of an array or object. */
  end(container: number): number {
    return this.#tape[container + 1] ?? 0;
  }

  /** Index of what stands behind a value. */
  next(value: number): number {
    const code = this.#code(value);
    return code === OPEN_OBJECT || code === OPEN_ARRAY ? this.end(value) : value + 1;
  }

  /** Number of items of an array. Walks over them. */
  count(array: number): number {
    let count = 0;
    for (let item = this.first(array); item < this.end(array); item = this.next(item)) count++;
    return count;
  }

  /** Index of the value of a member, or ABSENT. For several names of one object use `members`. */
  member(object: number, name: string): number {
    return this.members(object, [name])[0] ?? ABSENT;
  }

  /**
   * Indices of the values of the members with the given names, in the order of the names; ABSENT where there is none, and
   * of several with the same name the last. Names are compared after their escapes are resolved. One walk over the
   * members: its cost does not depend on how many names are wanted, as long as few of them begin alike.
   */
  members(object: number, names: readonly string[]): number[] {
    const found = names.map(() => ABSENT);
    const end = this.end(object);
    for (let at = this.first(object); at < end; at = this.next(at + 1)) {
      const start = this.offset(at) + 1;
      const code = this.bytes[start] ?? QUOTE;
      const first = code === BACKSLASH ? escapedUnit(this.bytes, start) : code;
      for (let i = 0; i < names.length; i++) {
        const name = names[i] ?? "";
        const wanted = name.charCodeAt(0);
        if ((wanted !== first && wanted < 128) || !this.isString(at, name)) continue;
        found[i] = at + 1;
        break;
      }
    }
    return found;
  }

  /** True when the string or member name at `value` is `text`. Looks no further than the first difference in ASCII. */
  isString(value: number, text: string): boolean {
    let at = this.offset(value) + 1;
    for (let i = 0; i < text.length; i++) {
      const wanted = text.charCodeAt(i);
      if (wanted >= 128) return this.string(value) === text;
      const code = this.bytes[at] ?? QUOTE;
      if (code === BACKSLASH) {
        if (escapedUnit(this.bytes, at) !== wanted) return false;
        at += escapeLength(this.bytes, at);
      } else if (code !== wanted || code === QUOTE) return false;
      else at++;
    }
    return this.bytes[at] === QUOTE;
  }

  /** Value of a boolean. */
  boolean(value: number): boolean {
    return this.#code(value) === 116;
  }

  /**
   * Value of a number that is written as an integer of at most 15 digits; undefined for every other, also
   * for `1.0` and `1e2`.
   */
  smallInteger(value: number): number | undefined {
    const first = this.#code(value);
    const start = this.offset(value) + (first === 45 ? 1 : 0);
    let number = 0;
    let at = start;
    for (; at < start + MAX_SMALL_DIGITS; at++) {
      const code = this.bytes[at] ?? 0;
      if (code < 48 || code > 57) break;
      number = number * 10 + code - 48;
    }
    const behind = this.bytes[at] ?? 0;
    // A digit, a dot or an exponent goes on with the number; minus zero is zero.
    if ((behind >= 48 && behind <= 57) || behind === 46 || (behind | 32) === 101) return undefined;
    return first === 45 ? 0 - number : number;
  }

  /** The text of a string or member name, escapes resolved. */
  string(value: number): string {
    const start = this.offset(value);
    let end = start + 1;
    let seen = 0;
    let escaped = false;
    for (; ; end++) {
      const code = this.bytes[end] ?? QUOTE;
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        escaped = true;
        end++;
      }
      seen |= code;
    }
    if (end === start + 1) return "";
    if (!escaped) return this.#buffer.toString(seen < 128 ? "latin1" : "utf8", start + 1, end);
    return JSON.parse(this.#buffer.toString("utf8", start, end + 1)) as string;
  }

  /** UTF-8 of the text of a string; a subarray of the input when it has no escapes. */
  stringBytes(value: number): Uint8Array {
    const start = this.offset(value) + 1;
    for (let end = start; ; end++) {
      const code = this.bytes[end] ?? QUOTE;
      if (code === QUOTE) return this.bytes.subarray(start, end);
      if (code === BACKSLASH) return Buffer.from(this.string(value), "utf8");
    }
  }

  /** The value as compact JSON for messages, cut off with `…` after `limit` characters. */
  excerpt(value: number, limit = 100): string {
    const out: number[] = [];
    let depth = 0;
    let inString = false;
    // Four bytes for each character at most.
    for (let at = this.offset(value); at < this.bytes.length && out.length <= 4 * limit; at++) {
      const code = this.bytes[at] ?? 0;
      const isBlank = code === 32 || code === 10 || code === 13 || code === 9;
      if (!inString && isBlank && depth > 0) continue;
      if (
        !inString &&
        depth === 0 &&
        out.length > 0 &&
        (isBlank || code === 44 || code === 93 || code === 125)
      ) {
        break;
      }
      out.push(code);
      if (inString) {
        if (code === BACKSLASH) out.push(this.bytes[++at] ?? 0);
        else if (code === QUOTE) inString = false;
      } else if (code === QUOTE) inString = true;
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
      else if (code === 125 || code === 93) depth--;
      if (depth === 0 && !inString && (code === QUOTE || code === 125 || code === 93)) break;
    }
    const characters = [...Buffer.from(out).toString("utf8")];
    return characters.length <= limit ? characters.join("") : `${characters.slice(0, limit).join("")}…`;
  }
}
