import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../test/support/property.ts";
import { toHex } from "./hex.ts";
import { MAX_SHORT_INPUT, PreparedInput, sha3Short, sha3Triple, sha3TwoTriples } from "./keccak.ts";

const EMPTY = new Uint8Array(0);

function nodeSha3(bytes: Uint8Array): string {
  return createHash("sha3-256").update(bytes).digest("hex");
}

describe("short hashes", () => {
  it("equal node:crypto's for every length, whatever was hashed before", () => {
    for (let length = 0; length <= MAX_SHORT_INPUT; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff);
      expect(toHex(sha3Short(bytes, EMPTY))).toBe(nodeSha3(bytes));
    }
    expect(toHex(sha3Short(EMPTY, EMPTY))).toBe(nodeSha3(EMPTY));
  });

  it("equal node:crypto's wherever the input is split", () => {
    const bytes = fc.uint8Array({ maxLength: MAX_SHORT_INPUT, size: "max" });
    fc.assert(
      fc.property(bytes, fc.nat(), fc.nat(), (input, a, b) => {
        const [first = 0, second = 0] = [a % (input.length + 1), b % (input.length + 1)].sort(
          (x, y) => x - y,
        );
        const parts = [
          input.subarray(0, first),
          input.subarray(first, second),
          input.subarray(second),
        ] as const;
        expect(toHex(sha3Short(...parts))).toBe(nodeSha3(input));
      }),
      { numRuns: RUNS },
    );
  });

  it("of three hashes equal node:crypto's, and later calls do not overwrite them", () => {
    const one = fc.uint8Array({ minLength: 32, maxLength: 32 });
    let before: { bytes: Uint8Array; hex: string } | undefined;
    fc.assert(
      fc.property(one, one, one, (a, b, c) => {
        const bytes = sha3Triple(a, b, c);
        const hex = nodeSha3(Buffer.concat([a, b, c]));
        expect(toHex(bytes)).toBe(hex);
        if (before !== undefined) expect(toHex(before.bytes)).toBe(before.hex);
        before = { bytes, hex };
      }),
      { numRuns: RUNS },
    );
  });

  it("of two pairs at once equal those of each, and later calls do not overwrite them", () => {
    const bytes = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
    const expected = (left: number, right: number): string =>
      createHash("sha3-256").update(bytes(9)).update(bytes(left)).update(bytes(right)).digest("hex");
    const first = sha3TwoTriples(bytes(9), bytes(1), bytes(2), bytes(3), bytes(4));
    const second = sha3TwoTriples(bytes(9), bytes(5), bytes(6), bytes(1), bytes(2));
    expect(first.map(toHex)).toEqual([expected(1, 2), expected(3, 4)]);
    expect(second.map(toHex)).toEqual([expected(5, 6), expected(1, 2)]);
    expect(() => sha3TwoTriples(bytes(9), bytes(1), bytes(2), bytes(3), new Uint8Array(31))).toThrow();
  });

  it("of prepared inputs equal node:crypto's, whatever was loaded before", () => {
    const [input, target] = [new PreparedInput(MAX_SHORT_INPUT), new PreparedInput(64)];
    const bytes = fc.uint8Array({ minLength: 32, maxLength: MAX_SHORT_INPUT, size: "max" });
    const part = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, part, fc.nat(), (loaded, replaced, at) => {
        const offset = at % (loaded.length - 31);
        input.load(loaded);
        input.put(replaced, offset);
        const whole = Buffer.from(loaded);
        whole.set(replaced, offset);
        expect(toHex(input.hash())).toBe(nodeSha3(whole));
        target.load(new Uint8Array(64));
        input.hashInto(target, 32);
        expect(toHex(target.hash())).toBe(
          nodeSha3(Buffer.concat([Buffer.alloc(32), Buffer.from(nodeSha3(whole), "hex")])),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it("of a chain of prepared inputs equal node:crypto's, for any number of blocks", () => {
    const inputs = [300, 300, 400].map((bytes) => new PreparedInput(bytes));
    const [first, second, beside] = inputs as [PreparedInput, PreparedInput, PreparedInput];
    const upTo = (maxLength: number) => fc.uint8Array({ minLength: 32, maxLength, size: "max" });
    const short = upTo(135);
    // Mostly the lengths that are hashed two at a time.
    const lengths = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(short, short, fc.uint8Array({ minLength: 136, maxLength: 271 })) },
      { weight: 1, arbitrary: fc.tuple(upTo(300), upTo(300), upTo(400)) },
    );
    fc.assert(
      fc.property(lengths, fc.nat(), ([a, b, c], at) => {
        const offset = at % (b.length - 31);
        first.load(a);
        second.load(b);
        beside.load(c);
        const whole = Buffer.from(b);
        whole.set(Buffer.from(nodeSha3(a), "hex"), offset);
        const expected = [nodeSha3(whole), nodeSha3(c)];
        expect(first.hashChain(second, offset, beside).map(toHex)).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it("of prepared inputs need room for what is loaded", () => {
    const input = new PreparedInput(64);
    expect(() => input.load(new Uint8Array(65))).toThrow("65 bytes");
    expect(() => input.put(new Uint8Array(31), 0)).toThrow("32 bytes");
    expect(() => new PreparedInput(MAX_SHORT_INPUT + 1)).toThrow("no room");
  });

  it("refuse inputs that are too long or of the wrong length", () => {
    expect(() => sha3Short(new Uint8Array(MAX_SHORT_INPUT), new Uint8Array(1))).toThrow("short");
    expect(() => sha3Triple(new Uint8Array(32), new Uint8Array(31), new Uint8Array(32))).toThrow("32 bytes");
  });
});
