import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Field } from "../field.ts";
import { addressField } from "./address.ts";
import { assetTypeField } from "./asset-type.ts";
import { parseHexField } from "./hex-bytes.ts";
import { ledgerVersionField } from "./integer.ts";
import {
  ADDRESS_PATTERN,
  ASSET_PATTERN,
  HEX_PATTERN,
  RANGE_END_PATTERN,
  TIME_PATTERN,
  U64_PATTERN,
} from "./patterns.ts";
import { fromField, readAtFields } from "./read-at.ts";

function accepts(parse: Field<unknown>["parse"], text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

const PARSERS: Readonly<Record<string, readonly [pattern: string, parse: Field<unknown>["parse"]]>> = {
  address: [ADDRESS_PATTERN, addressField.parse],
  hex: [HEX_PATTERN, (text) => parseHexField("key", text)],
  u64: [U64_PATTERN, ledgerVersionField.parse],
  time: [TIME_PATTERN, readAtFields.at.parse],
  "range end": [RANGE_END_PATTERN, fromField.parse],
};

describe.each(Object.entries(PARSERS))("the pattern of a text: %s", (_, [source, parse]) => {
  const pattern = new RegExp(source, "u");

  it("generates only texts that the parser takes", () => {
    fc.assert(fc.property(fc.stringMatching(pattern), (text) => accepts(parse, text)));
  });

  it.each([
    ...[
      "",
      "0",
      "0x",
      "0xg",
      "x",
      "+",
      "-1",
      "0x1",
      "1",
      "12",
      "0x12",
      "0x123",
      `0x${"f".repeat(64)}`,
      "f".repeat(65),
    ],
    ...["18446744073709551615", "18446744073709551616", "9".repeat(19), "9".repeat(20)],
    ...["@1767225600", "1767225600.5", "@1767225600.123456789", "@1.1234567890", "1.", "@"],
    ...["2026-01-31T00:00:00Z", "2026-02-29T00:00:00Z", "2028-02-29T00:00:00Z", "2100-02-29T00:00:00Z"],
    ...["2000-02-29T23:59:60z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z"],
    ...[
      "1969-12-31T00:00:00Z",
      "1972-02-29T12:00:00.5+02:00",
      "1974-02-29T12:00:00Z",
      "2026-01-31",
      "1996-02-29t00:00:00Z",
    ],
  ])("and the parser agree about %j", (text) => {
    // Twelve digits of Unix seconds are 30,000 years.
    expect(pattern.test(text) || /^\d{13,}$/.test(text)).toBe(accepts(parse, text) || /^\d{13,}$/.test(text));
  });

  it("knows every leap year", () => {
    if (source !== TIME_PATTERN) return;
    for (let year = 1970; year <= 9999; year++) {
      const text = `${year}-02-29T00:00:00Z`;
      expect(pattern.test(text), text).toBe(accepts(parse, text));
    }
  });
});

it("the pattern of asset types takes what the parser takes", () => {
  const pattern = new RegExp(ASSET_PATTERN, "u");
  for (const text of ["0xa", "a", "0x1::aptos_coin::AptosCoin", "0x5a::lp::LP<0x1::a::B, vector<u8>>"]) {
    expect([pattern.test(text), accepts(assetTypeField.parse, text)]).toEqual([true, true]);
  }
  for (const text of ["", "u64", "0x1::a", "0x1::a::B::C", "0x1::a::B<", "xyz"]) {
    expect([pattern.test(text), accepts(assetTypeField.parse, text)]).toEqual([false, false]);
  }
});
