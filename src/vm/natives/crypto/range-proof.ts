// Bulletproofs over ristretto255: proofs that committed values are below a power of two. One proof may cover several
// values, each with a generator list of its own.
import { createHash } from "node:crypto";
import { ristretto255 } from "@noble/curves/ed25519.js";
import type { Pieces } from "../../../base/pieces.ts";
import { bigFromLittleEndian, littleEndianBytes } from "./common.ts";
import { Transcript } from "./merlin.ts";
import {
  decodeRistretto,
  mapToPoint,
  multiScalarMultiply,
  type RistrettoPoint,
  SCALAR_ORDER,
} from "./ristretto255.ts";

const { Fn } = ristretto255.Point;
const MAX_BITS = 64;
const PART_BYTES = 32;
/** Four points and three scalars before the inner product argument. */
const HEAD_PARTS = 7;
const MAX_ROUNDS = 31;

/** A point as it is written: the transcript takes its bytes, the check its point. */
type Written = Uint8Array;

export interface RangeProof {
  readonly a: Written;
  readonly s: Written;
  readonly t1: Written;
  readonly t2: Written;
  readonly t: bigint;
  readonly tBlinding: bigint;
  readonly eBlinding: bigint;
  readonly rounds: readonly { readonly left: Written; readonly right: Written }[];
  readonly productA: bigint;
  readonly productB: bigint;
}

/** What commitments are made of: value times `value` plus blinding times `blinding`. */
export interface PedersenBases {
  readonly value: RistrettoPoint;
  readonly blinding: RistrettoPoint;
}

/** Undefined for bytes of no proof. Points are not decoded yet. */
export function decodeRangeProof(bytes: Uint8Array): RangeProof | undefined {
  const parts = bytes.length / PART_BYTES;
  const rounds = (parts - HEAD_PARTS - 2) / 2;
  if (!Number.isInteger(parts) || !Number.isInteger(rounds) || rounds < 0 || rounds > MAX_ROUNDS)
    return undefined;
  const part = (i: number): Uint8Array => bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES);
  const scalars = [4, 5, 6, parts - 2, parts - 1].map((i) => bigFromLittleEndian(part(i)));
  if (scalars.some((one) => one >= SCALAR_ORDER)) return undefined;
  const [t = 0n, tBlinding = 0n, eBlinding = 0n, productA = 0n, productB = 0n] = scalars;
  return {
    a: part(0),
    s: part(1),
    t1: part(2),
    t2: part(3),
    t,
    tBlinding,
    eBlinding,
    rounds: Array.from({ length: rounds }, (_, i) => ({
      left: part(HEAD_PARTS + 2 * i),
      right: part(HEAD_PARTS + 2 * i + 1),
    })),
    productA,
    productB,
  };
}

const generatorLists = new Map<string, readonly RistrettoPoint[]>();

/** Generators of one value: 64 points that nobody knows a relation of. */
function generators(letter: "G" | "H", party: number): readonly RistrettoPoint[] {
  const key = `${letter}${party}`;
  let list = generatorLists.get(key);
  if (list === undefined) {
    const number = Buffer.alloc(4);
    number.writeUInt32LE(party);
    const stream = createHash("shake256", { outputLength: 64 * MAX_BITS })
      .update("GeneratorsChain")
      .update(letter)
      .update(number)
      .digest();
    list = Array.from({ length: MAX_BITS }, (_, i) => mapToPoint(stream.subarray(64 * i, 64 * (i + 1))));
    generatorLists.set(key, list);
  }
  return list;
}

export function* generatorsFor(letter: "G" | "H", bits: number, values: number): Pieces<RistrettoPoint[]> {
  const points: RistrettoPoint[] = [];
  for (let party = 0; party < values; party++) {
    points.push(...generators(letter, party).slice(0, bits));
    yield;
  }
  return points;
}

export function powers(base: bigint, count: number): bigint[] {
  const list: bigint[] = [];
  let power = 1n;
  for (let i = 0; i < count; i++) {
    list.push(power);
    power = Fn.mul(power, base);
  }
  return list;
}

function sum(list: readonly bigint[]): bigint {
  return list.reduce((total, one) => Fn.add(total, one), 0n);
}

export function challengeScalar(transcript: Transcript, label: string): bigint {
  return bigFromLittleEndian(transcript.challenge(label, 64)) % SCALAR_ORDER;
}

export function appendScalar(transcript: Transcript, label: string, scalar: bigint): void {
  transcript.append(label, littleEndianBytes(scalar, 32));
}

/** Begins a transcript of a proof with its commitments. */
export function beginTranscript(
  domain: Uint8Array,
  bits: number,
  commitments: readonly Written[],
): Transcript {
  const transcript = new Transcript(domain);
  transcript.append("dom-sep", Buffer.from("rangeproof v1"));
  transcript.appendNumber("n", BigInt(bits));
  transcript.appendNumber("m", BigInt(commitments.length));
  for (const commitment of commitments) transcript.append("V", commitment);
  return transcript;
}

