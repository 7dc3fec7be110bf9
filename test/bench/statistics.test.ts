import { describe, expect, it } from "vitest";
import { CONFIDENCE, fixedInterval, intervalAt, LOOKS, planCuts } from "../../bench/statistics.ts";

/** Probability that a plan misses the median, by trying all sequences of rounds below and above it. */
function missesOf(looks: readonly number[], cuts: readonly number[]): number {
  const rounds = looks.at(-1) ?? 0;
  let missed = 0;
  for (let sequence = 0; sequence < 2 ** rounds; sequence++) {
    const isMissed = looks.some((look, i) => {
      const cut = cuts[i] ?? -1;
      let below = 0;
      for (let round = 0; round < look; round++) below += (sequence >> round) & 1;
      return cut >= 0 && (below <= cut || below >= look - cut);
    });
    if (isMissed) missed++;
  }
  return missed / 2 ** rounds;
}

describe("planCuts", () => {
  it("is exact: all sequences of rounds that miss the median have the stated probability", () => {
    for (const looks of [[6], [12], [8, 12, 16], [5, 9, 13, 16]]) {
      const cuts = planCuts(looks);
      expect(missesOf(looks, cuts), looks.join()).toBeLessThanOrEqual(1 - CONFIDENCE);
      // One value more at the last look would be too much.
      const narrower = cuts.map((cut, i) => (i === cuts.length - 1 ? cut + 1 : cut));
      expect(missesOf(looks, narrower), looks.join()).toBeGreaterThan(1 - CONFIDENCE);
    }
  });

  it("gives no interval to too few rounds", () => {
    expect(planCuts([5])).toEqual([-1]);
    expect(intervalAt([1, 2, 3], -1)).toBeUndefined();
  });

  it("narrows the interval from look to look", () => {
    const shares = planCuts(LOOKS).map((cut, i) => cut / (LOOKS[i] ?? 1));
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares[0]).toBe(0);
  });
});

describe("fixedInterval", () => {
  it("states the confidence of its number of rounds", () => {
    expect(fixedInterval([1])).toBeUndefined();
    expect(fixedInterval([3, 1, 2])).toEqual({ low: 1, high: 3, confidence: 0.75 });
    expect(fixedInterval([5, 3, 1, 2, 6, 4])).toEqual({ low: 1, high: 6, confidence: 0.96875 });
    for (let rounds = 2; rounds <= 16; rounds++) {
      const interval = fixedInterval(Array.from({ length: rounds }, (_, i) => i));
      expect(interval?.confidence).toBeCloseTo(1 - missesOf([rounds], [interval?.low ?? 0]), 10);
    }
  });
});
