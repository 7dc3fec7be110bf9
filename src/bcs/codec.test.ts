import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codecProperties } from "../../test/support/codec-properties.ts";
import { fromHex, toHex } from "../base/hex.ts";
import { type Codec, converted, decodeWith, encodeWith, lazy } from "./codec.ts";
import { BcsError } from "./errors.ts";
import { BcsReader } from "./reader.ts";
import { choice, struct, variantNumber, variants } from "./records.ts";
import * as scalars from "./scalars.ts";
import { map, option, vector } from "./sequences.ts";

const { bool, byteString, fixed, text, u8, u16, u64 } = scalars;

function bytesFrom(hex: string): Uint8Array {
  return fromHex(hex) ?? expect.unreachable(`not hex: ${hex}`);
}

interface Point {
  readonly x: number;
  readonly y: bigint;
  readonly label: string;
}

const pointCodec: Codec<Point> = struct({ x: u16, y: u64, label: text });

type Shape =
  | { readonly kind: "dot" }
  | { readonly kind: "circle"; readonly centre: Point; readonly filled: boolean }
  | { readonly kind: "group"; readonly parts: readonly Shape[]; readonly note: string | undefined };

const shapeCodec: Codec<Shape> = variants("Shape", {
  dot: {},
  circle: { centre: pointCodec, filled: bool },
  group: { parts: vector(lazy(1, () => shapeCodec)), note: option(text) },
});

const colourCodec = choice("Colour", ["red", "green", "blue"]);
const entriesCodec = map(text, u16);

const anyText = fc.string({ unit: "binary", maxLength: 8 });
const anyPoint: fc.Arbitrary<Point> = fc.record({
  x: fc.nat(0xffff),
  y: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  label: anyText,
});
const { shape: anyShape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant("dot" as const) }),
    fc.record({ kind: fc.constant("circle" as const), centre: anyPoint, filled: fc.boolean() }),
    fc.record({
      kind: fc.constant("group" as const),
      parts: fc.array(tie("shape"), { maxLength: 3 }),
      note: fc.option(anyText, { nil: undefined }),
    }),
  ),
}));

function unsigned(bits: bigint): fc.Arbitrary<bigint> {
  return fc.bigInt({ min: 0n, max: (1n << bits) - 1n });
}

function signed(bits: bigint): fc.Arbitrary<bigint> {
  return fc.bigInt({ min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n });
}

codecProperties("u8", u8, fc.nat(0xff));
codecProperties("u16", u16, fc.nat(0xffff));
codecProperties("u32", scalars.u32, fc.nat(0xffff_ffff));
codecProperties("u64", u64, unsigned(64n));
codecProperties("u128", scalars.u128, unsigned(128n));
codecProperties("u256", scalars.u256, unsigned(256n));
codecProperties("i8", scalars.i8, fc.integer({ min: -0x80, max: 0x7f }));
codecProperties("i16", scalars.i16, fc.integer({ min: -0x8000, max: 0x7fff }));
codecProperties("i32", scalars.i32, fc.integer());
codecProperties("i64", scalars.i64, signed(64n));
codecProperties("i128", scalars.i128, signed(128n));
codecProperties("i256", scalars.i256, signed(256n));
codecProperties("bool", bool, fc.boolean());
codecProperties("byteString", byteString, fc.uint8Array({ maxLength: 300, size: "max" }));
codecProperties("text", text, fc.string({ unit: "binary", maxLength: 200, size: "max" }));
codecProperties("fixed", fixed(12), fc.uint8Array({ minLength: 12, maxLength: 12 }));
codecProperties("struct", pointCodec, anyPoint);
codecProperties("variants", shapeCodec, anyShape);
codecProperties("choice", colourCodec, fc.constantFrom("red", "green", "blue"));
codecProperties("variantNumber", variantNumber("Reason", 4), fc.nat(3));
codecProperties("vector of plain items", vector(u64), fc.array(unsigned(64n), { maxLength: 20 }));
codecProperties(
  "vector of options",
  vector(option(bool)),
  fc.array(fc.option(fc.boolean(), { nil: undefined })),
);
codecProperties(
  "map",
  entriesCodec,
  fc
    .uniqueArray(fc.tuple(anyText, fc.nat(0xffff)), { selector: ([key]) => key, maxLength: 8 })
    .map((entries) => decodeWith(entriesCodec, encodeWith(entriesCodec, entries))),
);

