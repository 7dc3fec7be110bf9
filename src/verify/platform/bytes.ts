// Order of byte strings without Buffer, for src/base/bytes.ts. Nothing in browsers calls `toText`.
export { concatBytes, equalBytes, toText } from "../../base/bytes.ts";

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const order = (a[i] ?? 0) - (b[i] ?? 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
