// The algebraic structures that 0x1::crypto_algebra works with: fields, groups of points, and the groups that pairings
// map to, of BLS12-381 and BN254.
import { createHash } from "node:crypto";
import { mulAddUnsafe } from "@noble/curves/abstract/curve.js";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";
import type { Pieces } from "../../../base/pieces.ts";
import { decodeG1, decodeG2, encodeG1, encodeG2 } from "./bls-points.ts";
import { decodeBnG1, decodeBnG2, encodeBnG1, encodeBnG2 } from "./bn254-points.ts";
import { bigEndianBytes, bigFromBigEndian, bigFromLittleEndian, littleEndianBytes } from "./common.ts";
import { type G1, type G2, pairingProduct } from "./curve-points.ts";

/** Arithmetic of a field, as the library has it. */
interface FieldOps<T> {
  readonly ORDER: bigint;
  readonly ZERO: T;
  readonly ONE: T;
  add(a: T, b: T): T;
  sub(a: T, b: T): T;
  mul(a: T, b: T): T;
  sqr(a: T): T;
  neg(a: T): T;
  inv(a: T): T;
  eql(a: T, b: T): boolean;
  is0(a: T): boolean;
  pow(a: T, power: bigint): T;
}

/** A point, as the library has it. */
interface GroupPoint<P> {
  add(other: P): P;
  subtract(other: P): P;
  double(): P;
  negate(): P;
  equals(other: P): boolean;
  is0(): boolean;
  multiplyUnsafe(scalar: bigint): P;
}

/** Bytes of elements. */
export interface Format {
  readonly length: number;
  /** What the price of this format is called: "", or for points "_comp" or "_uncomp". */
  readonly price: string;
  /** Undefined for bytes of no element. */
  decode(bytes: Uint8Array): unknown;
  encode(element: unknown): Uint8Array;
}

interface Common {
  /** What prices are called. */
  readonly price: string;
  /** Memory that an element counts as. */
  readonly bytes: number;
  readonly order: Uint8Array;
  readonly formats: Readonly<Record<string, Format>>;
}

export interface FieldStructure extends Common {
  readonly kind: "field";
  readonly ops: FieldOps<unknown>;
  fromNumber(value: bigint): unknown;
}

export interface GroupStructure extends Common {
  readonly kind: "group";
  readonly zero: GroupPoint<unknown>;
  readonly generator: GroupPoint<unknown>;
  multiMultiply(points: readonly unknown[], scalars: readonly bigint[]): Pieces<unknown>;
}

/** A group in the field of degree twelve, written as a sum: adding is multiplying. */
export interface TargetStructure extends Common {
  readonly kind: "target";
  readonly ops: FieldOps<unknown>;
  readonly generator: () => unknown;
  readonly groupOrder: bigint;
}

export type Structure = FieldStructure | GroupStructure | TargetStructure;

/** One curve with its structures by name. */
export interface Family {
  readonly flag: number;
  readonly price: string;
  readonly structures: Readonly<Record<string, Structure>>;
  /** The product of pairings. */
  pair(g1: readonly unknown[], g2: readonly unknown[]): Pieces<unknown>;
}

function minimalLittleEndian(value: bigint): Uint8Array {
  return littleEndianBytes(value, Math.ceil(value.toString(16).length / 2));
}

function numberFormats(order: bigint, name: string): Readonly<Record<string, Format>> {
  const checked = (value: bigint): bigint | undefined => (value < order ? value : undefined);
  return {
    [`Format${name}Lsb`]: {
      length: 32,
      price: "",
      decode: (bytes) => checked(bigFromLittleEndian(bytes)),
      encode: (element) => littleEndianBytes(element as bigint, 32),
    },
    [`Format${name}Msb`]: {
      length: 32,
      price: "",
      decode: (bytes) => checked(bigFromBigEndian(bytes)),
      encode: (element) => bigEndianBytes(element as bigint, 32),
    },
  };
}

function primeField(ops: FieldOps<bigint>, price: string, name: string): FieldStructure {
  return {
    kind: "field",
    price,
    bytes: 32,
    order: littleEndianBytes(ops.ORDER, 32),
    formats: numberFormats(ops.ORDER, name),
    ops: ops as FieldOps<unknown>,
    fromNumber: (value) => value,
  };
}

type Fields = typeof bls12_381.fields;
type Twelve = Fields["Fp12"]["ONE"];

