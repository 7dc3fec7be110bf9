import { beforeEach, describe, expect, it } from "vitest";
import { type BenchRow, beginRun, compare, compareAll, isClear } from "../../bench/harness.ts";
import { CONFIDENCE } from "../../bench/statistics.ts";
import { createRandom } from "../support/synthetic-ledger.ts";

/** Numbers between 0 and 1, the same in every run. */
function fractions(seed: number): () => number {
  const next = createRandom(seed);
  return () => next() / 2 ** 32;
}

const RUNS = 500;
const seen: string[] = [];
let nowMs = 0;

beforeEach(() => {
  nowMs = 0;
  seen.length = 0;
  beginRun({
    quick: false,
    isWanted: () => true,
    onRow: ({ name }) => seen.push(name),
    now: () => nowMs,
    pace: 1,
  });
});

/** The share of rows whose interval covers a ratio. */
async function coverageOf(
  truth: number,
  noise: (random: () => number) => number,
  options: { readonly target?: { readonly max: number } } = {},
): Promise<number> {
  let covered = 0;
  for (let seed = 0; seed < RUNS; seed++) {
    const random = fractions(seed);
    const row = await compare(
      "the same on both sides",
      { ours: () => truth * noise(random), base: () => noise(random) },
      { unit: "s", ...options },
    );
    const { low, high } = row.interval ?? { low: 0, high: Number.POSITIVE_INFINITY };
    if (low <= truth && truth <= high) covered++;
  }
  return covered / RUNS;
}

/** Three standard deviations of a share of `RUNS` runs. */
const CHANCE = 3 * Math.sqrt((CONFIDENCE * (1 - CONFIDENCE)) / RUNS);

describe("the interval of a row", () => {
  const even = (random: () => number): number => 1 + 0.1 * random();
  // One round in ten takes up to twenty times as long, as on a busy machine.
  const spiky = (random: () => number): number => (random() < 0.1 ? 1 + 20 * random() : 1 + 0.3 * random());

  it.each([
    ["even noise", even],
    ["spikes", spiky],
  ])("covers 1 as often as stated if both sides are the same, with early stops: %s", async (_, noise) => {
    expect(await coverageOf(1, noise)).toBeGreaterThanOrEqual(CONFIDENCE - CHANCE);
  });

  it("covers the ratio as often as stated if a target next to it stops the run", async () => {
    // The worst place for a target: the run stops as soon as chance leads the interval away from it.
    const covered = await coverageOf(2, spiky, { target: { max: 2 } });
    expect(covered).toBeGreaterThanOrEqual(CONFIDENCE - CHANCE);
    // An interval that always covers would be wider than stated.
    expect(covered).toBeLessThan(0.995);
  });
});

describe("the number of rounds", () => {
  const sidesOf = (ratio: number, takesMs = 1) => {
    const random = fractions(1);
    const side = (value: number) => () => {
      nowMs += takesMs;
      return value * (1 + 0.3 * random());
    };
    return { ours: side(ratio), base: side(1) };
  };

  it("is the first look if the target is clearly met, and the last if it is not clear", async () => {
    expect((await compare("clear", sidesOf(1), { unit: "s", target: { max: 3 } })).rounds).toBe(8);
    expect((await compare("unclear", sidesOf(1), { unit: "s", target: { max: 1 } })).rounds).toBe(40);
  });

  it("ends with the time for a row, at a look", async () => {
    const row = await compare("slow", sidesOf(1, 200), { unit: "s", target: { max: 1 } });
    expect(row.rounds).toBe(12);
    expect(row.interval?.confidence).toBe(CONFIDENCE);
  });

  it("is smaller in a run that is behind its schedule", async () => {
    beginRun({ pace: 0.5 });
    const row = await compare("behind", sidesOf(1, 150), { unit: "s", target: { max: 1 } });
    expect(row.rounds).toBe(8);
  });

  it("is larger where a row has more than the usual time", async () => {
    const options = { unit: "s", target: { max: 1 } };
    expect((await compare("usual", sidesOf(1, 200), options)).rounds).toBe(12);
    expect((await compare("longer", sidesOf(1, 200), { ...options, budget: 2 })).rounds).toBe(27);
  });

  it("is six for sides that take seconds, which is an interval still", async () => {
    const row = await compare("slower", sidesOf(1, 2000), { unit: "s", target: { max: 1 } });
    expect(row.rounds).toBe(6);
    expect(row.interval?.confidence).toBeCloseTo(0.969, 3);
  });

  it("is at most the one asked for, and its confidence is stated", async () => {
    const row = await compare("few", sidesOf(1), { unit: "s", target: { max: 3 }, rounds: 3 });
    expect(row.rounds).toBe(3);
    expect(row.interval?.confidence).toBe(0.75);
  });

  it("of a quick run is six where a target is, else one", async () => {
    beginRun({ quick: true });
    expect((await compare("judged", sidesOf(1), { unit: "s", target: { max: 3 } })).rounds).toBe(6);
    expect((await compare("plain", sidesOf(1), { unit: "s" })).rounds).toBe(1);
    expect((await compare("slow", sidesOf(1, 700), { unit: "s", target: { max: 3 } })).rounds).toBe(1);
  });

  it("is one for rows that nobody asked for", async () => {
    beginRun({ isWanted: (name) => name === "this" });
    const sides = { one: () => 1, two: () => 2, three: () => 3 };
    const row = (name: string, ours: string) => ({ name, ours, base: "one", unit: "s" });
    const both = await compareAll(sides, [row("this", "two"), row("that", "three")]);
    expect(both.map(({ ratio, rounds }) => [ratio, rounds])).toEqual([
      [2, 8],
      [3, 8],
    ]);
    const [other] = await compareAll(sides, [row("that", "three")]);
    expect(other?.rounds).toBe(1);
    expect(seen).toEqual(["this"]);
  });
});

describe("the order of the sides", () => {
  const measure = async (options: { readonly inOrder?: boolean }): Promise<[string, BenchRow]> => {
    let order = "";
    const side = (letter: string) => () => {
      order += letter;
      return 1;
    };
    const row = await compare("order", { ours: side("o"), base: side("b") }, { unit: "s", ...options });
    return [order, row];
  };

  it("turns around each round, after a round that is not measured", async () => {
    const [order, row] = await measure({});
    expect(order).toBe(`bo${"boob".repeat(4)}`);
    expect(row.rounds).toBe(8);
  });

  it("stays where one side needs the other", async () => {
    const [order] = await measure({ inOrder: true });
    expect(order).toBe("bo".repeat(9));
  });
});

describe("isClear", () => {
  const interval = (low: number, high: number) => ({ low, high, confidence: CONFIDENCE });

  it("is true on one side of a target, and for a narrow interval", () => {
    expect(isClear(undefined, { max: 1 })).toBe(false);
    expect(isClear(interval(1, 2), undefined)).toBe(false);
    expect(isClear(interval(1, 1.05), undefined)).toBe(true);
    expect(isClear(interval(1, 2), { max: 1.5 })).toBe(false);
    expect(isClear(interval(1, 2), { max: 2 })).toBe(true);
    expect(isClear(interval(1, 2), { max: 0.9 })).toBe(true);
    expect(isClear(interval(1, 2), { min: 1 })).toBe(true);
    expect(isClear(interval(1, 2), { min: 1.5 })).toBe(false);
    expect(isClear(interval(1, 2), { min: 3 })).toBe(true);
  });
});
