// Bytes as hex text in JSON.
import { fromHex, hexBytesFault } from "../../base/hex.ts";
import { Slices } from "../../base/wait.ts";
import { HttpError, quoteInput } from "../errors.ts";
import type { JsonSchema } from "../field.ts";
import { named } from "./named.ts";
import { HEX_PATTERN } from "./patterns.ts";

/** Schema of bytes as hex text. */
export const HEX_BYTES_SCHEMA: JsonSchema = named("HexBytes", {
  type: "string",
  format: "hex",
  pattern: HEX_PATTERN,
  description: "Bytes in hex: `0x` and two digits for each byte, zeros never left out.",
  example: "0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1",
});

/** Completes "expected …" in error messages. */
export const HEX_BYTES_EXPECTED = "an even number of hex digits, with or without 0x";

/** Digits that are read at once. */
const SLICE_DIGITS = 128 * 1024;

/** Parses bytes: an optional `0x`, then an even number of hex digits. */
export function parseHexField(name: string, text: string): Uint8Array {
  const bytes = fromHex(text.startsWith("0x") ? text.slice(2) : text);
  if (bytes === undefined) {
    throw new HttpError(
      "malformed_request",
      `${name}: expected ${HEX_BYTES_EXPECTED}, got ${quoteInput(text)}: ${hexBytesFault(text)}`,
    );
  }
  return bytes;
}

/**
 * Bytes of an even number of hex digits in ASCII, undefined when it is anything else. Other work of the process goes on
 * meanwhile.
 */
export async function hexBytesInSlices(digits: Uint8Array): Promise<Uint8Array | undefined> {
  const slices = new Slices();
  const out = new Uint8Array(digits.length >> 1);
  for (let at = 0; at < digits.length; at += SLICE_DIGITS) {
    const text = Buffer.from(
      digits.buffer,
      digits.byteOffset + at,
      Math.min(SLICE_DIGITS, digits.length - at),
    );
    const some = fromHex(text.toString("latin1"));
    if (some === undefined) return undefined;
    out.set(some, at >> 1);
    await slices.pause();
  }
  return out;
}
