// Points of BN254 as bytes: little-endian coordinates, and two flags in the last byte (larger root, infinity).
import { bn254 } from "@noble/curves/bn254.js";
import { bigFromLittleEndian, littleEndianBytes } from "./common.ts";
import { CurvePoints, type Decoded, type G1, type G2 } from "./curve-points.ts";

const { Fp, Fp2 } = bn254.fields;
/** The twist divides by 9 + u. */
const G2_B = Fp2.div(Fp2.create({ c0: 3n, c1: 0n }), Fp2.create({ c0: 9n, c1: 1n }));
const points = new CurvePoints(bn254, 3n, G2_B);
const COORDINATE_BYTES = 32;
const LARGER = 0x80;
const INFINITY = 0x40;

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

/** A point of the group; undefined for other bytes. */
export function decodeBnG1(bytes: Uint8Array, isCompressed: boolean): G1 | undefined {
  const decoded = split(bytes, isCompressed ? 1 : 2);
  return decoded && points.g1(decoded);
}

export function decodeBnG2(bytes: Uint8Array, isCompressed: boolean): G2 | undefined {
  const decoded = split(bytes, isCompressed ? 2 : 4);
  const point = decoded && points.g2(decoded);
  return point !== undefined && (point.is0() || point.isTorsionFree()) ? point : undefined;
}

function join(numbers: readonly bigint[], flags: number): Uint8Array {
  const bytes = new Uint8Array(Buffer.concat(numbers.map((one) => littleEndianBytes(one, COORDINATE_BYTES))));
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | flags;
  return bytes;
}

export function encodeBnG1(point: G1, isCompressed: boolean): Uint8Array {
  if (point.is0()) return join(isCompressed ? [0n] : [0n, 0n], INFINITY);
  const { x, y } = point.toAffine();
  return join(isCompressed ? [x] : [x, y], points.isLargerRoot(y) ? LARGER : 0);
}

export function encodeBnG2(point: G2, isCompressed: boolean): Uint8Array {
  if (point.is0()) return join(isCompressed ? [0n, 0n] : [0n, 0n, 0n, 0n], INFINITY);
  const { x, y } = point.toAffine();
  return join(isCompressed ? [x.c0, x.c1] : [x.c0, x.c1, y.c0, y.c1], points.isLargerPair(y) ? LARGER : 0);
}
