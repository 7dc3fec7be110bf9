// Bytes as people write and read them.

/** The bytes of hex text; spaces and line breaks are ignored. Throws RangeError naming what is wrong. */
export function parseHex(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replace(/\s/g, "").replace(/^0x/i, "");
  const wrong = /[^0-9a-f]/i.exec(digits);
  if (wrong !== null) {
    throw new RangeError(`expected hex digits, got ${JSON.stringify(wrong[0])} at digit ${wrong.index + 1}`);
  }
  if (digits.length % 2 !== 0)
    throw new RangeError(`expected two digits per byte, got ${digits.length} digits`);
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** One line of hex with `0x`. */
export function formatHex(bytes: Uint8Array): string {
  return `0x${hexOf(bytes)}`;
}

const ROW = 16;

/** Rows of an offset and 16 bytes in pairs. */
export function dumpHex(bytes: Uint8Array): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += ROW) {
    const pairs = hexOf(bytes.subarray(at, at + ROW)).match(/.{1,4}/g) ?? [];
    rows.push(`${at.toString(16).padStart(4, "0")}  ${pairs.join(" ")}`);
  }
  return rows.join("\n");
}
