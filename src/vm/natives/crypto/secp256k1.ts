// Natives of 0x1::secp256k1: the key that signed.
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { aborted } from "../../errors.ts";
import type { NativeModule } from "../../natives.ts";
import { asBytes, asNumber, byteVec } from "../../values.ts";
import { attempt, bigFromBigEndian, chargeAll } from "./common.ts";

const { Point } = secp256k1;
const { Fn, Fp } = Point;
const CANNOT_DECODE = 0x010001;
const COORDINATE_BYTES = 32;

/** The uncompressed key without its prefix; undefined if there is none. */
function recover(digest: Uint8Array, recoveryId: number, r: bigint, s: bigint): Uint8Array | undefined {
  if (r === 0n || s === 0n) return undefined;
  const x = (recoveryId & 2) === 0 ? r : r + Fn.ORDER;
  if (x >= Fp.ORDER) return undefined;
  const root = attempt(() => Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), 7n)));
  if (root === undefined) return undefined;
  const y = (root & 1n) === BigInt(recoveryId & 1) ? root : Fp.neg(root);
  const inverse = Fn.inv(r);
  const z = bigFromBigEndian(digest) % Fn.ORDER;
  const key = Point.fromAffine({ x, y })
    .multiplyUnsafe(Fn.mul(s, inverse))
    .add(Point.BASE.multiplyUnsafe(Fn.mul(Fn.neg(z), inverse)));
  return key.is0() ? undefined : key.toBytes(false).subarray(1);
}

export const secp256k1Natives: NativeModule = {
  ecdsa_recover_internal: (context, [message, id, signature]) => {
    chargeAll(context, "secp256k1", { base: 1 });
    const [digest, bytes, recoveryId] = [asBytes(message), asBytes(signature), asNumber(id)];
    if (digest.length !== 32 || recoveryId > 3 || bytes.length !== 2 * COORDINATE_BYTES)
      throw aborted(CANNOT_DECODE);
    const r = bigFromBigEndian(bytes.subarray(0, COORDINATE_BYTES));
    const s = bigFromBigEndian(bytes.subarray(COORDINATE_BYTES));
    if (r >= Fn.ORDER || s >= Fn.ORDER) throw aborted(CANNOT_DECODE);
    chargeAll(context, "secp256k1", { ecdsa_recover: 1 });
    const key = recover(digest, recoveryId, r, s);
    return [byteVec(key ?? new Uint8Array(0)), key !== undefined];
  },
};
