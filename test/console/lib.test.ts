// What the console computes without a browser.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultyPart, toLiteral } from "../../console/src/lib/arguments.ts";
import { parseExactJson } from "../../console/src/lib/exact-json.ts";
import { formatSpan, formatUnits, formatUtc } from "../../console/src/lib/format.ts";
import { decodeSimple, encodeKey } from "../../console/src/lib/key-bytes.ts";
import { operationRates, parseMetrics } from "../../console/src/lib/metrics.ts";
import { visibleText } from "../../console/src/lib/visible-text.ts";
import { RUNS } from "../support/property.ts";

const u256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

describe("JSON without loss", () => {
  it("keeps every digit of integers, and leaves strings as they are", () => {
    fc.assert(
      fc.property(u256, fc.string({ unit: "binary" }), (number, text) => {
        const parsed = parseExactJson(`{"a":${number},"b":[${JSON.stringify(text)},-${number}]}`);
        const { a, b } = parsed as { a: unknown; b: unknown[] };
        expect(BigInt(a as string)).toBe(number);
        expect(b[0]).toBe(text);
        expect(BigInt(b[1] as string)).toBe(-number);
      }),
      { numRuns: RUNS },
    );
    expect(parseExactJson('["18446744073709551615 \\"1234567890123456789\\"", 1.5e3, 12]')).toEqual([
      '18446744073709551615 "1234567890123456789"',
      1500,
      12,
    ]);
    expect(() => parseExactJson("{")).toThrow(SyntaxError);
  });
});

describe("amounts and times", () => {
  it("have every digit, and no more zeros than needed", () => {
    fc.assert(
      fc.property(u256, fc.integer({ min: 0, max: 40 }), (amount, decimals) => {
        const [whole = "", fraction = ""] = formatUnits(amount, decimals).replaceAll(",", "").split(".");
        expect(BigInt(whole + fraction.padEnd(decimals, "0"))).toBe(amount);
        expect(fraction.endsWith("0")).toBe(false);
      }),
      { numRuns: RUNS },
    );
    expect(formatUnits(-1_234_567_890n, 8)).toBe("-12.3456789");
    expect(formatUnits(123_456_789_000n, 2)).toBe("1,234,567,890");
    expect(formatUtc("1794785791709123")).toBe("2026-11-15T23:36:31.709123Z");
    expect([0, 59, 61, 3600, 93_784].map(formatSpan)).toEqual(["0 s", "59 s", "1 min 1 s", "1 h", "1 d 2 h"]);
  });
});

describe("keys of tables", () => {
  it.each(["u8", "u16", "u32", "u64", "u128", "u256"])("%s goes to bytes and back", (type) => {
    const max = 2n ** BigInt(type.slice(1)) - 1n;
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max }), (number) => {
        expect(decodeSimple(type, encodeKey(type, `${number}`))).toBe(`${number}`);
      }),
      { numRuns: RUNS },
    );
    for (const wrong of [`${max + 1n}`, "-1", "1.0", "", "0x1"]) {
      expect(() => encodeKey(type, wrong)).toThrow("expected a whole number");
    }
  });

  it("texts go to bytes and back, and bytes that are no text are not guessed at", () => {
    const string = "0x1::string::String";
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        fc.pre(text.isWellFormed() && !text.startsWith("\ufeff"));
        expect(decodeSimple(string, encodeKey(string, text))).toBe(text);
      }),
      { numRuns: RUNS },
    );
    expect(encodeKey(string, "APT")).toBe("0x03415054");
    for (const wrong of ["0x", "0x01ff", "0x0241", "0x034150", "0x0141ff"]) {
      expect(decodeSimple(string, wrong)).toBeUndefined();
    }
  });
});

describe("arguments", () => {
  it.each([
    ["u64", "18446744073709551615", '"18446744073709551615"'],
    ["u8", "007", "7"],
    ["u8", "abc", '"abc"'],
    ["bool", "", "false"],
    ["0x1::string::String", ' a"b ', '" a\\"b "'],
    ["0x1::option::Option<u64>", "5", '{"vec": ["5"]}'],
    ["vector<vector<u64>>", '[["9007199254740993"]]', '[["9007199254740993"]]'],
  ])("%s: %s", (type, typed, json) => expect(toLiteral(type, typed)).toEqual({ json }));

  it("names the part that a message is about", () => {
    expect(faultyPart("payload.arguments[1]: expected digits")).toBe("payload.arguments[1]");
    expect(faultyPart("sequence_number is missing: expected")).toBe("sequence_number");
    expect(faultyPart("Something else went wrong")).toBeUndefined();
  });
});

describe("metrics", () => {
  const page = (count: number, sum: number): string => `# HELP x
sextant_http_request_duration_seconds_bucket{le="0.001",operation="info",status="200"} ${count - 1}
sextant_http_request_duration_seconds_bucket{le="+Inf",operation="info",status="200"} ${count}
sextant_http_request_duration_seconds_sum{operation="info",status="200"} ${sum}
sextant_http_request_duration_seconds_count{operation="info",status="200"} ${count}
sextant_http_request_duration_seconds_count{operation="info",status="404"} 2
`;

  it("gives rates between two readings, and begins at zero with a node that restarted", () => {
    const first = parseMetrics(page(10, 1), 0);
    const second = parseMetrics(page(30, 2), 4000);
    expect(operationRates(first, second)[0]).toMatchObject({
      operation: "info",
      perSecond: 5,
      total: 32,
      errors: 2,
      mean: 0.05,
    });
    expect(operationRates(second, parseMetrics(page(4, 1), 8000))[0]).toMatchObject({ perSecond: 1.5 });
  });
});

describe("visible text", () => {
  it("has no character that hides or turns, whatever comes in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visibleText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
      { numRuns: RUNS },
    );
  });
});
