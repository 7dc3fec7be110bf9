// Natives of 0x1::ed25519. The chain accepts keys whose y is not reduced, refuses points of small order, and compares
// points without the cofactor.
import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { aborted } from "../../errors.ts";
import type { NativeModule } from "../../natives.ts";
import { asBytes } from "../../values.ts";
import { attempt, bigFromLittleEndian, chargeAll } from "./common.ts";

const { Point } = ed25519;
type EdwardsPoint = ReturnType<typeof Point.fromBytes>;
const ORDER = Point.Fn.ORDER;

export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
const WRONG_KEY_SIZE = 1;
const FEATURE_WRONG_LENGTH_IS_FALSE = 14;

/** A point of the curve. Takes y that is not reduced, and a sign of x = 0. */
export function decodePoint(bytes: Uint8Array): EdwardsPoint | undefined {
  return bytes.length === KEY_BYTES ? attempt(() => Point.fromBytes(bytes, true)) : undefined;
}

export function isSmallOrder(point: EdwardsPoint): boolean {
  return point.isSmallOrder();
}

/** True for a signature of the right length with a reduced scalar. */
export function isSignature(bytes: Uint8Array): boolean {
  return bytes.length === SIGNATURE_BYTES && bigFromLittleEndian(bytes.subarray(32)) < ORDER;
}

/** Verifies with a key that decodes and a signature that `isSignature` accepts. */
export function verifyStrict(
  signature: Uint8Array,
  key: Uint8Array,
  point: EdwardsPoint,
  message: Uint8Array,
): boolean {
  const r = decodePoint(signature.subarray(0, 32));
  if (r === undefined || isSmallOrder(r) || isSmallOrder(point)) return false;
  const digest = createHash("sha512").update(signature.subarray(0, 32)).update(key).update(message).digest();
  const challenge = bigFromLittleEndian(digest) % ORDER;
  const scalar = bigFromLittleEndian(signature.subarray(32));
  return Point.BASE.multiplyUnsafe(scalar).subtract(point.multiplyUnsafe(challenge)).equals(r);
}

export const ed25519Natives: NativeModule = {
  public_key_validate_internal: (context, [bytes]) => {
    chargeAll(context, "signature", { base: 1, per_pubkey_deserialize: 1 });
    const key = asBytes(bytes);
    if (key.length !== KEY_BYTES) {
      if (context.session.options.features.has(FEATURE_WRONG_LENGTH_IS_FALSE)) return [false];
      throw aborted(WRONG_KEY_SIZE);
    }
    const point = decodePoint(key);
    if (point === undefined) return [false];
    chargeAll(context, "signature", { per_pubkey_small_order_check: 1 });
    return [!isSmallOrder(point)];
  },
  signature_verify_strict_internal: (context, args) => {
    const [signature, key, message] = args.map(asBytes) as [Uint8Array, Uint8Array, Uint8Array];
    chargeAll(context, "signature", { base: 1, per_pubkey_deserialize: 1 });
    const point = decodePoint(key);
    if (point === undefined) return [false];
    chargeAll(context, "signature", { per_sig_deserialize: 1 });
    if (!isSignature(signature)) return [false];
    chargeAll(context, "signature", {
      per_sig_strict_verify: 1,
      per_msg_hashing_base: 1,
      per_msg_byte_hashing: message.length,
    });
    return [verifyStrict(signature, key, point, message)];
  },
};
