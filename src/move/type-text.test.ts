import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTextualStruct, anyTextualType } from "../../test/support/move-arbitraries.ts";
import { anyCharacter, RUNS } from "../../test/support/property.ts";
import { timesYardstick } from "../../test/support/yardstick.ts";
import { MoveError } from "./errors.ts";
import { formatStructTag, formatTypeTag } from "./type-tag.ts";
import { parseStructTag, parseTypeTag } from "./type-text.ts";

function normal(text: string): string {
  return formatTypeTag(parseTypeTag(text));
}

function nested(vectors: number): string {
  return `${"vector<".repeat(vectors)}u8${">".repeat(vectors)}`;
}

describe("parseTypeTag", () => {
  it.each([
    ["bool", "bool"],
    ["u256", "u256"],
    ["signer", "signer"],
    [" \t\n\f\rvector \n< u8\t> ", "vector<u8>"],
    ["0x1::coin::Coin", "0x1::coin::Coin"],
    ["0X00aB::a_$1::B", "0xab::a_$1::B"],
    ["0x1 :: a :: B < > ", "0x1::a::B"],
    ["0x1::a::B<u8,>", "0x1::a::B<u8>"],
    ["0x1::a::B<u8,0x2::c::D<vector<bool>> , address>", "0x1::a::B<u8, 0x2::c::D<vector<bool>>, address>"],
    [`0x${"0".repeat(63)}1::a::b`, "0x1::a::b"],
    ["0x1::u8x::true_", "0x1::u8x::true_"],
  ])("accepts %j", (text, expected) => expect(normal(text)).toBe(expected));

  it.each([
    ["", "expected a type at position 0, got the end"],
    ["T0", "expected a type at position 0"],
    ["i64", "expected a type at position 0"],
    ["true", "expected a type at position 0"],
    ["&u8", "expected a type at position 0"],
    ["|u64|u64", "expected a type at position 0"],
    ["1::a::b", "expected a type at position 0"],
    ["u8 u8", 'expected the end of the type at position 3, got "u8"'],
    ["\u000bu8", "expected a type at position 0"],
    ["\u00a0u8", "expected a type at position 0"],
    ["vector", 'expected "<" at position 6, got the end'],
    ["vector<>", "expected a type at position 7"],
    ["vector<u8,>", 'expected ">" at position 9'],
    ["vector<u8", 'expected ">" at position 9, got the end'],
    ["0x::a::b", "expected a hex digit at position 2"],
    ["01::a::b", "expected an address that starts with 0x at position 0"],
    [`0x${"0".repeat(65)}::a::b`, "expected at most 64 hex digits at position 0"],
    ["0x1::a", 'expected "::" at position 6, got the end'],
    ["0x1: :a::b", 'expected "::" at position 3'],
    ["0x1::_a::b", "expected a module name at position 5"],
    ["0x1::$a::b", "expected a module name at position 5"],
    ["0x1::signer::b", "expected a module name that is not a reserved word at position 5"],
    ["0x1::a::vector", "expected a struct name that is not a reserved word at position 8"],
    ["0x1::a::b<,>", "expected a type at position 10"],
    ["0x1::a::b<u8 u8>", 'expected "," or ">" at position 13'],
    ["0x1::a::b>", "expected the end of the type at position 9"],
    ["0x1::a::é", "expected a struct name at position 8"],
  ])("refuses %j", (text, message) => {
    expect(() => parseTypeTag(text)).toThrow(MoveError);
    expect(() => parseTypeTag(text)).toThrow(message);
  });

  it("nests eight levels, not nine", () => {
    expect(normal(nested(8))).toBe(nested(8));
    expect(() => parseTypeTag(nested(9))).toThrow("at most 8 levels of nesting");
    const structs = (depth: number) => `${"0x1::a::b<".repeat(depth)}0x1::a::c${">".repeat(depth)}`;
    expect(normal(structs(8))).toBe(structs(8));
    expect(() => parseTypeTag(structs(9))).toThrow("at most 8 levels of nesting");
  });

  it("shows only the start of a long text", () => {
    try {
      parseTypeTag(`${"x".repeat(100_000)}`);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(MoveError);
      expect((error as MoveError).message.length).toBeLessThan(300);
    }
  });

  it("takes time proportional to the text", async () => {
    const parse = (text: string) => {
      try {
        parseTypeTag(text);
      } catch (error) {
        expect(error).toBeInstanceOf(MoveError);
      }
    };
    const list = (items: number) => `0x1::a::b<${"u8, ".repeat(items)}>`;
    expect(parseStructTag(list(250_000)).typeArgs).toHaveLength(250_000);
    for (const text of [
      " ".repeat(1e6),
      "vector<".repeat(150_000),
      `0x${"f".repeat(1e6)}`,
      "0x1::".repeat(2e5),
    ]) {
      expect(await timesYardstick(() => parse(text), 2)).toBeLessThan(8);
    }
  });
});

describe("parseStructTag", () => {
  it("accepts structs only", () => {
    expect(formatStructTag(parseStructTag(" 0x1::a::B<u8> "))).toBe("0x1::a::B<u8>");
    expect(() => parseStructTag("u64")).toThrow("expected an address that starts with 0x at position 0");
    expect(() => parseStructTag("vector<u8>")).toThrow(MoveError);
    expect(() => parseStructTag("0x1::a::B x")).toThrow(MoveError);
  });
});

describe("arbitrary type text", () => {
  it("parses every printed type", () => {
    fc.assert(
      fc.property(anyTextualType, (tag) => {
        expect(parseTypeTag(formatTypeTag(tag))).toEqual(tag);
      }),
      { numRuns: RUNS },
    );
    fc.assert(
      fc.property(anyTextualStruct, (tag) => {
        expect(parseStructTag(formatStructTag(tag))).toEqual(tag);
      }),
      { numRuns: RUNS },
    );
  });

  it("throws only MoveError, and accepts the printed form of every type it accepts", () => {
    const token = fc.constantFrom(
      "0x1",
      "::",
      "<",
      ">",
      ",",
      "vector",
      "u8",
      "a",
      " ",
      "0x",
      "$",
      "&",
      "\u0000",
    );
    const soup = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 30 }),
      fc.array(token, { maxLength: 16 }).map((tokens) => tokens.join("")),
    );
    fc.assert(
      fc.property(soup, (text) => {
        try {
          const printed = normal(text);
          expect(normal(printed)).toBe(printed);
        } catch (error) {
          expect(error).toBeInstanceOf(MoveError);
          expect((error as MoveError).code).toBe("type");
        }
      }),
      { numRuns: RUNS },
    );
  });
});
