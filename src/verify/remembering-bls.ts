// Signatures that one client checks again and again: by the same keys, and over the same ledgers for many answers. Requests
// that are under way at once have the same changes of epoch to check.
import { toHex } from "../base/hex.ts";
import { sha3, sha3Parts } from "../base/sha3.ts";
import type { Bls } from "../proof/bls.ts";

/** More than the validators of any epoch, and than the changes of epoch in a bundle. */
const MAX_KNOWN = 2000;

interface Known {
  readonly bytes: Uint8Array;
  readonly key: unknown;
}

/** Parses a key once, and does not check again what it found right. */
export function rememberingBls(bls: Bls): Bls {
  const keys = new Map<string, Known>();
  const right = new Set<string>();
  const remembering: Bls<Known> = {
    name: bls.name,
    parseKey: (bytes) => {
      const name = toHex(bytes);
      const known = keys.get(name) ?? { bytes, key: bls.parseKey(bytes) };
      if (keys.size >= MAX_KNOWN) keys.clear();
      keys.set(name, known);
      return known;
    },
    verify: (signers, message, signature) => {
      // Parts of one length each: no two questions have the same hash.
      const asked = toHex(sha3Parts(signature, sha3(message), ...signers.map(({ bytes }) => bytes)));
      if (right.has(asked)) return true;
      const isRight = bls.verify(
        signers.map(({ key }) => key),
        message,
        signature,
      );
      if (right.size >= MAX_KNOWN) right.clear();
      if (isRight) right.add(asked);
      return isRight;
    },
  };
  return remembering as Bls;
}
