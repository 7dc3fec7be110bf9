// Natives of 0x1::bls12381: signatures with keys in G1. Decoding checks only that a point is on the curve; each function
// says what else it checks.
import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { Pieces } from "../../../base/pieces.ts";
import type { Native, NativeContext, NativeModule } from "../../natives.ts";
import { asBytes, asVec, byteVec, type Value, type Vec } from "../../values.ts";
import { decodeG1, decodeG2, encodeG1, encodeG2 } from "./bls-points.ts";
import { chargeAll, firstFields } from "./common.ts";
import { type G1, type G2, pairingProduct } from "./curve-points.ts";

const { Fp12, Fr } = bls12_381.fields;
const SIGNATURE_DOMAIN = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const POSSESSION_DOMAIN = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const GROUP = "bls12381";
const COMPRESSED_KEY_BYTES = 48;
const COMPRESSED_SIGNATURE_BYTES = 96;

/** The cofactor of G1. A point times this, times its inverse in the scalar field, is its part in the subgroup. */
const G1_COFACTOR = 0x396c8c005555e1568c00aaab0000aaabn;
const G1_COFACTOR_INVERSE = Fr.inv(G1_COFACTOR);

function decodeKey(context: NativeContext, bytes: Uint8Array): G1 | undefined {
  chargeAll(context, GROUP, { per_pubkey_deserialize: 1 });
  const point = decodeG1(bytes, bytes.length === COMPRESSED_KEY_BYTES);
  // The chain's library refuses the two points of order three here already.
  return point === undefined || (!point.is0() && point.toAffine().x === 0n) ? undefined : point;
}

function decodeSignature(context: NativeContext, bytes: Uint8Array): G2 | undefined {
  chargeAll(context, GROUP, { per_sig_deserialize: 1 });
  return decodeG2(bytes, bytes.length === COMPRESSED_SIGNATURE_BYTES);
}

/** Decodes until one fails; undefined if one does. */
function* decodeList<T>(
  list: readonly Vec[],
  decode: (bytes: Uint8Array) => T | undefined,
): Pieces<T[] | undefined> {
  const points: T[] = [];
  for (const one of list) {
    const point = decode(asBytes(one));
    if (point === undefined) return undefined;
    points.push(point);
    yield;
  }
  return points;
}

function isValidKey(key: G1): boolean {
  return !key.is0() && key.isTorsionFree();
}

/** Charges for a check of a key: the chain takes the price of decoding for it. */
function isValidKeyCharged(context: NativeContext, key: G1): boolean {
  chargeAll(context, GROUP, { per_pubkey_deserialize: 1 });
  return isValidKey(key);
}

function inSubgroup(key: G1): G1 {
  return key.isTorsionFree() ? key : key.multiplyUnsafe(G1_COFACTOR).multiplyUnsafe(G1_COFACTOR_INVERSE);
}

/** True if the signature is one of each message by its key. Keys outside the subgroup count by their part in it. */
function* verify(
  signature: G2,
  signed: readonly { readonly key: G1; readonly message: Uint8Array }[],
  domain: string,
): Pieces<boolean> {
  if (signed.length === 0 || !signature.isTorsionFree() || signed.some(({ key }) => key.is0())) return false;
  yield;
  const pairs = [{ g1: bls12_381.G1.Point.BASE.negate(), g2: signature }];
  for (const { key, message } of signed) {
    pairs.push({ g1: inSubgroup(key), g2: bls12_381.G2.hashToCurve(message, { DST: domain }) });
    yield;
  }
  return Fp12.eql(yield* pairingProduct(bls12_381, pairs), Fp12.ONE);
}

