// Single tokens of JSON text: where a string, number or run of blanks ends. Each works on bytes and looks at
// every byte once.
import { JsonError } from "./errors.ts";

const QUOTE = 34;
const BACKSLASH = 92;

/** First offset at or after `at` that is not a blank. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  let pos = at;
  for (;;) {
    const code = bytes[pos];
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return pos;
    pos++;
  }
}

/** Offset behind the closing quote of the string that opens at `at`. */
export function stringEnd(bytes: Uint8Array, at: number): number {
  let pos = at + 1;
  for (;;) {
    const code = bytes[pos];
    if (code === undefined) throw new JsonError("text ends inside a string", bytes, bytes.length);
    if (code === QUOTE) return pos + 1;
    if (code < 32) throw new JsonError("control character in a string; write it as \\uXXXX", bytes, pos);
    pos = code === BACKSLASH ? escapeEnd(bytes, pos) : pos + 1;
  }
}

function escapeEnd(bytes: Uint8Array, at: number): number {
  switch (bytes[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 47: // /
    case 98: // b
    case 102: // f
    case 110: // n
    case 114: // r
    case 116: // t
      return at + 2;
    case 117: // u
      return unicodeEscapeEnd(bytes, at);
    case undefined:
      throw new JsonError("text ends inside a string", bytes, bytes.length);
    default:
      throw new JsonError("unknown escape in a string", bytes, at);
  }
}

/** Bytes of an escape in a string that was checked: two, or six with hex digits. */
export function escapeLength(bytes: Uint8Array, at: number): number {
  return bytes[at + 1] === 117 ? 6 : 2;
}

/** The UTF-16 unit that an escape in a string that was checked stands for. */
export function escapedUnit(bytes: Uint8Array, at: number): number {
  const code = bytes[at + 1] ?? 0;
  switch (code) {
    case 98: // b
      return 8;
    case 102: // f
      return 12;
    case 110: // n
      return 10;
    case 114: // r
      return 13;
    case 116: // t
      return 9;
    case 117: // u
      return codeUnit(bytes, at);
    default:
      return code;
  }
}

function unicodeEscapeEnd(bytes: Uint8Array, at: number): number {
  const unit = codeUnit(bytes, at);
  if (unit < 0xd800 || unit > 0xdfff) return at + 6;
  // Half a pair has no UTF-8 form, so no Move string could hold it.
  if (unit <= 0xdbff && bytes[at + 6] === BACKSLASH && bytes[at + 7] === 117) {
    const low = codeUnit(bytes, at + 6);
    if (low >= 0xdc00 && low <= 0xdfff) return at + 12;
  }
  throw new JsonError("unpaired surrogate escape in a string", bytes, at);
}

function codeUnit(bytes: Uint8Array, at: number): number {
  let unit = 0;
  for (let i = at + 2; i < at + 6; i++) {
    const code = bytes[i] ?? 0;
    const lower = code | 32;
    if (code >= 48 && code <= 57) unit = unit * 16 + code - 48;
    else if (lower >= 97 && lower <= 102) unit = unit * 16 + lower - 87;
    else throw new JsonError("\\u needs four hex digits", bytes, at);
  }
  return unit;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 48 && code <= 57;
}

function digitsEnd(bytes: Uint8Array, at: number): number {
  if (!isDigit(bytes[at])) throw new JsonError("expected a digit in a number", bytes, at);
  let pos = at + 1;
  while (isDigit(bytes[pos])) pos++;
  return pos;
}

/** Offset behind the number that begins at `at`. */
export function numberEnd(bytes: Uint8Array, at: number): number {
  let pos = bytes[at] === 45 ? at + 1 : at;
  if (bytes[pos] === 48) {
    pos++;
    if (isDigit(bytes[pos])) throw new JsonError("a number cannot have a leading zero", bytes, pos);
  } else pos = digitsEnd(bytes, pos);
  if (bytes[pos] === 46) pos = digitsEnd(bytes, pos + 1);
  if (((bytes[pos] ?? 0) | 32) === 101) {
    const sign = bytes[pos + 1];
    pos = digitsEnd(bytes, sign === 43 || sign === 45 ? pos + 2 : pos + 1);
  }
  return pos;
}

/** Offset behind `true`, `false` or `null`; undefined when none of them stands at `at`. */
export function literalEnd(bytes: Uint8Array, at: number): number | undefined {
  const code = bytes[at];
  const word = code === 116 ? "true" : code === 102 ? "false" : code === 110 ? "null" : undefined;
  if (word === undefined) return undefined;
  for (let i = 1; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return undefined;
  return at + word.length;
}
