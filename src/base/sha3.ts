// SHA3-256 from node:crypto. The only hash function of the ledger.
import { createHash, type Hash, hash } from "node:crypto";
import { Slices } from "./slices.ts";

/**
 * SHA3-256 of one byte string. Asking for a latin1 string and converting it takes half the time of asking for a
 * buffer, for inputs of the ledger's usual size.
 */
export function sha3(bytes: Uint8Array): Uint8Array {
  return Buffer.from(hash("sha3-256", bytes, "binary"), "latin1");
}

/** SHA3-256 of several byte strings joined, without joining them first. */
export function sha3Parts(...parts: readonly Uint8Array[]): Uint8Array {
  const hasher: Hash = createHash("sha3-256");
  for (const part of parts) hasher.update(part);
  return hasher.digest();
}

/** Bytes that are hashed at once. */
const SLICE_BYTES = 256 * 1024;

/** As `sha3Parts`, for inputs so long that other work must go on meanwhile. */
export async function sha3InSlices(...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const hasher: Hash = createHash("sha3-256");
  const slices = new Slices();
  for (const part of parts) {
    for (let at = 0; at < part.length; at += SLICE_BYTES) {
      hasher.update(part.subarray(at, at + SLICE_BYTES));
      await slices.pause();
    }
  }
  return hasher.digest();
}