function* verifyOne(
  context: NativeContext,
  args: readonly Value[],
  checksKey: boolean,
): Pieces<readonly Value[]> {
  const [signatureBytes, keyBytes, message] = args.map(asBytes) as [Uint8Array, Uint8Array, Uint8Array];
  chargeAll(context, GROUP, { base: 1 });
  const key = decodeKey(context, keyBytes);
  if (key === undefined || (checksKey && !isValidKeyCharged(context, key))) return [false];
  yield;
  const signature = decodeSignature(context, signatureBytes);
  if (signature === undefined) return [false];
  chargeAll(context, GROUP, { per_sig_verify: 1, per_msg_hashing: 1, per_byte_hashing: message.length });
  return [yield* verify(signature, [{ key, message }], SIGNATURE_DOMAIN)];
}

/** The sum of keys or of signatures. */
function aggregating<P extends { add(other: P): P }>(
  price: "pubkey" | "sig",
  decode: (context: NativeContext, bytes: Uint8Array) => P | undefined,
  encode: (point: P, isCompressed: boolean) => Uint8Array,
): Native {
  return function* (context, [list]): Pieces<readonly Value[]> {
    chargeAll(context, GROUP, { base: 1 });
    const points = yield* decodeList(firstFields(list), (bytes) => decode(context, bytes));
    const [first, ...rest] = points ?? [];
    if (first === undefined) return [byteVec(new Uint8Array(0)), false];
    chargeAll(context, GROUP, { [`per_${price}_aggregate`]: rest.length + 1 });
    const sum = rest.reduce((all, one) => all.add(one), first);
    return [byteVec(encode(sum, true)), true];
  };
}

export const bls12381Natives: NativeModule = {
  validate_pubkey_internal: (context, [bytes]) => {
    chargeAll(context, GROUP, { base: 1 });
    const key = decodeKey(context, asBytes(bytes));
    return [key !== undefined && isValidKeyCharged(context, key)];
  },
  signature_subgroup_check_internal: (context, [bytes]) => {
    chargeAll(context, GROUP, { base: 1 });
    const signature = decodeSignature(context, asBytes(bytes));
    if (signature === undefined) return [false];
    chargeAll(context, GROUP, { per_sig_subgroup_check: 1 });
    return [!signature.is0() && signature.isTorsionFree()];
  },
  aggregate_pubkeys_internal: aggregating("pubkey", decodeKey, encodeG1),
  aggregate_signatures_internal: aggregating("sig", decodeSignature, encodeG2),
  *verify_aggregate_signature_internal(context, [signatureBytes, keyList, messageList]) {
    chargeAll(context, GROUP, { base: 1 });
    const keyBytes = firstFields(keyList);
    const messages = asVec(messageList).items.map(asBytes);
    if (keyBytes.length !== messages.length) return [false];
    const keys = yield* decodeList(keyBytes, (bytes) => decodeKey(context, bytes));
    if (keys === undefined) return [false];
    const signature = decodeSignature(context, asBytes(signatureBytes));
    if (signature === undefined) return [false];
    chargeAll(context, GROUP, {
      per_pairing: messages.length + 1,
      per_msg_hashing: messages.length,
      per_byte_hashing: messages.reduce((sum, one) => sum + one.length, 0),
    });
    const signed = messages.map((message, i) => ({ key: keys[i] as G1, message }));
    return [yield* verify(signature, signed, SIGNATURE_DOMAIN)];
  },
  verify_multisignature_internal: (context, args) => verifyOne(context, args, false),
  verify_normal_signature_internal: (context, args) => verifyOne(context, args, true),
  verify_signature_share_internal: (context, args) => verifyOne(context, args, false),
  *verify_proof_of_possession_internal(context, [keyBytes, proofBytes]) {
    chargeAll(context, GROUP, { base: 1 });
    const key = decodeKey(context, asBytes(keyBytes));
    if (key === undefined) return [false];
    const proof = decodeSignature(context, asBytes(proofBytes));
    if (proof === undefined) return [false];
    chargeAll(context, GROUP, { per_pop_verify: 1 });
    const signed = [{ key, message: encodeG1(key, true) }];
    return [isValidKey(key) && (yield* verify(proof, signed, POSSESSION_DOMAIN))];
  },
};