/** Twelve numbers, little-endian, the constant parts first. */
function twelveFormat({ Fp, Fp12 }: Fields, size: number): Format {
  return {
    length: 12 * size,
    price: "",
    decode: (bytes) => {
      const numbers = Array.from({ length: 12 }, (_, i) =>
        bigFromLittleEndian(bytes.subarray(i * size, (i + 1) * size)),
      );
      return numbers.some((one) => one >= Fp.ORDER)
        ? undefined
        : Fp12.fromBigTwelve(numbers as Parameters<typeof Fp12.fromBigTwelve>[0]);
    },
    encode: (element) => {
      const { c0, c1 } = element as Twelve;
      const pairs = [c0.c0, c0.c1, c0.c2, c1.c0, c1.c1, c1.c2];
      return Buffer.concat(
        pairs.flatMap((pair) => [pair.c0, pair.c1].map((one) => littleEndianBytes(one, size))),
      );
    },
  };
}

/** Points that are multiplied in one piece: of the larger group, for some milliseconds. */
const POINTS_AT_ONCE = 4;

function pointFormats<P>(
  group: string,
  length: number,
  decode: (bytes: Uint8Array, isCompressed: boolean) => P | undefined,
  encode: (point: P, isCompressed: boolean) => Uint8Array,
): Readonly<Record<string, Format>> {
  const format = (isCompressed: boolean): Format => ({
    length: isCompressed ? length : 2 * length,
    price: isCompressed ? "_comp" : "_uncomp",
    decode: (bytes) => decode(bytes, isCompressed),
    encode: (element) => encode(element as P, isCompressed),
  });
  return { [`Format${group}Compr`]: format(true), [`Format${group}Uncompr`]: format(false) };
}

type G1Constructor = typeof bls12_381.G1.Point;
type G2Constructor = typeof bls12_381.G2.Point;

function group(
  Point: G1Constructor | G2Constructor,
  parts: Pick<GroupStructure, "price" | "bytes" | "order" | "formats">,
): GroupStructure {
  const AnyPoint = Point as G1Constructor;
  return {
    kind: "group",
    ...parts,
    zero: AnyPoint.ZERO as unknown as GroupPoint<unknown>,
    generator: AnyPoint.BASE as unknown as GroupPoint<unknown>,
    *multiMultiply(points, scalars) {
      let sum = AnyPoint.ZERO;
      for (let at = 0; at < points.length; at += POINTS_AT_ONCE) {
        const some = points.slice(at, at + POINTS_AT_ONCE) as (typeof AnyPoint.BASE)[];
        sum = sum.add(mulAddUnsafe(AnyPoint, some, scalars.slice(at, at + POINTS_AT_ONCE)));
        yield;
      }
      return sum;
    },
  };
}

interface FamilyParts {
  readonly flag: number;
  readonly price: string;
  readonly curve: Pick<typeof bn254, "fields" | "G1" | "G2" | "pairing" | "pairingBatch">;
  /** Bytes of a coordinate. */
  readonly size: number;
  readonly g1: Readonly<Record<string, Format>>;
  readonly g2: Readonly<Record<string, Format>>;
  readonly more: Readonly<Record<string, Structure>>;
}

function family({ flag, price, curve, size, g1, g2, more }: FamilyParts): Family {
  const { fields, G1, G2 } = curve;
  const { Fp, Fp12, Fr } = fields;
  const order = littleEndianBytes(Fr.ORDER, 32);
  const twelve = twelveFormat(fields, size);
  const ops = Fp12 as unknown as FieldOps<unknown>;
  let generator: unknown;
  return {
    flag,
    price,
    structures: {
      ...more,
      Fq12: {
        kind: "field",
        price: `${price}_fq12`,
        bytes: 12 * size,
        order: minimalLittleEndian(Fp.ORDER ** 12n),
        formats: { FormatFq12LscLsb: twelve },
        ops,
        fromNumber: (value) => Fp12.mul(Fp12.ONE, value),
      },
      G1: group(G1.Point, { price: `${price}_g1`, bytes: 3 * size, order, formats: g1 }),
      G2: group(G2.Point, { price: `${price}_g2`, bytes: 6 * size, order, formats: g2 }),
      Gt: {
        kind: "target",
        price: `${price}_fq12`,
        bytes: 12 * size,
        order,
        formats: { FormatGt: twelve },
        ops,
        groupOrder: Fr.ORDER,
        generator: () => {
          generator ??= curve.pairing(G1.Point.BASE, G2.Point.BASE);
          return generator;
        },
      },
    },
    pair: (first, second) =>
      pairingProduct(
        curve,
        first.map((point, i) => ({ g1: point as G1, g2: second[i] as G2 })),
      ),
  };
}

