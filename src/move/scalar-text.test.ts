import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../test/support/property.ts";
import { toHex } from "../base/hex.ts";
import { MoveError } from "./errors.ts";
import { INTEGER_RANGES, type IntegerName, parseHexBytes, parseInteger } from "./scalar-text.ts";

const names = Object.keys(INTEGER_RANGES) as IntegerName[];

/** The rule as a regular expression: an optional sign, then digits. */
function expectedInteger(text: string, type: IntegerName): bigint | undefined {
  const { min, max } = INTEGER_RANGES[type];
  if (!(min < 0n ? /^[+-]?[0-9]+$/ : /^\+?[0-9]+$/).test(text)) return undefined;
  const value = text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text.replace("+", ""));
  return value < min || value > max ? undefined : value;
}

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    expect(error).toBeInstanceOf(MoveError);
    return undefined;
  }
}

describe("parseInteger", () => {
  it("accepts exactly the texts of the rule", () => {
    const near = fc
      .tuple(fc.constantFrom(...names), fc.constantFrom("min", "max"), fc.integer({ min: -2, max: 2 }))
      .map(([type, end, by]) => `${INTEGER_RANGES[type][end as "min" | "max"] + BigInt(by)}`);
    const loose = fc
      .array(fc.constantFrom(..."0123456789+-_ .xeE".split("")), { maxLength: 12 })
      .map((parts) => parts.join(""));
    const zeros = fc
      .tuple(fc.constantFrom("", "+", "-"), fc.nat({ max: 200 }), fc.nat())
      .map(([sign, count, tail]) => `${sign}${"0".repeat(count)}${tail}`);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.oneof(near, loose, zeros), (type, text) => {
        expect(attempt(() => parseInteger(text, type))).toBe(expectedInteger(text, type));
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ["", "u64", "it has no digits"],
    ["+", "u64", "it has no digits"],
    ["-0", "u64", "it cannot be negative"],
    ["0x10", "u64", "it is written in decimal, not hex"],
    ["1.0", "u128", '"." at position 1 is not a digit'],
    [" 5", "u64", '" " at position 0 is not a digit'],
    ["256", "u8", "does not fit a u8, which is from 0 to 255"],
    ["-129", "i8", "does not fit an i8, which is from -128 to 127"],
  ] as const)("says what is wrong with %j as %s", (text, type, message) => {
    expect(() => parseInteger(text, type)).toThrow(message);
  });
});

describe("parseHexBytes", () => {
  it("accepts an even number of digits with or without 0x", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 32 }),
        fc.boolean(),
        fc.boolean(),
        (bytes, isPrefixed, isUpper) => {
          const digits = isUpper ? toHex(bytes).toUpperCase() : toHex(bytes);
          expect(toHex(parseHexBytes(isPrefixed ? `0x${digits}` : digits))).toBe(toHex(bytes));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it.each([
    ["0x123", "it has an odd number of digits, 3"],
    ["0X12", "the prefix is 0x with a small x"],
    ["0x1g", '"g" at position 3 is not a hex digit'],
    ["0x0x12", '"x" at position 3 is not a hex digit'],
    [" 12", '" " at position 0 is not a hex digit'],
  ])("says what is wrong with %j", (text, message) => {
    expect(() => parseHexBytes(text)).toThrow(message);
  });
});
