import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CodedError } from "../errors.ts";
import { formatTime, parseTime } from "./time-text.ts";

describe("a time", () => {
  it.each([
    ["0", 0n],
    ["1700000000", 1_700_000_000_000_000n],
    ["@1700000000", 1_700_000_000_000_000n],
    ["1700000000.5", 1_700_000_000_500_000n],
    ["1700000000.000001", 1_700_000_000_000_001n],
    ["1970-01-01T00:00:00Z", 0n],
    ["1970-01-01T02:00:00+02:00", 0n],
    ["1969-12-31T23:00:00-01:00", 0n],
    ["2023-11-14t22:13:20.25z", 1_700_000_000_250_000n],
    ["2024-02-29T00:00:00Z", 1_709_164_800_000_000n],
    ["2016-12-31T23:59:60Z", 1_483_228_800_000_000n],
    ["9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999n],
  ])("%s", (text, usec) => expect(parseTime(text)).toBe(usec));

  it("is cut to microseconds, or rounded up", () => {
    expect(parseTime("1.0000019")).toBe(1_000_001n);
    expect(parseTime("1.0000019", true)).toBe(1_000_002n);
    expect(parseTime("1.000001000", true)).toBe(1_000_001n);
    expect(parseTime("1.999999999", true)).toBe(2_000_000n);
  });

  it.each([
    ["", "neither"],
    ["yesterday", "neither"],
    ["-1", "neither"],
    ["1e9", "neither"],
    ["1.", "neither"],
    ["1.0000000001", "more than 9 decimals"],
    ["@1.0000000001", "more than 9 decimals"],
    [" 1", "neither"],
    ["999999999999999", "after the year 9999"],
    ["2026-01-01", "no time of day"],
    ["2026-01-01T00:00:00", "no time of day"],
    ["2026-01-01 00:00:00Z", "no time of day"],
    ["2026-02-29T00:00:00Z", "no such day"],
    ["2026-13-01T00:00:00Z", "no such day"],
    ["2026-00-01T00:00:00Z", "no such day"],
    ["2026-01-01T24:00:00Z", "no such time"],
    ["2026-01-01T00:60:00Z", "no such time"],
    ["2026-01-01T00:00:00+24:00", "no such offset"],
    ["1969-12-31T23:59:59Z", "before 1970"],
    ["0070-01-01T00:00:00Z", "before 1970"],
    ["1700000000000", "not milliseconds"],
    ["+055840-11-08T22:13:20.000Z", "after the year 9999"],
  ])("%s is none", (text, reason) => {
    expect(() => parseTime(text)).toThrow(reason);
    expect(() => parseTime(text)).toThrow(CodedError);
  });

  it("reads as the platform reads it, and is printed so that it is read again", () => {
    const milliseconds = fc.integer({ min: 0, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(milliseconds, fc.integer({ min: 0, max: 999 }), (ms, more) => {
        expect(parseTime(new Date(ms).toISOString())).toBe(BigInt(ms) * 1000n);
        const usec = BigInt(ms) * 1000n + BigInt(more);
        expect(parseTime(formatTime(usec))).toBe(usec);
      }),
    );
    expect(formatTime(2n ** 64n - 1n)).toContain("18446744073709551615");
  });
});
