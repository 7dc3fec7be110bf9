// Hex text to bytes and back. Lower case out, either case in; nothing is trimmed or padded here.
import { toText } from "./bytes.ts";

/** Longer records are mostly one long value: cutting saves nothing there. */
const MAX_CUT_BYTES = 128 << 10;

/** Lower-case hex of the bytes, without a prefix. */
export function toHex(bytes: Uint8Array): string {
  return toText(bytes, "hex");
}

/** Lower-case hex of the bytes with `0x` in front. */
export function toPrefixedHex(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}

/** Hex of parts of some bytes, cut from the hex of all of them: a part costs a tenth of its own conversion. */
export function hexOfParts(bytes: Uint8Array): (part: Uint8Array) => string {
  if (bytes.length > MAX_CUT_BYTES) return toHex;
  const digits = toHex(bytes);
  return (part) => {
    const at = part.byteOffset - bytes.byteOffset;
    const end = at + part.length;
    const isPart = part.buffer === bytes.buffer && at >= 0 && end <= bytes.length;
    return isPart ? digits.slice(2 * at, 2 * end) : toHex(part);
  };
}

/** By char code. A table, because the processor cannot guess the branches that digits would take. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);

/** Value of one hex digit's char code, or -1. */
export function hexDigit(code: number): number {
  return DIGITS[code] ?? -1;
}

/**
 * Why a text, with or without `0x`, is not hex: its first bad digit and the position of that in the text. Undefined if
 * every digit is one.
 */
export function hexFault(text: string): string | undefined {
  if (text.startsWith("0X")) return 'the prefix is 0x with a small x, not "0X"';
  for (let at = text.startsWith("0x") ? 2 : 0; at < text.length; at++) {
    if (hexDigit(text.charCodeAt(at)) >= 0) continue;
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    return `${JSON.stringify(character)} at position ${at} is not a hex digit`;
  }
  return undefined;
}

/** Why a text, with or without `0x`, is not the hex of whole bytes; undefined if it is. */
export function hexBytesFault(text: string): string | undefined {
  const digits = text.length - (text.startsWith("0x") ? 2 : 0);
  return hexFault(text) ?? (digits % 2 === 0 ? undefined : `it has an odd number of digits, ${digits}`);
}

/** Longer texts are parsed by Buffer, at a sixth of the time. */
const LONG_TEXT = 4096;

/** Bytes of an even number of hex digits without a prefix; undefined when the text is anything else. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined;
  if (text.length > LONG_TEXT) {
    // Buffer takes a wide character by its lower byte, and stops at the first that is no digit.
    if (Buffer.byteLength(text) !== text.length) return undefined;
    const { buffer, byteOffset, length } = Buffer.from(text, "hex");
    return 2 * length === text.length ? new Uint8Array(buffer, byteOffset, length) : undefined;
  }
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i++) {
    const high = hexDigit(text.charCodeAt(2 * i));
    const low = hexDigit(text.charCodeAt(2 * i + 1));
    if (high < 0 || low < 0) return undefined;
    out[i] = high * 16 + low;
  }
  return out;
}
