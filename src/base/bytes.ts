// Comparing and joining byte strings, and big-endian numbers in them.

/** True when both hold the same bytes. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lexicographic order: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  // Hashes nearly always differ in the first bytes, and comparing those costs a tenth of Buffer.compare.
  for (let i = 0; i < 3; i++) {
    const difference = (a[i] ?? -1) - (b[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return Buffer.compare(a, b);
}

/** Short bytes are copied here: an array without a buffer of its own would get one, which costs three times as much. */
const short = /* @__PURE__ */ Buffer.allocUnsafeSlow(64);

/** Bytes as text, each as two hex digits or as the character of its number. */
export function toText(bytes: Uint8Array, encoding: "hex" | "latin1"): string {
  if (bytes.length > short.length)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding);
  short.set(bytes);
  return short.toString(encoding, 0, bytes.length);
}

/** Bytes as a key of a map. */
export function toMapKey(bytes: Uint8Array): string {
  return toText(bytes, "latin1");
}

/** One new array holding all parts in order. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

/** Several times faster than Buffer's 64-bit access, which also makes a small array allocate a buffer. */
const numberBytes = new Uint8Array(8);
const numberView = new DataView(numberBytes.buffer);

/** Writes a u64, big-endian, so that byte order is number order. */
export function writeNumber(target: Uint8Array, offset: number, value: bigint): void {
  numberView.setBigUint64(0, value);
  target.set(numberBytes, offset);
}

/** The same in bytes of its own. */
export function numberKey(value: bigint): Buffer {
  const key = Buffer.allocUnsafe(8);
  writeNumber(key, 0, value);
  return key;
}

/** A big-endian u64. */
export function readNumber(source: Uint8Array, offset: number): bigint {
  for (let i = 0; i < 8; i++) numberBytes[i] = source[offset + i] ?? 0;
  return numberView.getBigUint64(0);
}
