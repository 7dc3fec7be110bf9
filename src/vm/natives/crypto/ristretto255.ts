// Natives of 0x1::ristretto255. Code holds points as handles: places in a list of the session.
import { createHash } from "node:crypto";
import { mulAddUnsafe } from "@noble/curves/abstract/curve.js";
import { ristretto255, ristretto255_hasher } from "@noble/curves/ed25519.js";
import { finish, type Pieces } from "../../../base/pieces.ts";
import { aborted, invariant } from "../../errors.ts";
import type { Native, NativeContext, NativeModule } from "../../natives.ts";
import type { Session } from "../../session.ts";
import { asBig, asBytes, asStruct, asVec, byteVec, type Value } from "../../values.ts";
import { attempt, bigFromLittleEndian, chargeAll, littleEndianBytes } from "./common.ts";

export type RistrettoPoint = typeof ristretto255.Point.BASE;
const { Point }: Pick<typeof ristretto255, "Point"> = ristretto255;
export const SCALAR_ORDER = Point.Fn.ORDER;
const { Fn } = Point;

const GROUP = "ristretto255";
const TOO_MANY_POINTS = 0x090004;
const MAX_POINTS = 10_000;
const NO_HANDLE = (1n << 64n) - 1n;
/** Of one piece, which takes some milliseconds. Methods for more points at once are not much faster. */
const POINTS_OF_PIECE = 16;

function pointsOf(session: Session): RistrettoPoint[] {
  return session.extension<RistrettoPoint[]>("ristretto255", () => []);
}

function addPoint({ session }: NativeContext, point: RistrettoPoint): bigint {
  const points = pointsOf(session);
  if (points.length >= MAX_POINTS) throw aborted(TOO_MANY_POINTS);
  points.push(point);
  return BigInt(points.length - 1);
}

function pointAt({ session }: NativeContext, handle: bigint): RistrettoPoint {
  const point = pointsOf(session)[Number(handle)];
  if (point === undefined) throw invariant("a handle of no point");
  return point;
}

function handleOf(value: Value | undefined): bigint {
  return asBig(asStruct(value).fields[0]);
}

/** The point of a Move struct with a handle. */
export function pointOf(context: NativeContext, value: Value | undefined): RistrettoPoint {
  return pointAt(context, handleOf(value));
}

/** A point by its canonical bytes. */
export function decodeRistretto(bytes: Uint8Array): RistrettoPoint | undefined {
  return bytes.length === 32 ? attempt(() => Point.fromBytes(bytes)) : undefined;
}

export function multiply(point: RistrettoPoint, scalar: bigint): RistrettoPoint {
  return point.multiplyUnsafe(scalar);
}

/** The sum of points times scalars. */
export function* multiScalarMultiply(
  points: readonly RistrettoPoint[],
  scalars: readonly bigint[],
): Pieces<RistrettoPoint> {
  let sum = Point.ZERO;
  for (let at = 0; at < points.length; at += POINTS_OF_PIECE) {
    if (at > 0) yield;
    const end = at + POINTS_OF_PIECE;
    sum = sum.add(mulAddUnsafe(Point, points.slice(at, end), scalars.slice(at, end)));
  }
  return sum;
}

/** A scalar that Move code holds: the highest bit is ignored, the rest must be reduced. */
export function scalarOf(value: Value | undefined): bigint {
  const bytes = asBytes(value);
  const scalar = bigFromLittleEndian(bytes) & ((1n << 255n) - 1n);
  if (bytes.length !== 32 || scalar >= SCALAR_ORDER) throw invariant("bytes of no scalar");
  return scalar;
}

function scalarBytes(scalar: bigint): Value {
  return byteVec(littleEndianBytes(scalar, 32));
}

function exactBytes(value: Value | undefined, length: number): Uint8Array {
  const bytes = asBytes(value);
  if (bytes.length !== length) throw invariant(`expected ${length} bytes`);
  return bytes;
}

function sha512(bytes: Uint8Array): Uint8Array {
  return createHash("sha512").update(bytes).digest();
}

/** A point from 64 even bytes. */
export function mapToPoint(bytes: Uint8Array): RistrettoPoint {
  const { deriveToCurve } = ristretto255_hasher;
  if (deriveToCurve === undefined) throw invariant("the library cannot map to points");
  return deriveToCurve(bytes);
}

/** Stores a result as a new point, or in place of the first operand. */
function stored(
  context: NativeContext,
  operand: Value | undefined,
  isInPlace: Value | undefined,
  result: RistrettoPoint,
): readonly Value[] {
  if (isInPlace !== true) return [addPoint(context, result)];
  const handle = handleOf(operand);
  pointsOf(context.session)[Number(handle)] = result;
  return [handle];
}

/** A native of points, the last arguments of which are others and whether the first is changed in place. */
function combining(
  price: string,
  combine: (a: RistrettoPoint, other: Value | undefined, context: NativeContext) => RistrettoPoint,
): Native {
  return (context, args) => {
    chargeAll(context, GROUP, { [price]: 1 });
    return stored(context, args[0], args.at(-1), combine(pointOf(context, args[0]), args[1], context));
  };
}

/** A native that costs one price and gives one value. */
function costing(price: string, run: (context: NativeContext, args: readonly Value[]) => Value): Native {
  return (context, args) => {
    chargeAll(context, GROUP, { [price]: 1 });
    return [run(context, args)];
  };
}

function onScalars(price: string, compute: (...scalars: bigint[]) => bigint): Native {
  return costing(price, (_, args) => scalarBytes(compute(...args.map(scalarOf))));
}

