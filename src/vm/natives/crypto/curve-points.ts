// Points of curves with pairings by the coordinates that bytes have.
import type { BlsCurvePair } from "@noble/curves/abstract/bls.js";
import type { Pieces } from "../../../base/pieces.ts";
import { attempt } from "./common.ts";

export type G1 = BlsCurvePair["G1"]["Point"]["BASE"];
export type G2 = BlsCurvePair["G2"]["Point"]["BASE"];
type Pair = BlsCurvePair["fields"]["Fp2"]["ONE"];

/** The product of pairings, a pair in each piece. A pair with a zero adds nothing to it. */
export function* pairingProduct(
  { fields: { Fp12 }, pairingBatch }: Pick<BlsCurvePair, "fields" | "pairingBatch">,
  pairs: readonly { readonly g1: G1; readonly g2: G2 }[],
): Pieces<ReturnType<BlsCurvePair["pairingBatch"]>> {
  let product = Fp12.ONE;
  for (const pair of pairs) {
    if (!pair.g1.is0() && !pair.g2.is0()) product = Fp12.mul(product, pairingBatch([pair], false));
    yield;
  }
  return Fp12.finalExponentiate(product);
}

/** Bytes of a point, split into flags and numbers below the prime. */
export interface Decoded {
  readonly isInfinity: boolean;
  readonly isLarger: boolean;
  /** One coordinate or both; of pairs the first part first. */
  readonly numbers: readonly bigint[];
}

export class CurvePoints {
  readonly #curve: BlsCurvePair;
  readonly #g1B: bigint;
  readonly #g2B: Pair;

  /** `g1B` and `g2B` are the constants of the curves' equations. */
  constructor(curve: BlsCurvePair, g1B: bigint, g2B: Pair) {
    this.#curve = curve;
    this.#g1B = g1B;
    this.#g2B = g2B;
  }

  isLargerRoot(y: bigint): boolean {
    return y > this.#curve.fields.Fp.neg(y);
  }

  isLargerPair({ c0, c1 }: Pair): boolean {
    return this.isLargerRoot(c1 === 0n ? c0 : c1);
  }

  /** A point of the curve, in the subgroup or not; undefined where there is none. */
  g1({ isInfinity, isLarger, numbers }: Decoded): G1 | undefined {
    const { Point } = this.#curve.G1;
    const { Fp } = this.#curve.fields;
    if (isInfinity) return Point.ZERO;
    const [x = 0n, given] = numbers;
    const square = Fp.add(Fp.mul(Fp.sqr(x), x), this.#g1B);
    if (given !== undefined) return Fp.sqr(given) === square ? Point.fromAffine({ x, y: given }) : undefined;
    const root = attempt(() => Fp.sqrt(square));
    if (root === undefined) return undefined;
    return Point.fromAffine({ x, y: this.isLargerRoot(root) === isLarger ? root : Fp.neg(root) });
  }

  g2({ isInfinity, isLarger, numbers }: Decoded): G2 | undefined {
    const { Point } = this.#curve.G2;
    const { Fp2 } = this.#curve.fields;
    if (isInfinity) return Point.ZERO;
    const [x0 = 0n, x1 = 0n, y0, y1] = numbers;
    const x = Fp2.create({ c0: x0, c1: x1 });
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), this.#g2B);
    if (y0 !== undefined && y1 !== undefined) {
      const y = Fp2.create({ c0: y0, c1: y1 });
      return Fp2.eql(Fp2.sqr(y), square) ? Point.fromAffine({ x, y }) : undefined;
    }
    const root = attempt(() => Fp2.sqrt(square));
    if (root === undefined) return undefined;
    return Point.fromAffine({ x, y: this.isLargerPair(root) === isLarger ? root : Fp2.neg(root) });
  }
}
