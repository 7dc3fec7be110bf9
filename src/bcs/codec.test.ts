import { describe, expect, it } from "vitest";
import {
  colourCodec,
  entriesCodec,
  pointCodec,
  type Shape,
  shapeCodec,
} from "../../test/support/sample-codecs.ts";
import { fromHex, toHex } from "../base/hex.ts";
import { type Codec, converted, decodeWith, encodeWith } from "./codec.ts";
import { BcsError } from "./errors.ts";
import { BcsReader } from "./reader.ts";
import { struct, variantNumber } from "./records.ts";
import * as scalars from "./scalars.ts";
import { map, vector } from "./sequences.ts";

const { bool, fixed, text, u8, u16, u64 } = scalars;

function bytesFrom(hex: string): Uint8Array {
  return fromHex(hex) ?? expect.unreachable(`not hex: ${hex}`);
}

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
