import { describe, expect, it } from "vitest";
import { Random } from "./random.ts";

const seed = (byte: number) => new Uint8Array(32).fill(byte);

describe("Random", () => {
  it("repeats itself for one seed and not for another", () => {
    const draw = (random: Random) => Array.from({ length: 100 }, () => random.u64());
    expect(draw(new Random(seed(1)))).toEqual(draw(new Random(seed(1))));
    expect(draw(new Random(seed(1)))).not.toEqual(draw(new Random(seed(2))));
  });

  it("starts with SHA3-256 of the seed and the counter", () => {
    // head -c 36 /dev/zero | openssl dgst -sha3-256: the first four bytes, little-endian.
    expect(new Random(seed(0)).u32().toString(16)).toBe("c3462d37");
  });

  it("stays within its bounds and reaches them", () => {
    const random = new Random(seed(3));
    const below = new Set(Array.from({ length: 500 }, () => random.below(7)));
    expect([...below].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const upTo = new Set(Array.from({ length: 500 }, () => random.upTo(4n)));
    expect([...upTo].sort()).toEqual([1n, 2n, 3n, 4n]);
    expect(Array.from({ length: 1000 }, () => random.oneIn(10)).filter(Boolean).length).toBeGreaterThan(60);
  });

  it("refuses a seed of another length and an empty list", () => {
    expect(() => new Random(new Uint8Array(31))).toThrow("32 bytes");
    expect(() => new Random(seed(1)).pick([])).toThrow("nothing to pick");
  });
});
