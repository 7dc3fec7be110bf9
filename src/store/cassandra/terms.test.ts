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

  it("own nothing above a rewind, except the one that begins there", () => {
    const terms = new Terms([]).begin(1, -1n, 0n).begin(2, 10n, 3n).begin(3, 20n, 9n).rewind(4, 15n, 12n);
    expect(decodeTerms(encodeTerms(terms))).toEqual(terms);
    const owners = (list: Terms) =>
      [10n, 11n, 15n, 16n, 20n, 21n, 99n].map((version) =>
        [1, 2, 3, 4, 5, 6].filter((term) => list.ownsVersion(term, version)),
      );
    expect(owners(terms)).toEqual([[1], [2], [2], [4], [4], [4], [4]]);
    expect([3n, 9n, 12n, 13n].map((seq) => [1, 2, 3, 4].filter((term) => terms.ownsSeq(term, seq)))).toEqual([
      [1],
      [2],
      [3],
      [4],
    ]);
    // Deeper, before the new term wrote any version, and later ones as usual.
    const deeper = terms.rewind(5, 10n, 13n).begin(6, 20n, 15n);
    expect(owners(deeper)).toEqual([[1], [5], [5], [5], [5], [6], [6]]);
  });

  it("drop terms that committed nothing", () => {
    const terms = new Terms([]).begin(1, -1n, 0n).begin(2, -1n, 0n).begin(3, 5n, 1n).begin(4, 5n, 1n);
    expect(terms.list.map(({ term }) => term)).toEqual([2, 4]);
  });
});
