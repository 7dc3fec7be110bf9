// SHA3-256 without node:crypto, for src/base/sha3.ts.
import { sha3_256 } from "@noble/hashes/sha3.js";

export function sha3(bytes: Uint8Array): Uint8Array {
  return sha3_256(bytes);
}

export function sha3Parts(...parts: readonly Uint8Array[]): Uint8Array {
  const hasher = sha3_256.create();
  for (const part of parts) hasher.update(part);
  return hasher.digest();
}
