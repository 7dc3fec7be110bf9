// Text of single values in JSON: integers of any width and hex bytes. The number of digits is checked before they
// become a bigint, which takes quadratic time.
import { fromHex, hexBytesFault } from "../base/hex.ts";
import { shortenText } from "../base/texts/text.ts";
import type { PrimitiveName } from "./abi.ts";
import { MoveError } from "./errors.ts";

/** Names of the integer types. */
export type IntegerName = Exclude<PrimitiveName, "bool" | "address" | "signer">;

/** Range of an integer type, and its largest number of decimal digits. */
export interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly maxDigits: number;
}

function range(bits: bigint, isSigned: boolean): IntegerRange {
  const max = isSigned ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n;
  return { min: isSigned ? -max - 1n : 0n, max, maxDigits: max.toString().length };
}

/** Range of every integer type. */
export const INTEGER_RANGES: Readonly<Record<IntegerName, IntegerRange>> = {
  u8: range(8n, false),
  u16: range(16n, false),
  u32: range(32n, false),
  u64: range(64n, false),
  u128: range(128n, false),
  u256: range(256n, false),
  i8: range(8n, true),
  i16: range(16n, true),
  i32: range(32n, true),
  i64: range(64n, true),
  i128: range(128n, true),
  i256: range(256n, true),
};

/** The integer types that are numbers in JSON; wider ones are texts. */
export type SmallIntegerName = "u8" | "u16" | "u32" | "i8" | "i16" | "i32";

const SMALL_DIGITS = range(32n, false).maxDigits;

export function isSmallInteger(name: IntegerName): name is SmallIntegerName {
  return INTEGER_RANGES[name].maxDigits <= SMALL_DIGITS;
}

const MAX_SAFE_DIGITS = 15;
const NO_BYTES = new Uint8Array(0);
function fail(text: string, reason: string): never {
  throw new MoveError("value", `${JSON.stringify(shortenText(text))} ${reason}`);
}

/**
 * Parses integer text: one optional `+` (for signed types `+` or `-`), then decimal digits, leading zeros
 * allowed; no blanks, underscores, hex, fraction or exponent.
 */
export function parseInteger(text: string, type: IntegerName): bigint {
  const { min, max, maxDigits } = INTEGER_RANGES[type];
  const sign = text.charCodeAt(0);
  const isNegative = sign === 45 && min < 0n;
  const start = isNegative || sign === 43 ? 1 : 0;
  if (start === text.length) fail(text, `is not ${article(type)}: it has no digits`);
  let first = -1;
  // Exact for as many digits as it is used for.
  let small = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) fail(text, `is not ${article(type)}: ${badDigit(text, at)}`);
    if (first < 0 && code !== 48) first = at;
    small = 10 * small + (code - 48);
  }
  if (first < 0) return 0n;
  const digits = text.length - first;
  if (digits > maxDigits) fail(text, `does not fit ${article(type)}, which is from ${min} to ${max}`);
  const value = digits <= MAX_SAFE_DIGITS ? BigInt(small) : BigInt(text.slice(first));
  const signed = isNegative ? -value : value;
  if (signed < min || signed > max)
    fail(text, `does not fit ${article(type)}, which is from ${min} to ${max}`);
  return signed;
}

function article(type: IntegerName): string {
  return `${type.startsWith("i") ? "an" : "a"} ${type}`;
}

function badDigit(text: string, at: number): string {
  if (at === 0 && text[0] === "-") return "it cannot be negative";
  if (at === 1 && (text[1] === "x" || text[1] === "X")) return "it is written in decimal, not hex";
  return `${JSON.stringify(text[at])} at position ${at} is not a digit`;
}

/**
 * Parses hex text: one optional lower-case `0x`, then an even number of digits of either case; the empty
 * text is the empty byte string.
 */
export function parseHexBytes(text: string): Uint8Array {
  const start = text.startsWith("0x") ? 2 : 0;
  if (text.length === start) return NO_BYTES;
  const bytes = fromHex(start === 0 ? text : text.slice(start));
  if (bytes !== undefined) return bytes;
  return fail(text, `is not hex bytes: ${hexBytesFault(text)}`);
}
