// The properties of every codec: call `codecProperties` once per codec.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalBytes } from "../../src/base/bytes.ts";
import { type Codec, decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { BcsError } from "../../src/bcs/errors.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import { RUNS } from "./property.ts";

/** Offset where a read or skip ends, or -1 if it throws BcsError; passes on other errors. */
export function endOffset(bytes: Uint8Array, pass: (reader: BcsReader) => unknown): number {
  const reader = new BcsReader(bytes);
  try {
    pass(reader);
    return reader.offset;
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    const { offset } = error.details;
    if (typeof offset !== "number" || offset > bytes.length)
      throw new Error(`the error's offset ${offset} is not inside the input`);
    return -1;
  }
}

/** Deep equality of byte views, arrays and records. */
function sameValue(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalBytes(a, b);
  if (typeof a !== "object" || a === null) return Object.is(a, b);
  if (typeof b !== "object" || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  const right = new Map(Object.entries(b));
  return (
    left.length === right.size &&
    left.every(([key, item]) => right.has(key) && sameValue(item, right.get(key)))
  );
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Read and skip must end at the same offset, and the value read must encode to the same bytes. */
function checkAnyBytes<T>(codec: Codec<T>, bytes: Uint8Array): void {
  let again: Uint8Array | undefined;
  const end = endOffset(bytes, (reader) => {
    const value = codec.read(reader);
    again = encodeWith(codec, value);
  });
  check(endOffset(bytes, (reader) => codec.skip(reader)) === end, "skip does not end where read ends");
  if (end >= 0)
    check(again !== undefined && equalBytes(again, bytes.subarray(0, end)), "encodes to other bytes");
}

/** The bytes inside a larger buffer, at an unaligned offset. */
function embed(bytes: Uint8Array): Uint8Array {
  const outer = new Uint8Array(bytes.length + 10).fill(0xa5);
  outer.set(bytes, 3);
  return outer.subarray(3, 3 + bytes.length);
}

function checkCut<T>(codec: Codec<T>, bytes: Uint8Array, length: number): void {
  const cut = bytes.subarray(0, length);
  check(endOffset(cut, (reader) => codec.read(reader)) < 0, `read accepts the first ${length} bytes`);
  check(endOffset(cut, (reader) => codec.skip(reader)) < 0, `skip accepts the first ${length} bytes`);
}

interface Damage {
  readonly at: number;
  readonly byte: number;
  readonly remove: boolean;
}

function damaged(bytes: Uint8Array, damages: readonly Damage[]): Uint8Array {
  const out = [...bytes];
  for (const { at, byte, remove } of damages) {
    if (out.length === 0) break;
    if (remove) out.splice(at % out.length, 1);
    else out[at % out.length] = byte;
  }
  return Uint8Array.from(out);
}

const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(),
  byte: fc.oneof(fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xff), fc.integer({ min: 0, max: 255 })),
  remove: fc.boolean(),
});

/** Declares the property tests of one codec; `arbitrary` makes canonical values. */
export function codecProperties<T>(name: string, codec: Codec<T>, arbitrary: fc.Arbitrary<T>): void {
  describe(`codec properties of ${name}`, () => {
    it("decodes its own encodings, from a copy and from a view at an offset", () => {
      fc.assert(
        fc.property(arbitrary, (value) => {
          const bytes = encodeWith(codec, value);
          check(bytes.length >= codec.minBytes, "shorter than minBytes");
          check(sameValue(decodeWith(codec, bytes), value), "decodes differently from a copy");
          const view = embed(bytes);
          check(sameValue(decodeWith(codec, view), value), "decodes differently from a view");
          check(
            endOffset(view, (reader) => codec.skip(reader)) === bytes.length,
            "skip does not reach the end",
          );
        }),
        { numRuns: RUNS },
      );
    });

    it("refuses one byte more and any truncation", () => {
      fc.assert(
        fc.property(arbitrary, fc.nat(), (value, at) => {
          const bytes = encodeWith(codec, value);
          const longer = new Uint8Array(bytes.length + 1);
          longer.set(bytes);
          expect(() => decodeWith(codec, longer)).toThrow(BcsError);
          if (bytes.length > 0) checkCut(codec, bytes, at % bytes.length);
        }),
        { numRuns: RUNS },
      );
    });

    it("refuses truncation at every length of some samples", () => {
      for (const value of fc.sample(arbitrary, Math.min(25, RUNS))) {
        const bytes = encodeWith(codec, value);
        for (let length = 0; length < bytes.length; length++) checkCut(codec, bytes, length);
      }
    });

    it("treats random bytes alike when it reads and skips, and encodes the value to the same bytes", () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 96, size: "max" }), (bytes) => checkAnyBytes(codec, bytes)),
        { numRuns: RUNS },
      );
    });

    it("treats damaged encodings alike when it reads and skips, and encodes the value to the same bytes", () => {
      fc.assert(
        fc.property(arbitrary, fc.array(damage, { minLength: 1, maxLength: 3 }), (value, damages) => {
          checkAnyBytes(codec, damaged(encodeWith(codec, value), damages));
        }),
        { numRuns: RUNS },
      );
    });
  });
}
