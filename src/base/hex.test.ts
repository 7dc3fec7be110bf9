import { describe, expect, it } from "vitest";
import { toBytes } from "../http/calls/operands.ts";
import { parseHexField } from "../http/schemas/hex-bytes.ts";
import { parseWaypoint } from "../ledger/waypoint.ts";
import { parseAddress } from "../move/address.ts";
import { parseHexBytes } from "../move/scalar-text.ts";
import { fromHex, hexFault, toHex } from "./hex.ts";

describe("fromHex", () => {
  const digits = toHex(Uint8Array.from({ length: 5000 }, (_, i) => i));

  it.each([64, 4096, 4098, 10_000])("takes %i digits in either case, and nothing else", (length) => {
    const text = digits.slice(0, length);
    const bytes = Uint8Array.from({ length: length / 2 }, (_, i) => i);
    expect(fromHex(text)).toEqual(bytes);
    expect(fromHex(text.toUpperCase())).toEqual(bytes);
    expect(fromHex(text.slice(1))).toBeUndefined();
    // The last two have digits in their lower bytes.
    for (const wrong of ["g", " ", "é", "\u0131", "\uff31"]) {
      expect(fromHex(wrong + text.slice(1))).toBeUndefined();
      expect(fromHex(text.slice(1) + wrong)).toBeUndefined();
    }
  });
});

describe("hexFault", () => {
  it.each([
    ["0x12", undefined],
    ["", undefined],
    ["0xg1z", '"g" at position 2 is not a hex digit'],
    ["12 4", '" " at position 2 is not a hex digit'],
    ["0x0x", '"x" at position 3 is not a hex digit'],
    ["0xa\u{1f600}", '"\u{1f600}" at position 3 is not a hex digit'],
    ["0X12", 'the prefix is 0x with a small x, not "0X"'],
  ])("of %j", (text, fault) => {
    expect(hexFault(text)).toBe(fault);
  });
});

/** Every parser of hex that a user writes. */
const PARSERS: readonly (readonly [string, (text: string) => unknown])[] = [
  ["an address", parseAddress],
  ["a key over HTTP", (text) => parseHexField("key", text)],
  ["a key in process", toBytes],
  ["bytes of an argument", parseHexBytes],
];

describe.each(PARSERS)("%s", (_, parse) => {
  it("points at the first bad digit, not at the last", () => {
    expect(() => parse("0x12y4z6")).toThrow('"y" at position 4 is not a hex digit');
    expect(() => parse(`0x${"0".repeat(62)}xy`)).toThrow('"x" at position 64 is not a hex digit');
  });
});

describe("a waypoint", () => {
  it.each([
    [`0:${"0".repeat(60)}g0h0`, '"g" at position 62 is not a hex digit'],
    [`0:${"0".repeat(63)}`, "its hash has 63 digits"],
    [`0:0x${"0".repeat(64)}`, '"x" at position 3 is not a hex digit'],
    [`x:${"0".repeat(64)}`, "its version is not a number of 64 bits"],
    ["0".repeat(64), "it has no colon"],
  ])("%j is refused with the reason", (text, reason) => {
    expect(() => parseWaypoint(text)).toThrow(reason);
  });
});
