import { describe, expect, it } from "vitest";
import { toHex } from "../base/hex.ts";
import { Accumulator, eventRoot, transactionAccumulator } from "./accumulator.ts";
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "./hash.ts";

const leaf = (i: number) => new Uint8Array(32).fill(i);

/** The definition: every level is padded with the placeholder to an even number of nodes. */
function plainRoot(seed: Uint8Array, leaves: readonly Uint8Array[]): Uint8Array {
  let level = [...leaves];
  if (level.length === 0) return ACCUMULATOR_PLACEHOLDER;
  while (level.length > 1) {
    const next: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      next.push(hashPair(seed, level[i]!, level[i + 1] ?? ACCUMULATOR_PLACEHOLDER));
    }
    level = next;
  }
  return level[0]!;
}

describe("accumulator", () => {
  it("has the known transaction roots", () => {
    const accumulator = transactionAccumulator();
    const roots: string[] = [];
    for (let i = 1; i <= 5; i++) {
      accumulator.append(leaf(i));
      roots.push(toHex(accumulator.root()));
    }
    expect(roots).toEqual([
      toHex(leaf(1)),
      "8e096e39f3b8fa125e5d6280646ef5c0f3ac4a32a16191b638dbf418a1fcc0da",
      "8f78b4226bf1f951b8f3aaf656886656cc7f0980cc7a4893cbc3e4cd0771f6ec",
      "89185a42f151bceef19f182d3ef42e9ef7520b5476def63d5a1611b5ebf26ee1",
      "5e42b41e3a3efff950644c38bb0cc733eea15c93cf8e3ffcc4bf5a87407a40b3",
    ]);
  });

  it("has the known event roots", () => {
    expect(eventRoot([])).toEqual(ACCUMULATOR_PLACEHOLDER);
    expect(eventRoot([leaf(1)])).toEqual(leaf(1));
    expect(toHex(eventRoot([leaf(1), leaf(2)]))).toBe(
      "be195c4fe71d55c69c1cba8e1171f639f4446a6239d81e1dad467f679111b6fc",
    );
    expect(toHex(eventRoot([leaf(1), leaf(2), leaf(3)]))).toBe(
      "383a791fbc38617d87068ef8f30eac58027d38190bef1cee52aa904968ff38a5",
    );
  });

  it("equals the padded tree at every size, and continues from its state", () => {
    const leaves: Uint8Array[] = [];
    let accumulator = new Accumulator(SEEDS.transactionAccumulator);
    for (let n = 0; n <= 300; n++) {
      expect(toHex(accumulator.root())).toBe(toHex(plainRoot(SEEDS.transactionAccumulator, leaves)));
      const state = accumulator.state();
      expect(state.leafCount).toBe(BigInt(n));
      accumulator = new Accumulator(SEEDS.transactionAccumulator, state);
      leaves.push(leaf(n % 256));
      accumulator.append(leaf(n % 256));
      expect(accumulator.leafCount).toBe(BigInt(n + 1));
    }
  });

  it("refuses a state whose subtrees do not fit its leaf count", () => {
    const frozen = [leaf(1), leaf(2)];
    expect(transactionAccumulator({ leafCount: 3n, frozen }).leafCount).toBe(3n);
    for (const leafCount of [0n, 2n, 4n, 7n])
      expect(() => transactionAccumulator({ leafCount, frozen })).toThrow("do not fit");
  });
});
