// The properties that every codec must have, in one place: call `codecProperties` once per codec.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalBytes } from "../../src/base/bytes.ts";
import { type Codec, decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { BcsError } from "../../src/bcs/errors.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import { RUNS } from "./property.ts";

/** Runs a pass over the bytes: the offset where it ended, or -1 when refused. Foreign errors go through. */
function endOf(bytes: Uint8Array, pass: (reader: BcsReader) => unknown): number {
  const reader = new BcsReader(bytes);
  try {
    pass(reader);
    return reader.offset;
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    const { offset } = error.details;
    if (typeof offset !== "number" || offset > bytes.length)
      throw new Error(`offset of the error: ${offset}`);
    return -1;
  }
}

/** Equal content; byte views, arrays and records are compared part by part. */
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

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Reads and skips the same bytes, which must end alike; what was read must encode back to those bytes. */
function checkAnyBytes<T>(codec: Codec<T>, bytes: Uint8Array): void {
  let again: Uint8Array | undefined;
  const end = endOf(bytes, (reader) => {
    const value = codec.read(reader);
    again = encodeWith(codec, value);
  });
  demand(endOf(bytes, (reader) => codec.skip(reader)) === end, "skip ends where read ends");
  if (end >= 0) demand(again !== undefined && equalBytes(again, bytes.subarray(0, end)), "same bytes back");
}

/** The bytes inside a larger buffer of other content, at an offset that fits no alignment. */
function embed(bytes: Uint8Array): Uint8Array {
  const outer = new Uint8Array(bytes.length + 10).fill(0xa5);
  outer.set(bytes, 3);
  return outer.subarray(3, 3 + bytes.length);
}

function checkCut<T>(codec: Codec<T>, bytes: Uint8Array, length: number): void {
  const cut = bytes.subarray(0, length);
  demand(endOf(cut, (reader) => codec.read(reader)) < 0, `read refuses the first ${length} bytes`);
  demand(endOf(cut, (reader) => codec.skip(reader)) < 0, `skip refuses the first ${length} bytes`);
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

/** Registers the properties of one codec; `arbitrary` makes values in their canonical form. */
export function codecProperties<T>(name: string, codec: Codec<T>, arbitrary: fc.Arbitrary<T>): void {
  describe(`${name}, whatever comes`, () => {
    it("decodes what it encoded, from a copy and from a view at an offset", () => {
      fc.assert(
        fc.property(arbitrary, (value) => {
          const bytes = encodeWith(codec, value);
          demand(bytes.length >= codec.minBytes, "at least minBytes");
          demand(sameValue(decodeWith(codec, bytes), value), "decoded from a copy");
          const view = embed(bytes);
          demand(sameValue(decodeWith(codec, view), value), "decoded from a view");
          demand(endOf(view, (reader) => codec.skip(reader)) === bytes.length, "skipped to the end");
        }),
        { numRuns: RUNS },
      );
    });

    it("refuses a byte more, and a truncation anywhere", () => {
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

    it("refuses truncation at every length", () => {
      for (const value of fc.sample(arbitrary, Math.min(25, RUNS))) {
        const bytes = encodeWith(codec, value);
        for (let length = 0; length < bytes.length; length++) checkCut(codec, bytes, length);
      }
    });

    it("reads or refuses random bytes, skips them alike, and gives the same bytes back", () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 96, size: "max" }), (bytes) => checkAnyBytes(codec, bytes)),
        { numRuns: RUNS },
      );
    });

    it("reads or refuses damaged encodings, skips them alike, and gives the same bytes back", () => {
      fc.assert(
        fc.property(arbitrary, fc.array(damage, { minLength: 1, maxLength: 3 }), (value, damages) => {
          checkAnyBytes(codec, damaged(encodeWith(codec, value), damages));
        }),
        { numRuns: RUNS },
      );
    });
  });
}
