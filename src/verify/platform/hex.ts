// Hex without Buffer, for src/base/hex.ts.
export { fromHex, hexBytesFault, hexDigit, hexFault } from "../../base/hex.ts";

export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

export function toPrefixedHex(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}
