import { expect, it } from "vitest";
import { firstPassing, passingUpTo } from "./search.ts";

it("counts the items at the front of a list that pass", () => {
  for (let count = 0; count < 9; count++) {
    const items = Array.from({ length: count }, (_, i) => i);
    for (let end = 0; end <= count; end++) {
      expect(passingUpTo(items, (item) => item < end)).toBe(end);
      expect(passingUpTo(items, () => true, 0, end)).toBe(end);
      expect(passingUpTo(items, () => false, end)).toBe(end);
    }
  }
});

it("finds the first number that passes", async () => {
  for (let first = 3n; first <= 12n; first++) {
    expect(await firstPassing(3n, 12n, async (number) => number >= first)).toBe(first);
  }
});
