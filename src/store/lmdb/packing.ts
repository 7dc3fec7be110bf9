// Compression of rows. Level 1 of deflate: higher ones take twice the time for a tenth less, and brotli takes twice the time
// to read. Every call of zlib costs about 100 µs to pack and 15 µs to unpack besides, so small rows are left alone.
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Deflate makes no byte into more than this many, so a size above it is wrong, and nothing is allocated for it. */
const MAX_RATIO = 1032;

export function pack(bytes: Uint8Array): Buffer {
  return deflateRawSync(bytes, { level: 1 });
}

/** The `size` bytes that were packed; undefined if these are not. */
export function unpack(packed: Uint8Array, size: number): Buffer | undefined {
  if (size > packed.length * MAX_RATIO) return undefined;
  try {
    // One byte more than needed, or zlib asks for a second buffer to see that nothing follows.
    const options = { maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, size + 1) };
    const bytes = inflateRawSync(packed, options);
    return bytes.length === size ? bytes : undefined;
  } catch {
    return undefined;
  }
}
