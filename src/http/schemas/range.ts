// Ranges of versions in a query: each end is a version or a time.
import { TIME_EXPECTED } from "../../base/time-text.ts";
import { isReversed, type RangeEnd } from "../../ledger/version-range.ts";
import { HttpError } from "../errors.ts";
import type { Field } from "../operation.ts";
import { ledgerVersionField } from "./integer.ts";
import { parseTimeText, TIME_SCHEMA } from "./read-at.ts";

const EXPECTED = `a version in digits, or ${TIME_EXPECTED} behind an @`;

function parseEnd(text: string, roundsUp: boolean): RangeEnd {
  if (/^\+?\d{1,100}$/.test(text)) return { version: ledgerVersionField.parse(text) };
  if (text.startsWith("@") || text.includes("-")) return { timestampUsec: parseTimeText(text, roundsUp) };
  throw new HttpError("malformed_request", "it is neither; Unix seconds are written as @1767225600");
}

function endField(description: string, roundsUp: boolean): Field<RangeEnd> {
  return {
    schema: TIME_SCHEMA,
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