/** A native that makes a scalar of any bytes of a length. */
function reducing(price: string, length: number): Native {
  return (context, [value]) => {
    const bytes = exactBytes(value, length);
    chargeAll(context, GROUP, { [price]: 1 });
    return [scalarBytes(bigFromLittleEndian(bytes) % SCALAR_ORDER)];
  };
}

function hashCounts(bytes: Uint8Array): Readonly<Record<string, number>> {
  return { scalar_sha512_per_hash: 1, scalar_sha512_per_byte: bytes.length };
}

const doubleMultiply = costing("point_double_mul", (context, [handle1, handle2, scalar1, scalar2]) => {
  const points = [pointAt(context, asBig(handle1)), pointAt(context, asBig(handle2))];
  return addPoint(context, finish(multiScalarMultiply(points, [scalarOf(scalar1), scalarOf(scalar2)])));
});

export const ristretto255Natives: NativeModule = {
  point_is_canonical_internal: costing(
    "point_decompress",
    (_, [bytes]) => decodeRistretto(asBytes(bytes)) !== undefined,
  ),
  point_identity_internal: costing("point_identity", (context) => addPoint(context, Point.ZERO)),
  point_decompress_internal: (context, [bytes]) => {
    chargeAll(context, GROUP, { point_decompress: 1 });
    const point = decodeRistretto(asBytes(bytes));
    return point === undefined ? [NO_HANDLE, false] : [addPoint(context, point), true];
  },
  point_clone_internal: costing("point_clone", (context, [handle]) =>
    addPoint(context, pointAt(context, asBig(handle))),
  ),
  point_compress_internal: costing("point_compress", (context, [point]) =>
    byteVec(pointOf(context, point).toBytes()),
  ),
  point_equals: costing("point_equals", (context, [a, b]) => pointOf(context, a).equals(pointOf(context, b))),
  point_mul_internal: combining("point_mul", (point, scalar) => multiply(point, scalarOf(scalar))),
  point_neg_internal: combining("point_neg", (point) => point.negate()),
  point_add_internal: combining("point_add", (a, b, context) => a.add(pointOf(context, b))),
  point_sub_internal: combining("point_sub", (a, b, context) => a.subtract(pointOf(context, b))),
  basepoint_mul_internal: costing("basepoint_mul", (context, [scalar]) =>
    addPoint(context, multiply(Point.BASE, scalarOf(scalar))),
  ),
  basepoint_double_mul_internal: costing("basepoint_double_mul", (context, [scalar, point, baseScalar]) => {
    const points = [pointOf(context, point), Point.BASE];
    return addPoint(context, finish(multiScalarMultiply(points, [scalarOf(scalar), scalarOf(baseScalar)])));
  }),
  new_point_from_sha512_internal: (context, [value]) => {
    const bytes = asBytes(value);
    chargeAll(context, GROUP, { point_from_64_uniform_bytes: 1, ...hashCounts(bytes) });
    return [addPoint(context, mapToPoint(sha512(bytes)))];
  },
  new_point_from_64_uniform_bytes_internal: (context, [bytes]) => {
    chargeAll(context, GROUP, { point_from_64_uniform_bytes: 1 });
    return [addPoint(context, mapToPoint(exactBytes(bytes, 64)))];
  },
  double_scalar_mul_internal: doubleMultiply,
  point_double_mul_internal: doubleMultiply,
  *multi_scalar_mul_internal(context, [pointList, scalarList]) {
    const [points, scalars] = [asVec(pointList).items, asVec(scalarList).items];
    const count = scalars.length;
    if (count === 0 || points.length < count) throw invariant("a product of nothing");
    chargeAll(context, GROUP, {
      point_parse_arg: count,
      scalar_parse_arg: count,
      point_mul: Math.floor(count / (31 - Math.clz32(count + 1))),
    });
    const sum = yield* multiScalarMultiply(
      points.slice(0, count).map((one) => pointOf(context, one)),
      scalars.map((one) => scalarOf(asStruct(one).fields[0])),
    );
    return [addPoint(context, sum)];
  },
  scalar_is_canonical_internal: costing("scalar_is_canonical", (_, [value]) => {
    const bytes = asBytes(value);
    return bytes.length === 32 && bigFromLittleEndian(bytes) < SCALAR_ORDER;
  }),
  scalar_invert_internal: onScalars("scalar_invert", (a = 0n) => (a === 0n ? 0n : Fn.inv(a))),
  scalar_mul_internal: onScalars("scalar_mul", (a = 0n, b = 0n) => Fn.mul(a, b)),
  scalar_add_internal: onScalars("scalar_add", (a = 0n, b = 0n) => Fn.add(a, b)),
  scalar_sub_internal: onScalars("scalar_sub", (a = 0n, b = 0n) => Fn.sub(a, b)),
  scalar_neg_internal: onScalars("scalar_neg", (a = 0n) => Fn.neg(a)),
  scalar_from_sha512_internal: (context, [value]) => {
    const bytes = asBytes(value);
    chargeAll(context, GROUP, { scalar_uniform_from_64_bytes: 1, ...hashCounts(bytes) });
    return [scalarBytes(bigFromLittleEndian(sha512(bytes)) % SCALAR_ORDER)];
  },
  scalar_from_u64_internal: costing("scalar_from_u64", (_, [value]) => scalarBytes(asBig(value))),
  scalar_from_u128_internal: costing("scalar_from_u128", (_, [value]) => scalarBytes(asBig(value))),
  scalar_reduced_from_32_bytes_internal: reducing("scalar_reduced_from_32_bytes", 32),
  scalar_uniform_from_64_bytes_internal: reducing("scalar_uniform_from_64_bytes", 64),
};
