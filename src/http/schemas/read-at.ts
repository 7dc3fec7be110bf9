// Which state a read is about: `ledger_version`, `at`, or the latest. Every read of state has these two and resolves them here.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { parseTime, TIME_EXPECTED } from "../../base/texts/time-text.ts";
import { type ReadPoint, resolveReadPoint } from "../../ledger/read-point.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { HttpError } from "../errors.ts";
import type { Field, JsonSchema } from "../field.ts";
import { ledgerVersionField } from "./integer.ts";
import { named } from "./named.ts";
import { TIME_PATTERN } from "./patterns.ts";

/** `+02:00` */
const OFFSET_LENGTH = 6;

/** A time of a query. A `+` is a space there unless it is escaped, and offsets of RFC 3339 are pasted as they are. */
export function parseTimeText(text: string, roundsUp = false): bigint {
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
