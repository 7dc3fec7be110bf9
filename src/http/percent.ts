// Percent-decoding of path segments and query values, as lenient as the clients out there need: an escape
// that is none stands for itself. The result must be UTF-8.

import { hexDigit } from "../base/hex.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const PERCENT = 37;

function decodeOnce(text: string): string | undefined {
  const source = Buffer.from(text, "utf8");
  const out = new Uint8Array(source.length);
  let length = 0;
  for (let i = 0; i < source.length; i++) {
    const byte = source[i] ?? 0;
    const high = byte === PERCENT ? hexDigit(source[i + 1] ?? 0) : -1;
    const low = high < 0 ? -1 : hexDigit(source[i + 2] ?? 0);
    if (low < 0) {
      out[length++] = byte;
    } else {
      out[length++] = high * 16 + low;
      i += 2;
    }
  }
  try {
    return utf8.decode(out.subarray(0, length));
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
