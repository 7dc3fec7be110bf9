// What tests of generated inputs share.
import fc from "fast-check";

/** How many cases each property test tries: 500 unless SEXTANT_RUNS, or the tier in vitest.config.ts, says otherwise. */
export const RUNS: number = Number(process.env.PROPERTY_RUNS ?? "500");

/** Code points from 0xd800 to 0xdfff are no characters alone. */
const SURROGATES_AT = 0xd800;
const SURROGATES = 0x800;

function toCharacter(place: number): string {
  return String.fromCodePoint(place < SURROGATES_AT ? place : place + SURROGATES);
}

/** Lets the library mix in strings that are known to make trouble. */
function placeOf(character: unknown): number {
  const point = typeof character === "string" ? character.codePointAt(0) : undefined;
  const place = point === undefined || point < SURROGATES_AT ? point : point - SURROGATES;
  if (place === undefined || toCharacter(place) !== character) throw new Error("not one character");
  return place;
}

/** A character of Unicode, often of ASCII. The library's unit "binary" costs a process a second when it is first used. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10_ffff - SURROGATES }))
  .map(toCharacter, placeOf);
