// Which state a read is about: `ledger_version`, `at`, or the latest, which the operations resolve here; the least version
// that it needs; and ranges of versions.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { parseTime, TIME_EXPECTED } from "../../base/texts/time-text.ts";
import { type ReadPoint, resolveReadPoint } from "../../ledger/read-point.ts";
import { isReversed, type RangeEnd } from "../../ledger/version-range.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { MAX_WAIT_MS, type MinVersion } from "../../ledger/watch/head-watch.ts";
import { HttpError } from "../errors.ts";
import type { Field, JsonSchema, ParsedArgs } from "../field.ts";
import { countField, ledgerVersionField } from "./integer.ts";
import { named } from "./named.ts";
import { RANGE_END_PATTERN, TIME_PATTERN } from "./patterns.ts";

const minLedgerVersionField: Field<bigint> = {
  ...ledgerVersionField,
  description:
    "Answers only once the ledger is at this version: pass the version of your own write to read it. A node that is behind waits up to `wait_ms`, then answers 503 and tells in `versions_behind` how far behind it is.",
};

/** Both, as parameters of a query. */
export const minVersionFields = {
  min_ledger_version: minLedgerVersionField,
  wait_ms: countField(
    0,
    MAX_WAIT_MS,
    1000,
    "With `min_ledger_version`: how many milliseconds to wait for it. 0, no wait, when left out.",
  ),
} as const;

/** What a request asks for; undefined if it asks for nothing. */
export function minVersionOf(args: ParsedArgs): MinVersion | undefined {
  // The fields above made these values.
  const version = args.min_ledger_version as bigint | undefined;
  const waitMs = args.wait_ms as number | undefined;
  if (version !== undefined) return { version, waitMs: waitMs ?? 0 };
  if (waitMs === undefined) return undefined;
  throw new HttpError(
    "malformed_request",
    "wait_ms: expected together with min_ledger_version, got it alone",
  );
}

/** `+02:00` */
const OFFSET_LENGTH = 6;

/** A time of a query. A `+` is a space there unless it is escaped, and offsets of RFC 3339 are pasted as they are. */
function parseTimeText(text: string, roundsUp = false): bigint {
  const isUnescaped = text.at(-OFFSET_LENGTH) === " ";
  const escaped = isUnescaped ? `${text.slice(0, -OFFSET_LENGTH)}+${text.slice(1 - OFFSET_LENGTH)}` : text;
  return parseTime(escaped, roundsUp);
}

/** Schema of a time. */
export const TIME_SCHEMA: JsonSchema = named("Time", {
  type: "string",
  pattern: TIME_PATTERN,
  description: "A time as RFC 3339, or Unix seconds.",
});

/** The time to read at. */
const atField: Field<bigint> = {
  schema: TIME_SCHEMA,
  description:
    "Instead of `ledger_version`: the time to read at, as RFC 3339 such as `2026-01-31T00:00:00Z` or as Unix seconds, with up to 9 decimals. Reads the last version whose block time is not after it; `X-NODE-READ-VERSION` and `X-NODE-READ-TIMESTAMPUSEC` name it and its block's time.",
  example: "2026-01-31T00:00:00Z",
  // No fixed time is inside the window of every ledger, and it excludes `ledger_version`.
  omitExample: true,
  expected: TIME_EXPECTED,
  parse: (text) => parseTimeText(text),
};

/** Both, as parameters of a query. */
export const readAtFields = { ledger_version: ledgerVersionField, at: atField } as const;

/** What was given of both. */
export interface ReadAtArgs {
  readonly ledger_version: bigint | undefined;
  /** Microseconds since 1970. */
  readonly at: bigint | undefined;
}

/** The version to read at. Throws HttpError when both are given, and as `resolveReadPoint`. */
export function readPointOf(view: LedgerView, { ledger_version, at }: ReadAtArgs): MaybePromise<ReadPoint> {
  if (ledger_version !== undefined && at !== undefined) {
    throw new HttpError("malformed_request", "ledger_version, at: expected one of them, got both");
  }
  return resolveReadPoint(view, { version: ledger_version, timestampUsec: at });
}

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
