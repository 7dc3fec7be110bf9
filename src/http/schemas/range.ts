// Ranges of versions in a query: each end is a version or a time.
import { TIME_EXPECTED } from "../../base/texts/time-text.ts";
import { isReversed, type RangeEnd } from "../../ledger/version-range.ts";
import { HttpError } from "../errors.ts";
import type { Field, JsonSchema } from "../field.ts";
import { ledgerVersionField } from "./integer.ts";
import { named } from "./named.ts";
import { RANGE_END_PATTERN } from "./patterns.ts";
import { parseTimeText } from "./read-at.ts";

const EXPECTED = `a version in digits, or ${TIME_EXPECTED} behind an @`;

function parseEnd(text: string, roundsUp: boolean): RangeEnd {
  if (/^\+?\d{1,100}$/.test(text)) return { version: ledgerVersionField.parse(text) };
  if (text.startsWith("@") || text.includes("-")) return { timestampUsec: parseTimeText(text, roundsUp) };
  throw new HttpError("malformed_request", "it is neither; Unix seconds are written as @1767225600");
}

const RANGE_END_SCHEMA: JsonSchema = named("RangeEnd", {
  type: "string",
  pattern: RANGE_END_PATTERN,
  description: "A version in digits, or a time as RFC 3339 or as Unix seconds behind an `@`.",
});

function endField(description: string, roundsUp: boolean): Field<RangeEnd> {
  return {
    schema: RANGE_END_SCHEMA,
    description: `${description} A version in digits, or a time: RFC 3339 such as \`2026-01-31T00:00:00Z\`, or \`@\` and Unix seconds.`,
    example: "0",
    // The beginning is gone once it is pruned.
    omitExample: true,
    expected: EXPECTED,
    parse: (text) => parseEnd(text, roundsUp),
  };
}

/** Where a range begins. */
export const fromField: Field<RangeEnd> = endField(
  "Where the range begins: this version, or the first version whose block is not before this time. If left out, the oldest change that the node still knows.",
  true,
);

/** Where a range ends. */
export const toField: Field<RangeEnd> = endField(
  "Where the range ends: this version, or the last version whose block is not after this time. If left out, the latest version.",
  false,
);

/** Throws HttpError when both ends are of one kind and in the wrong order. */
export function assertOrder(from: RangeEnd | undefined, to: RangeEnd | undefined): void {
  if (isReversed(from, to)) throw new HttpError("invalid_range", "from: expected at most `to`, got more");
}
