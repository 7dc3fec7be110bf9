import { describe, expect, it } from "vitest";
import { decodeTerms, encodeTerms, Terms } from "./terms.ts";

describe("terms", () => {
  it("own only the rows that they committed", () => {
    const terms = new Terms([]).begin(1, -1n, 0n).begin(2, 10n, 3n).begin(3, 10n, 4n).begin(5, 20n, 9n);
    expect(decodeTerms(encodeTerms(terms))).toEqual(terms);
    const owners = [0n, 10n, 11n, 20n, 21n].map((version) =>
      [1, 2, 3, 4, 5].filter((term) => terms.ownsVersion(term, version)),
    );
    expect(owners).toEqual([[1], [1], [3], [3], [5]]);
    expect([3n, 4n, 9n, 10n].map((seq) => [1, 2, 3, 5].filter((term) => terms.ownsSeq(term, seq)))).toEqual([
      [1],
      [2],
      [3],
      [5],
    ]);
    expect(terms.ownsVersion(0, 10n)).toBe(true);
  });

  it("drop terms that committed nothing", () => {
    const terms = new Terms([]).begin(1, -1n, 0n).begin(2, -1n, 0n).begin(3, 5n, 1n).begin(4, 5n, 1n);
    expect(terms.list.map(({ term }) => term)).toEqual([2, 4]);
  });
});
