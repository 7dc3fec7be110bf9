// BLS signatures over BLS12-381 with keys in G1 and signatures in G2, behind one small interface, so that the
// same checks run with a native library in the node and without one in a browser.
import type { bls12_381 } from "@noble/curves/bls12-381.js";

/** Domain separation tag of the network's signatures. */
export const SIGNATURE_DOMAIN = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
export const SIGNATURE_BYTES = 96;

/** One implementation of the curve. `Key` is a key that was decompressed and checked. */
export interface Bls<Key = unknown> {
  readonly name: string;
  /** Decompresses a key. Throws for one that is not a point of the subgroup, or is its zero. */
  parseKey(bytes: Uint8Array): Key;
  /** Whether the signature is one by all keys over the same message. False also for bytes that are no signature. */
  verify(keys: readonly Key[], message: Uint8Array, signature: Uint8Array): boolean;
}

/** The parts of the JavaScript library that are used. A parameter, so that a program that has the native one need not load it. */
export type Curve = typeof bls12_381;

function parsePoint<P extends { assertValidity(): void; isTorsionFree(): boolean; is0(): boolean }>(
  point: P,
): P {
  point.assertValidity();
  if (point.is0()) throw new Error("the point at infinity");
  if (!point.isTorsionFree()) throw new Error("a point outside of the subgroup");
  return point;
}

/** In JavaScript alone: about forty times the cost of the native library. */
export function createPortableBls({ longSignatures: scheme, G1, G2 }: Curve): Bls {
  type Key = ReturnType<typeof G1.Point.fromBytes>;
  const bls: Bls<Key> = {
    name: "noble",
    parseKey: (bytes) => parsePoint(G1.Point.fromBytes(bytes)),
    verify: (keys, message, signature) => {
      let sum = G1.Point.ZERO;
      for (const key of keys) sum = sum.add(key);
      if (sum.is0()) return false;
      try {
        const point = parsePoint(G2.Point.fromBytes(signature));
        return scheme.verify(point, scheme.hash(message, SIGNATURE_DOMAIN), sum);
      } catch {
        return false;
      }
    },
  };
  return bls as Bls;
}
