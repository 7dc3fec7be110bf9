// Bytes as hex text in JSON.
import { fromHex, hexBytesFault } from "../../base/hex.ts";
import { Slices } from "../../base/slices.ts";
import { HttpError, quoteInput } from "../errors.ts";
import type { JsonSchema } from "../operation.ts";
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
export function parseHexBytes(name: string, text: string): Uint8Array {
  const bytes = fromHex(text.startsWith("0x") ? text.slice(2) : text);
  if (bytes === undefined) throw faulty(name, text);
  return bytes;
}

/** As `parseHexBytes`, for texts so long that other work must go on meanwhile. */
export async function parseHexBytesInSlices(name: string, text: string): Promise<Uint8Array> {
  const start = text.startsWith("0x") ? 2 : 0;
  const bytes = new Uint8Array((text.length - start) >> 1);
  const slices = new Slices();
  for (let at = start; at < text.length; at += SLICE_DIGITS) {
    const some = fromHex(text.slice(at, at + SLICE_DIGITS));
    if (some === undefined) throw faulty(name, text, at);
    bytes.set(some, (at - start) >> 1);
    await slices.pause();
  }
  return bytes;
}

/** Digits before `from` are known to be good. */
function faulty(name: string, text: string, from?: number): HttpError {
  const fault = hexBytesFault(text, from);
  return new HttpError(
    "malformed_request",
    `${name}: expected ${HEX_BYTES_EXPECTED}, got ${quoteInput(text)}: ${fault}`,
  );
}
