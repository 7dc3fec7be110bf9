import fc from "fast-check";
import { codecProperties } from "../../test/support/codec-properties.ts";
import { anyCharacter } from "../../test/support/property.ts";
import {
  colourCodec,
  entriesCodec,
  type Point,
  pointCodec,
  type Shape,
  shapeCodec,
} from "../../test/support/sample-codecs.ts";
import { decodeWith, encodeWith } from "./codec.ts";
import { variantNumber } from "./records.ts";
import * as scalars from "./scalars.ts";
import { option, vector } from "./sequences.ts";

const { bool, byteString, fixed, text, u8, u16, u64 } = scalars;

const anyText = fc.string({ unit: anyCharacter, maxLength: 8 });
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
codecProperties("text", text, fc.string({ unit: anyCharacter, maxLength: 200, size: "max" }));
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
