// Natives of 0x1::multi_ed25519: k of n ed25519 keys. A key is n keys and the threshold; a signature is k signatures and
// a bitmap of four bytes that says whose they are, most significant bit first.
import type { NativeContext, NativeModule } from "../../natives.ts";
import { asBytes } from "../../values.ts";
import { chargeAll } from "./common.ts";
import {
  decodePoint,
  isSignature,
  isSmallOrder,
  KEY_BYTES,
  SIGNATURE_BYTES,
  verifyStrict,
} from "./ed25519.ts";

const MAX_KEYS = 32;
const BITMAP_BYTES = 4;

function chunks(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

/** Keys needed and keys in all; undefined if the bytes are no such key. */
function thresholdOf(bytes: Uint8Array): { readonly threshold: number; readonly count: number } | undefined {
  const count = Math.floor(bytes.length / KEY_BYTES);
  if (count === 0 || count > MAX_KEYS || bytes.length % KEY_BYTES !== 1) return undefined;
  const threshold = bytes.at(-1) ?? 0;
  return threshold === 0 || threshold > count ? undefined : { threshold, count };
}

/** True if all keys are points of large order. Charges for each key up to the first bad one. */
function areGoodKeys(context: NativeContext, bytes: Uint8Array): boolean {
  for (const key of chunks(bytes, KEY_BYTES)) {
    chargeAll(context, "signature", { per_pubkey_deserialize: 1, per_pubkey_small_order_check: 1 });
    const point = decodePoint(key);
    if (point === undefined || isSmallOrder(point)) return false;
  }
  return true;
}

/** Places of the set bits; undefined if the bytes are no such signature. */
function signersOf(bytes: Uint8Array): readonly number[] | undefined {
  const count = Math.floor(bytes.length / SIGNATURE_BYTES);
  if (count === 0 || count > MAX_KEYS || bytes.length % SIGNATURE_BYTES !== BITMAP_BYTES) return undefined;
  const bitmap = bytes.subarray(-BITMAP_BYTES);
  const places: number[] = [];
  for (let i = 0; i < 8 * BITMAP_BYTES; i++)
    if (((bitmap[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0) places.push(i);
  return places.length === count ? places : undefined;
}

export const multiEd25519Natives: NativeModule = {
  public_key_validate_internal: (context, [value]) => {
    const bytes = asBytes(value);
    chargeAll(context, "signature", { base: 1 });
    if (Math.floor(bytes.length / KEY_BYTES) > MAX_KEYS) return [false];
    return [areGoodKeys(context, bytes)];
  },
  public_key_validate_v2_internal: (context, [value]) => {
    const bytes = asBytes(value);
    chargeAll(context, "signature", { base: 1 });
    if (thresholdOf(bytes) === undefined) return [false];
    return [areGoodKeys(context, bytes)];
  },
  *signature_verify_strict_internal(context, args) {
    const [signature, key, message] = args.map(asBytes) as [Uint8Array, Uint8Array, Uint8Array];
    chargeAll(context, "signature", { base: 1 });
    const count = Math.floor(signature.length / SIGNATURE_BYTES);
    chargeAll(context, "signature", { per_pubkey_deserialize: Math.floor(key.length / KEY_BYTES) });
    const threshold = thresholdOf(key);
    if (threshold === undefined) return [false];
    const keys = chunks(key, KEY_BYTES);
    const points = keys.map(decodePoint);
    if (points.includes(undefined)) return [false];
    chargeAll(context, "signature", { per_sig_deserialize: count });
    const signers = signersOf(signature);
    const signatures = chunks(signature, SIGNATURE_BYTES);
    if (signers === undefined || !signatures.every(isSignature)) return [false];
    chargeAll(context, "signature", {
      per_sig_strict_verify: count,
      per_msg_hashing_base: count,
      per_msg_byte_hashing: message.length * count,
    });
    if ((signers.at(-1) ?? MAX_KEYS) >= threshold.count || signers.length < threshold.threshold)
      return [false];
    for (const [i, place] of signers.entries()) {
      yield;
      const [one, by, point] = [signatures[i], keys[place], points[place]];
      if (one === undefined || by === undefined || point === undefined) return [false];
      if (!verifyStrict(one, by, point, message)) return [false];
    }
    return [true];
  },
};
