// Makes range proofs: only for unit tests of the framework that need a prover.
import { randomBytes } from "node:crypto";
import { ristretto255 } from "@noble/curves/ed25519.js";
import { finish } from "../../src/base/pieces.ts";
import { bigFromLittleEndian, littleEndianBytes } from "../../src/vm/natives/crypto/common.ts";
import {
  appendScalar,
  beginInnerProduct,
  beginTranscript,
  challengeScalar,
  generatorsFor,
  type PedersenBases,
  powers,
} from "../../src/vm/natives/crypto/range-proof.ts";
import {
  multiply,
  multiScalarMultiply as multiplyInPieces,
  type RistrettoPoint,
  SCALAR_ORDER,
} from "../../src/vm/natives/crypto/ristretto255.ts";

const { Fn } = ristretto255.Point;

function multiScalarMultiply(points: readonly RistrettoPoint[], scalars: readonly bigint[]): RistrettoPoint {
  return finish(multiplyInPieces(points, scalars));
}

export function randomScalar(): bigint {
  return bigFromLittleEndian(randomBytes(64)) % SCALAR_ORDER;
}

function dot(a: readonly bigint[], b: readonly bigint[]): bigint {
  return a.reduce((sum, one, i) => Fn.add(sum, Fn.mul(one, b[i] as bigint)), 0n);
}

function combine(a: readonly bigint[], x: bigint, b: readonly bigint[], y: bigint): bigint[] {
  return a.map((one, i) => Fn.add(Fn.mul(one, x), Fn.mul(b[i] as bigint, y)));
}

function fold(
  a: readonly RistrettoPoint[],
  x: bigint,
  b: readonly RistrettoPoint[],
  y: bigint,
): RistrettoPoint[] {
  return a.map((one, i) => multiScalarMultiply([one, b[i] as RistrettoPoint], [x, y]));
}

function halves<T>(list: readonly T[]): [T[], T[]] {
  return [list.slice(0, list.length / 2), list.slice(list.length / 2)];
}

/** A proof that the values have at most that number of bits, and the commitments to them. */
export function proveRange(
  values: readonly bigint[],
  blindings: readonly bigint[],
  { value, blinding }: PedersenBases,
  bits: number,
  domain: Uint8Array,
): { readonly proof: Uint8Array; readonly commitments: readonly Uint8Array[] } {
  const length = bits * values.length;
  const commitments = values.map((one, i) =>
    multiScalarMultiply([value, blinding], [one, blindings[i] as bigint]).toBytes(),
  );
  const transcript = beginTranscript(domain, bits, commitments);
  let g = finish(generatorsFor("G", bits, values.length));
  let h = finish(generatorsFor("H", bits, values.length));
  const random = (): bigint[] => Array.from({ length }, randomScalar);
  const left = values.flatMap((one) => Array.from({ length: bits }, (_, i) => (one >> BigInt(i)) & 1n));
  const right = left.map((one) => Fn.sub(one, 1n));
  const [sLeft, sRight, alpha, rho] = [random(), random(), randomScalar(), randomScalar()];
  const a = multiScalarMultiply([blinding, ...g, ...h], [alpha, ...left, ...right]).toBytes();
  const s = multiScalarMultiply([blinding, ...g, ...h], [rho, ...sLeft, ...sRight]).toBytes();
  transcript.append("A", a);
  transcript.append("S", s);
  const y = challengeScalar(transcript, "y");
  const z = challengeScalar(transcript, "z");
  const yPowers = powers(y, length);
  const weights = powers(z, values.length).flatMap((power) =>
    powers(2n, bits).map((two) => Fn.mul(Fn.mul(Fn.sqr(z), power), two)),
  );
  const l0 = left.map((one) => Fn.sub(one, z));
  const r0 = right.map((one, i) =>
    Fn.add(Fn.mul(yPowers[i] as bigint, Fn.add(one, z)), weights[i] as bigint),
  );
  const r1 = sRight.map((one, i) => Fn.mul(yPowers[i] as bigint, one));
  const first = Fn.add(dot(l0, r1), dot(sLeft, r0));
  const second = dot(sLeft, r1);
  const [tau1, tau2] = [randomScalar(), randomScalar()];
  const t1 = multiScalarMultiply([value, blinding], [first, tau1]).toBytes();
  const t2 = multiScalarMultiply([value, blinding], [second, tau2]).toBytes();
  transcript.append("T_1", t1);
  transcript.append("T_2", t2);
  const x = challengeScalar(transcript, "x");
  let l = combine(l0, 1n, sLeft, x);
  let r = combine(r0, 1n, r1, x);
  const t = dot(l, r);
  const zPowers = powers(z, values.length).map((power) => Fn.mul(Fn.sqr(z), power));
  const tBlinding = Fn.add(dot([tau1, tau2], [x, Fn.sqr(x)]), dot(zPowers, blindings));
  const eBlinding = Fn.add(alpha, Fn.mul(rho, x));
  appendScalar(transcript, "t_x", t);
  appendScalar(transcript, "t_x_blinding", tBlinding);
  appendScalar(transcript, "e_blinding", eBlinding);
  const q = multiply(value, challengeScalar(transcript, "w"));
  beginInnerProduct(transcript, length);
  const yInverses = powers(Fn.inv(y), length);
  h = h.map((point, i) => multiply(point, yInverses[i] as bigint));
  const rounds: Uint8Array[] = [];
  while (l.length > 1) {
    const [[lLow, lHigh], [rLow, rHigh]] = [halves(l), halves(r)];
    const [[gLow, gHigh], [hLow, hHigh]] = [halves(g), halves(h)];
    const leftPoint = multiScalarMultiply([...gHigh, ...hLow, q], [...lLow, ...rHigh, dot(lLow, rHigh)]);
    const rightPoint = multiScalarMultiply([...gLow, ...hHigh, q], [...lHigh, ...rLow, dot(lHigh, rLow)]);
    rounds.push(leftPoint.toBytes(), rightPoint.toBytes());
    transcript.append("L", leftPoint.toBytes());
    transcript.append("R", rightPoint.toBytes());
    const u = challengeScalar(transcript, "u");
    const inverse = Fn.inv(u);
    l = combine(lLow, u, lHigh, inverse);
    r = combine(rLow, inverse, rHigh, u);
    g = fold(gLow, inverse, gHigh, u);
    h = fold(hLow, u, hHigh, inverse);
  }
  const scalar = (one: bigint | undefined): Uint8Array => littleEndianBytes(one ?? 0n, 32);
  return {
    proof: Buffer.concat([
      a,
      s,
      t1,
      t2,
      ...[t, tBlinding, eBlinding].map(scalar),
      ...rounds,
      scalar(l[0]),
      scalar(r[0]),
    ]),
    commitments,
  };
}
