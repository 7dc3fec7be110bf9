// Points of BN254 as bytes: little-endian coordinates, and two flags in the last byte (larger root, infinity).
import { bn254 } from "@noble/curves/bn254.js";
import { attempt, bigFromLittleEndian, littleEndianBytes } from "./common.ts";

const { Fp, Fp2 } = bn254.fields;
const G1Point = bn254.G1.Point;
const G2Point = bn254.G2.Point;
type G1 = typeof G1Point.BASE;
type G2 = typeof G2Point.BASE;
type Pair = typeof Fp2.ONE;

const COORDINATE_BYTES = 32;
const LARGER = 0x80;
const INFINITY = 0x40;
const G1_B = 3n;
/** The twist divides by 9 + u. */
const G2_B = Fp2.div(Fp2.create({ c0: 3n, c1: 0n }), Fp2.create({ c0: 9n, c1: 1n }));

interface Decoded {
  readonly isInfinity: boolean;
  readonly isLarger: boolean;
  readonly numbers: readonly bigint[];
}

/** Splits bytes into flags and numbers below the prime. The numbers of infinity may be any. */
function split(bytes: Uint8Array, count: number): Decoded | undefined {
  const flags = bytes.at(-1) ?? 0;
  const isInfinity = (flags & INFINITY) !== 0;
  const isLarger = (flags & LARGER) !== 0;
  if (bytes.length !== count * COORDINATE_BYTES || (isInfinity && isLarger)) return undefined;
  const plain = Uint8Array.from(bytes);
  plain[plain.length - 1] = flags & 0x3f;
  const numbers = Array.from({ length: count }, (_, i) =>
    bigFromLittleEndian(plain.subarray(i * COORDINATE_BYTES, (i + 1) * COORDINATE_BYTES)),
  );
  return numbers.some((one) => one >= Fp.ORDER) ? undefined : { isInfinity, isLarger, numbers };
}

function isLargerRoot(y: bigint): boolean {
  return y > Fp.neg(y);
}

function isLargerPair({ c0, c1 }: Pair): boolean {
  return c1 === 0n ? isLargerRoot(c0) : isLargerRoot(c1);
}

/** A point of the group; undefined for other bytes. */
export function decodeBnG1(bytes: Uint8Array, isCompressed: boolean): G1 | undefined {
  const decoded = split(bytes, isCompressed ? 1 : 2);
  if (decoded === undefined) return undefined;
  if (decoded.isInfinity) return G1Point.ZERO;
  const [x = 0n, given] = decoded.numbers;
  const square = Fp.add(Fp.mul(Fp.sqr(x), x), G1_B);
  if (given !== undefined) return Fp.sqr(given) === square ? G1Point.fromAffine({ x, y: given }) : undefined;
  const root = attempt(() => Fp.sqrt(square));
  if (root === undefined) return undefined;
  return G1Point.fromAffine({ x, y: isLargerRoot(root) === decoded.isLarger ? root : Fp.neg(root) });
}

function checkedG2(x: Pair, y: Pair): G2 | undefined {
  const point = G2Point.fromAffine({ x, y });
  return point.isTorsionFree() ? point : undefined;
}

export function decodeBnG2(bytes: Uint8Array, isCompressed: boolean): G2 | undefined {
  const decoded = split(bytes, isCompressed ? 2 : 4);
  if (decoded === undefined) return undefined;
  if (decoded.isInfinity) return G2Point.ZERO;
  const [x0 = 0n, x1 = 0n, y0, y1] = decoded.numbers;
  const x = Fp2.create({ c0: x0, c1: x1 });
  const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2_B);
  if (y0 !== undefined && y1 !== undefined) {
    const y = Fp2.create({ c0: y0, c1: y1 });
    return Fp2.eql(Fp2.sqr(y), square) ? checkedG2(x, y) : undefined;
  }
  const root = attempt(() => Fp2.sqrt(square));
  if (root === undefined) return undefined;
  return checkedG2(x, isLargerPair(root) === decoded.isLarger ? root : Fp2.neg(root));
}

function join(numbers: readonly bigint[], flags: number): Uint8Array {
  const bytes = new Uint8Array(Buffer.concat(numbers.map((one) => littleEndianBytes(one, COORDINATE_BYTES))));
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | flags;
  return bytes;
}

export function encodeBnG1(point: G1, isCompressed: boolean): Uint8Array {
  if (point.is0()) return join(isCompressed ? [0n] : [0n, 0n], INFINITY);
  const { x, y } = point.toAffine();
  return join(isCompressed ? [x] : [x, y], isLargerRoot(y) ? LARGER : 0);
}

export function encodeBnG2(point: G2, isCompressed: boolean): Uint8Array {
  if (point.is0()) return join(isCompressed ? [0n, 0n] : [0n, 0n, 0n, 0n], INFINITY);
  const { x, y } = point.toAffine();
  return join(isCompressed ? [x.c0, x.c1] : [x.c0, x.c1, y.c0, y.c1], isLargerPair(y) ? LARGER : 0);
}
