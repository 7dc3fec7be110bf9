import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareTrust,
  extendTrust,
  formatTrust,
  MAX_TRUST_RANGES,
  parseTrust,
  raiseTrust,
  type TrustLevel,
  type TrustRange,
  trustAt,
  weakestTrust,
} from "./trust.ts";

const STRONGEST_FIRST = [
  "proven",
  "anchored",
  "chained",
  "agreed 3/3",
  "agreed 2/2",
  "agreed 2/3",
  "agreed 1/3",
  "trusted",
  "local",
  "forked",
];
const levels = STRONGEST_FIRST.map((name) => parseTrust(name)!);
const anyLevel = fc.constantFrom(...levels);

describe("trust levels", () => {
  it("are ordered, and read back from their text", () => {
    expect(levels.map(formatTrust)).toEqual(STRONGEST_FIRST);
    for (const [i, a] of levels.entries()) {
      for (const [j, b] of levels.entries()) expect(Math.sign(compareTrust(a, b))).toBe(Math.sign(j - i));
    }
  });

  it.each(["", "Proven", "agreed", "agreed 0/3", "agreed 4/3", "agreed 2/3 ", "agreed 02/3"])(
    "are not read from %j",
    (given) => {
      expect(parseTrust(given)).toBeUndefined();
    },
  );
});

/** The same rules with one level per version. */
class Model {
  readonly levels: TrustLevel[] = [];

  commit(count: number, level: TrustLevel): void {
    for (let i = 0; i < count; i++) this.levels.push(level);
  }

  raise(upTo: number, level: TrustLevel): void {
    for (const [version, own] of this.levels.entries()) {
      const isMadeHere = own.kind === "local" || own.kind === "forked";
      if (version <= upTo && !isMadeHere && compareTrust(own, level) < 0) this.levels[version] = level;
    }
  }

  at(version: number): TrustLevel {
    return weakestTrust(this.levels[0]!, ...this.levels.slice(0, version + 1));
  }
}

describe("trust ranges", () => {
  it("give every version the level of a model that keeps one per version", () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("commit" as const),
        count: fc.integer({ min: 1, max: 5 }),
        level: anyLevel,
      }),
      fc.record({ kind: fc.constant("raise" as const), upTo: fc.nat(30), level: anyLevel }),
    );
    fc.assert(
      fc.property(anyLevel, fc.array(step, { maxLength: 20 }), (first, steps) => {
        const model = new Model();
        model.commit(1, first);
        let ranges: readonly TrustRange[] = [{ first: 0n, level: first }];
        for (const change of steps) {
          const head = model.levels.length - 1;
          if (change.kind === "commit") {
            ranges = extendTrust(ranges, BigInt(head + 1), change.level);
            model.commit(change.count, change.level);
          } else {
            const upTo = Math.min(change.upTo, head);
            ranges = raiseTrust(ranges, BigInt(upTo), change.level);
            model.raise(upTo, change.level);
          }
          for (const [version] of model.levels.entries()) {
            expect(formatTrust(trustAt(ranges, BigInt(version)))).toBe(formatTrust(model.at(version)));
          }
        }
      }),
    );
  });

  it("stay bounded, and merge at the weaker level", () => {
    let ranges: readonly TrustRange[] = [];
    for (let i = 0; i < 3 * MAX_TRUST_RANGES; i++) {
      ranges = extendTrust(ranges, BigInt(i), { kind: i % 2 === 0 ? "chained" : "trusted" });
    }
    expect(ranges).toHaveLength(MAX_TRUST_RANGES);
    expect(trustAt(ranges, 0n)).toEqual({ kind: "trusted" });
  });
});