/** A point of the subgroup: the decoders of BLS12-381 take any point of the curve. */
function inSubgroup<P extends { isTorsionFree(): boolean }>(
  decode: (bytes: Uint8Array, isCompressed: boolean) => P | undefined,
): (bytes: Uint8Array, isCompressed: boolean) => P | undefined {
  return (bytes, isCompressed) => {
    const point = decode(bytes, isCompressed);
    return point?.isTorsionFree() === true ? point : undefined;
  };
}

const FEATURE_BLS12_381 = 13;
const FEATURE_BN254 = 43;
const BLS_PRICE = "ark_bls12_381";
const BN_PRICE = "ark_bn254";

/** Structures by the name of their Move module. */
export const FAMILIES: Readonly<Record<string, Family>> = {
  bls12381_algebra: family({
    flag: FEATURE_BLS12_381,
    price: BLS_PRICE,
    curve: bls12_381,
    size: 48,
    g1: pointFormats("G1", 48, inSubgroup(decodeG1), encodeG1),
    g2: pointFormats("G2", 96, inSubgroup(decodeG2), encodeG2),
    more: { Fr: primeField(bls12_381.fields.Fr, `${BLS_PRICE}_fr`, "Fr") },
  }),
  bn254_algebra: family({
    flag: FEATURE_BN254,
    price: BN_PRICE,
    curve: bn254,
    size: 32,
    g1: pointFormats("G1", 32, decodeBnG1, encodeBnG1),
    g2: pointFormats("G2", 64, decodeBnG2, encodeBnG2),
    more: {
      Fr: primeField(bn254.fields.Fr, `${BN_PRICE}_fr`, "Fr"),
      Fq: primeField(bn254.fields.Fp, `${BN_PRICE}_fq`, "Fq"),
    },
  }),
};

const HASH_BLOCK_BYTES = 64;
const FIELD_DRAW_BYTES = 64;
const MAX_DOMAIN_BYTES = 255;

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** RFC 9380's expand_message_xmd with SHA-256. Unlike the library's, it takes an empty domain, as the chain does. */
function expandMessage(message: Uint8Array, domain: Uint8Array, length: number): Uint8Array {
  const short = domain.length > MAX_DOMAIN_BYTES ? sha256(Buffer.from("H2C-OVERSIZE-DST-"), domain) : domain;
  const suffix = Buffer.concat([short, Buffer.of(short.length)]);
  const first = sha256(
    new Uint8Array(HASH_BLOCK_BYTES),
    message,
    Buffer.of(length >> 8, length & 0xff, 0),
    suffix,
  );
  const blocks: Buffer[] = [sha256(first, Buffer.of(1), suffix)];
  while (blocks.length * 32 < length) {
    const last = blocks.at(-1) as Buffer;
    const mixed = first.map((byte, i) => byte ^ (last[i] ?? 0));
    blocks.push(sha256(mixed, Buffer.of(blocks.length + 1), suffix));
  }
  return Buffer.concat(blocks).subarray(0, length);
}

/** Hashes to a group of BLS12-381 by RFC 9380, suite XMD:SHA-256_SSWU_RO. */
export function hashToGroup(group: "G1" | "G2", message: Uint8Array, domain: Uint8Array): unknown {
  const { Fp } = bls12_381.fields;
  const draws = group === "G1" ? 2 : 4;
  const bytes = expandMessage(message, domain, draws * FIELD_DRAW_BYTES);
  const numbers = Array.from(
    { length: draws },
    (_, i) => bigFromBigEndian(bytes.subarray(i * FIELD_DRAW_BYTES, (i + 1) * FIELD_DRAW_BYTES)) % Fp.ORDER,
  );
  const [a = 0n, b = 0n, c = 0n, d = 0n] = numbers;
  const mapped = group === "G1" ? [mapG1(a), mapG1(b)] : [mapG2([a, b]), mapG2([c, d])];
  return mapped[0]?.add(mapped[1]);
}

/** The library's types say that these give coordinates; they give points with the cofactor cleared. */
const mapG1 = bls12_381.G1.mapToCurve as unknown as (number: bigint) => GroupPoint<unknown>;
const mapG2 = bls12_381.G2.mapToCurve as unknown as (numbers: readonly bigint[]) => GroupPoint<unknown>;
