// SHA3-256 from node:crypto. The only hash function of the ledger.
import { createHash, type Hash, hash } from "node:crypto";

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