export function beginInnerProduct(transcript: Transcript, length: number): void {
  transcript.append("dom-sep", Buffer.from("ipp v1"));
  transcript.appendNumber("n", BigInt(length));
}

function isZero(written: Written): boolean {
  return written.every((byte) => byte === 0);
}

/** Factors of the generators that folding by these challenges gives. */
function foldedFactors(challenges: readonly bigint[]): bigint[] {
  const squares = challenges.map((one) => Fn.sqr(one));
  const factors = [challenges.reduce((product, one) => Fn.mul(product, Fn.inv(one)), 1n)];
  for (let i = 1; i < 2 ** challenges.length; i++) {
    const bit = 31 - Math.clz32(i);
    factors.push(Fn.mul(factors[i - 2 ** bit] as bigint, squares[challenges.length - 1 - bit] as bigint));
  }
  return factors;
}

/** True if all committed values have at most that number of bits. The number of values is a power of two. */
export function* verifyRangeProof(
  proof: RangeProof,
  bases: PedersenBases,
  commitments: readonly Written[],
  bits: number,
  domain: Uint8Array,
): Pieces<boolean> {
  const { a, s, t1, t2, t, tBlinding, eBlinding, rounds, productA, productB } = proof;
  const count = commitments.length;
  const length = bits * count;
  // A proof with a zero point is no proof.
  if ([a, s, t1, t2, ...rounds.flatMap(({ left, right }) => [left, right])].some(isZero)) return false;
  if (2 ** rounds.length !== length) return false;

  const transcript = beginTranscript(domain, bits, commitments);
  transcript.append("A", a);
  transcript.append("S", s);
  const y = challengeScalar(transcript, "y");
  const z = challengeScalar(transcript, "z");
  transcript.append("T_1", t1);
  transcript.append("T_2", t2);
  const x = challengeScalar(transcript, "x");
  appendScalar(transcript, "t_x", t);
  appendScalar(transcript, "t_x_blinding", tBlinding);
  appendScalar(transcript, "e_blinding", eBlinding);
  const w = challengeScalar(transcript, "w");
  beginInnerProduct(transcript, length);
  const challenges = rounds.map(({ left, right }) => {
    transcript.append("L", left);
    transcript.append("R", right);
    return challengeScalar(transcript, "u");
  });
  // Two equations are checked at once: this joins them. It depends on the whole proof, so that nobody can choose it.
  appendScalar(transcript, "a", productA);
  appendScalar(transcript, "b", productB);
  const c = challengeScalar(transcript, "c");
  if ([y, ...challenges].includes(0n)) return false;

  const decoded = [a, s, t1, t2, ...rounds.map(({ left }) => left), ...rounds.map(({ right }) => right)].map(
    decodeRistretto,
  );
  const committed = commitments.map(decodeRistretto);
  if (decoded.includes(undefined) || committed.includes(undefined)) return false;

  const zz = Fn.sqr(z);
  const factors = foldedFactors(challenges);
  const inverses = [...factors].reverse();
  const yInverses = powers(Fn.inv(y), length);
  const zPowers = powers(z, count);
  const twos = powers(2n, bits);
  const gScalars = factors.map((factor) => Fn.sub(Fn.neg(z), Fn.mul(productA, factor)));
  const hScalars = inverses.map((factor, i) => {
    const weight = Fn.mul(zPowers[Math.floor(i / bits)] as bigint, twos[i % bits] as bigint);
    const inner = Fn.sub(Fn.mul(zz, weight), Fn.mul(productB, factor));
    return Fn.add(z, Fn.mul(yInverses[i] as bigint, inner));
  });
  const delta = Fn.sub(
    Fn.mul(Fn.sub(z, zz), sum(powers(y, length))),
    Fn.mul(Fn.mul(Fn.mul(zz, z), sum(twos)), sum(zPowers)),
  );
  const valueScalar = Fn.add(Fn.mul(w, Fn.sub(t, Fn.mul(productA, productB))), Fn.mul(c, Fn.sub(delta, t)));
  const scalars = [
    1n,
    x,
    Fn.mul(c, x),
    Fn.mul(c, Fn.sqr(x)),
    ...challenges.map((one) => Fn.sqr(one)),
    ...challenges.map((one) => Fn.sqr(Fn.inv(one))),
    Fn.sub(Fn.neg(eBlinding), Fn.mul(c, tBlinding)),
    valueScalar,
    ...gScalars,
    ...hScalars,
    ...zPowers.map((power) => Fn.mul(Fn.mul(c, zz), power)),
  ];
  const points = [
    ...(decoded as RistrettoPoint[]),
    bases.blinding,
    bases.value,
    ...(yield* generatorsFor("G", bits, count)),
    ...(yield* generatorsFor("H", bits, count)),
    ...(committed as RistrettoPoint[]),
  ];
  return (yield* multiScalarMultiply(points, scalars)).is0();
}
