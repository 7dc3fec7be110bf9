// Points of BLS12-381 as bytes: big-endian coordinates, the second part of a pair first, and three flags in the first
// bits (compressed, infinity, larger root).
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { attempt, bigEndianBytes, bigFromBigEndian } from "./common.ts";

const { Fp, Fp2 } = bls12_381.fields;
export const G1Point = bls12_381.G1.Point;
const G2Point = bls12_381.G2.Point;
export type G1 = typeof G1Point.BASE;
export type G2 = typeof G2Point.BASE;
type Pair = typeof Fp2.ONE;

const COORDINATE_BYTES = 48;
const COMPRESSED = 0x80;
const INFINITY = 0x40;
const LARGER = 0x20;

interface Decoded {
  readonly isInfinity: boolean;
  readonly isLarger: boolean;
  /** Coordinates as they are written, flags removed. */
  readonly numbers: readonly bigint[];
}

/** Splits bytes into flags and numbers below the prime. */
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

function isLargerRoot(y: bigint): boolean {
  return y > Fp.neg(y);
}

function isLargerPair({ c0, c1 }: Pair): boolean {
  return c1 === 0n ? isLargerRoot(c0) : isLargerRoot(c1);
}

const G1_B = 4n;
const G2_B = Fp2.create({ c0: 4n, c1: 4n });

/** A point of the curve, in the subgroup or not; undefined for other bytes. */
export function decodeG1(bytes: Uint8Array, isCompressed: boolean): G1 | undefined {
  const decoded = split(bytes, isCompressed ? 1 : 2, isCompressed);
  if (decoded === undefined) return undefined;
  if (decoded.isInfinity) return G1Point.ZERO;
  const [x = 0n, given] = decoded.numbers;
  const square = Fp.add(Fp.mul(Fp.sqr(x), x), G1_B);
  if (given !== undefined) return Fp.sqr(given) === square ? G1Point.fromAffine({ x, y: given }) : undefined;
  const root = attempt(() => Fp.sqrt(square));
  if (root === undefined) return undefined;
  return G1Point.fromAffine({ x, y: isLargerRoot(root) === decoded.isLarger ? root : Fp.neg(root) });
}

export function decodeG2(bytes: Uint8Array, isCompressed: boolean): G2 | undefined {
  const decoded = split(bytes, isCompressed ? 2 : 4, isCompressed);
  if (decoded === undefined) return undefined;
  if (decoded.isInfinity) return G2Point.ZERO;
  const [x1 = 0n, x0 = 0n, y1, y0] = decoded.numbers;
  const x = Fp2.create({ c0: x0, c1: x1 });
  const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2_B);
  if (y0 !== undefined && y1 !== undefined) {
    const y = Fp2.create({ c0: y0, c1: y1 });
    return Fp2.eql(Fp2.sqr(y), square) ? G2Point.fromAffine({ x, y }) : undefined;
  }
  const root = attempt(() => Fp2.sqrt(square));
  if (root === undefined) return undefined;
  return G2Point.fromAffine({ x, y: isLargerPair(root) === decoded.isLarger ? root : Fp2.neg(root) });
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
  return isCompressed ? join([x], form | (isLargerRoot(y) ? LARGER : 0)) : join([x, y], form);
}

export function encodeG2(point: G2, isCompressed: boolean): Uint8Array {
  const form = isCompressed ? COMPRESSED : 0;
  if (point.is0()) return join(isCompressed ? [0n, 0n] : [0n, 0n, 0n, 0n], form | INFINITY);
  const { x, y } = point.toAffine();
  return isCompressed
    ? join([x.c1, x.c0], form | (isLargerPair(y) ? LARGER : 0))
    : join([x.c1, x.c0, y.c1, y.c0], form);
}
