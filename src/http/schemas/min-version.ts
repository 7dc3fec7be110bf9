// The least version of a read, and how long it waits for it. Every operation that needs the ledger takes both.
import { MAX_WAIT_MS, type MinVersion } from "../../ledger/watch/min-version.ts";
import { HttpError } from "../errors.ts";
import type { Field, ParsedArgs } from "../field.ts";
import { countField, ledgerVersionField } from "./integer.ts";

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
