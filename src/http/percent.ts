// Percent-decoding of path segments and query values, as lenient as the clients out there need: an escape
// that is none stands for itself. The result must be UTF-8.

import { hexDigit } from "../base/hex.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const PERCENT = 37;

function decodeOnce(text: string): string | undefined {
  // In place, because an escape is longer than its byte.
  const bytes = Buffer.from(text, "utf8");
  let length = 0;
  let seen = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] ?? 0;
    const high = byte === PERCENT ? hexDigit(bytes[i + 1] ?? 0) : -1;
    const low = high < 0 ? -1 : hexDigit(bytes[i + 2] ?? 0);
    if (low >= 0) {
      byte = high * 16 + low;
      i += 2;
    }
    bytes[length++] = byte;
    seen |= byte;
  }
  // A call of the decoder takes longer than all of this.
  if (seen < 128) return bytes.toString("latin1", 0, length);
  try {
    return utf8.decode(bytes.subarray(0, length));
  } catch {
    return undefined;
  }
}

/** Decodes twice, so that `%253C` is `<` as well; undefined when the bytes are not UTF-8. */
export function decodeTwice(text: string): string | undefined {
  if (!text.includes("%")) return text;
  const once = decodeOnce(text);
  return once?.includes("%") ? decodeOnce(once) : once;
}

/** Decodes a query value: `+` is a space, then escapes, twice. */
export function decodeQueryText(text: string): string | undefined {
  return decodeTwice(text.includes("+") ? text.replaceAll("+", " ") : text);
}