describe("struct", () => {
  it("writes its fields in the order of the definition, not of the value", () => {
    expect(toHex(encodeWith(pointCodec, { label: "a", y: 2n, x: 1 }))).toBe("010002000000000000000161");
  });

  it("names the faulty field when it reads, skips and writes", () => {
    expect(() => decodeWith(pointCodec, bytesFrom("010002000000000000000261"))).toThrow(
      "label: 2 elements need at least 2 bytes, 1 left (at byte 10)",
    );
    expect(() => pointCodec.skip(new BcsReader(bytesFrom("0100020000000000000001ff")))).toThrow(
      "label: text is not valid UTF-8 (at byte 10)",
    );
    const nested: Shape = {
      kind: "group",
      parts: [{ kind: "dot" }, { kind: "circle", centre: { x: -1, y: 0n, label: "" }, filled: true }],
      note: undefined,
    };
    expect(() => encodeWith(shapeCodec, nested)).toThrow("parts[1].centre.x: -1 is not a u16 (at byte 4)");
  });
});

describe("variants", () => {
  it("number the kinds by their position", () => {
    expect(toHex(encodeWith(shapeCodec, { kind: "dot" }))).toBe("00");
    expect(decodeWith(shapeCodec, bytesFrom("02020000" + "00"))).toEqual({
      kind: "group",
      parts: [{ kind: "dot" }, { kind: "dot" }],
      note: undefined,
    });
    expect(() => decodeWith(shapeCodec, bytesFrom("03"))).toThrow("unknown Shape variant 3 (at byte 0)");
    expect(() => decodeWith(shapeCodec, bytesFrom("8000"))).toThrow("not in its shortest form");
  });

  it("refuse an unknown kind", () => {
    const foreign = { kind: "constructor" } as object as Shape;
    expect(() => encodeWith(shapeCodec, foreign)).toThrow('unknown Shape kind "constructor"');
    expect(() => encodeWith(colourCodec, "black" as "red")).toThrow('unknown Colour "black"');
    expect(() => encodeWith(variantNumber("Reason", 4), 4)).toThrow("unknown Reason 4");
  });

  it("count towards the nesting limit when they read, skip and write", () => {
    const nest = (depth: number): Uint8Array => {
      const out = new Uint8Array(3 * depth + 1);
      for (let i = 0; i < depth; i++) out.set([2, 1], 2 * i);
      return out;
    };
    expect(() => decodeWith(shapeCodec, nest(499))).not.toThrow();
    expect(() => decodeWith(shapeCodec, nest(500))).toThrow("nested deeper than 500 containers");
    expect(() => shapeCodec.skip(new BcsReader(nest(500)))).toThrow("nested deeper than 500 containers");
    let deep: Shape = { kind: "dot" };
    for (let i = 0; i < 500; i++) deep = { kind: "group", parts: [deep], note: undefined };
    expect(() => encodeWith(shapeCodec, deep)).toThrow("nested deeper than 500 containers");
  });
});

describe("map", () => {
  it("writes its entries sorted by the bytes of their keys", () => {
    const bytes = encodeWith(entriesCodec, [
      ["bb", 1],
      ["z", 2],
      ["a", 3],
    ]);
    expect(toHex(bytes)).toBe("03" + "01610300" + "017a0200" + "0262620100");
    const byNumber = map(u16, bool);
    expect(
      toHex(
        encodeWith(byNumber, [
          [1, true],
          [256, false],
        ]),
      ),
    ).toBe("02" + "000100" + "010001");
  });

  it("refuses a key given twice, and keys out of order", () => {
    expect(() =>
      encodeWith(entriesCodec, [
        ["a", 1],
        ["a", 2],
      ]),
    ).toThrow("map key given twice");
    for (const hex of ["02017a0000" + "01610000", "0201610000" + "01610000"]) {
      expect(() => decodeWith(entriesCodec, bytesFrom(hex))).toThrow(
        "[1]: map keys are not strictly increasing (at byte 5)",
      );
      expect(() => entriesCodec.skip(new BcsReader(bytesFrom(hex)))).toThrow(
        "[1]: map keys are not strictly",
      );
    }
  });
});

describe("codecs", () => {
  it("check counts before they allocate, when they read and when they skip", () => {
    for (const codec of [vector(u64), vector(text), entriesCodec] as Codec<unknown>[]) {
      const bytes = bytesFrom("ffffff7f0000");
      expect(() => decodeWith(codec, bytes)).toThrow(BcsError);
      expect(() => codec.skip(new BcsReader(bytes))).toThrow("need at least");
    }
  });

  it("refuse definitions whose counts could not be checked", () => {
    expect(() => vector(struct({}))).toThrow("must take at least one byte");
    expect(() => map(struct({}), struct({}))).toThrow("must take at least one byte");
  });

  it("of fixed bytes refuse to write another length", () => {
    expect(() => encodeWith(fixed(3), Uint8Array.of(1, 2))).toThrow("expected 3 bytes, not 2");
  });

  it("convert the values they read", () => {
    const even = converted(u8, (value) => (value % 2 === 0 ? value : 0));
    expect(decodeWith(even, Uint8Array.of(7))).toBe(0);
    expect(even.plain).toBe(true);
    expect(converted(text, (value) => value).plain).toBeUndefined();
  });
});
