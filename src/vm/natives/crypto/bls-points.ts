// Points of BLS12-381 as bytes: big-endian coordinates, the second part of a pair first, and three flags in the first
// bits (compressed, infinity, larger root).
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bigEndianBytes, bigFromBigEndian } from "./common.ts";
import { CurvePoints, type Decoded, type G1, type G2 } from "./curve-points.ts";

const { Fp, Fp2 } = bls12_381.fields;
const points = new CurvePoints(bls12_381, 4n, Fp2.create({ c0: 4n, c1: 4n }));

const COORDINATE_BYTES = 48;
const COMPRESSED = 0x80;
const INFINITY = 0x40;
const LARGER = 0x20;

/** Splits bytes into flags and numbers as they are written. */
function split(bytes: Uint8Array, count: number, isCompressed: boolean): Decoded | undefined {
  const [first = 0] = bytes;
  if (bytes.length !== count * COORDINATE_BYTES || ((first & COMPRESSED) !== 0) !== isCompressed)
    return undefined;
  const isInfinity = (first & INFINITY) !== 0;
  const isLarger = (first & LARGER) !== 0;
  if (isLarger && (!isCompressed || isInfinity)) return undefined;
  const plain = Uint8Array.from(bytes);
  plain[0] = first & 0x1f;
  const numbers = Array.from({ length: count }, (_, i) =>
    bigFromBigEndian(plain.subarray(i * COORDINATE_BYTES, (i + 1) * COORDINATE_BYTES)),
  );
  if (numbers.some((one) => one >= Fp.ORDER)) return undefined;
  if (isInfinity && numbers.some((one) => one !== 0n)) return undefined;
  return { isInfinity, isLarger, numbers };
}

/** A point of the curve, in the subgroup or not; undefined for other bytes. */
export function decodeG1(bytes: Uint8Array, isCompressed: boolean): G1 | undefined {
  const decoded = split(bytes, isCompressed ? 1 : 2, isCompressed);
  return decoded && points.g1(decoded);
}

export function decodeG2(bytes: Uint8Array, isCompressed: boolean): G2 | undefined {
  const decoded = split(bytes, isCompressed ? 2 : 4, isCompressed);
  if (decoded === undefined) return undefined;
  const numbers = decoded.numbers.map((_, i, all) => all[i ^ 1] as bigint);
  return points.g2({ ...decoded, numbers });
}

function join(numbers: readonly bigint[], flags: number): Uint8Array {
  const bytes = new Uint8Array(Buffer.concat(numbers.map((one) => bigEndianBytes(one, COORDINATE_BYTES))));
  bytes[0] = (bytes[0] ?? 0) | flags;
  return bytes;
}

/** Bytes of a point, in the subgroup or not. */
export function encodeG1(point: G1, isCompressed: boolean): Uint8Array {
  const form = isCompressed ? COMPRESSED : 0;
  if (point.is0()) return join(isCompressed ? [0n] : [0n, 0n], form | INFINITY);
  const { x, y } = point.toAffine();
  return isCompressed ? join([x], form | (points.isLargerRoot(y) ? LARGER : 0)) : join([x, y], form);
}

export function encodeG2(point: G2, isCompressed: boolean): Uint8Array {
  const form = isCompressed ? COMPRESSED : 0;
  if (point.is0()) return join(isCompressed ? [0n, 0n] : [0n, 0n, 0n, 0n], form | INFINITY);
  const { x, y } = point.toAffine();
  return isCompressed
    ? join([x.c1, x.c0], form | (points.isLargerPair(y) ? LARGER : 0))
    : join([x.c1, x.c0, y.c1, y.c0], form);
}
