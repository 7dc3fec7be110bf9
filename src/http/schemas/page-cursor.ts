// Cursors of lists that are read at one version: they name the version and mark its history, so that all
// pages of a list belong together.
import { fromHex, toHex } from "../../base/hex.ts";
import type { ReadPoint } from "../../ledger/read-point.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { assertPoint, formatPoint, pointAt, type ResumePoint } from "../../ledger/watch/event-id.ts";
import { HttpError } from "../errors.ts";
import type { Field } from "../field.ts";
import { ledgerVersionField } from "./integer.ts";
import { HISTORY_CURSOR_PATTERN, PAGE_CURSOR_PATTERN } from "./patterns.ts";
import { type ReadAtArgs, readPointOf } from "./read-at.ts";

/** Where a page starts. */
export interface PageCursor extends ResumePoint {
  /** The last place of the page before. */
  readonly after: Uint8Array;
}

/** `start` of a list of changes. */
export const historyCursorField: Field<ResumePoint> = {
  schema: { type: "string", pattern: HISTORY_CURSOR_PATTERN },
  description:
    "The cursor of the previous page; continues after that page in the same range. 404 if the ledger went back behind it since.",
  example: "1",
  omitExample: true,
  expected: "a cursor of an earlier page",
  parse(text) {
    const [, version, mark] = /^(.*)-([0-9a-f]{16})$/.exec(text) ?? [undefined, text];
    return { version: ledgerVersionField.parse(version ?? ""), mark };
  },
};

/** `start` of a list. */
export const pageCursorField: Field<PageCursor> = {
  schema: { type: "string", pattern: PAGE_CURSOR_PATTERN },
  description:
    "The cursor of the page before: the next page, at the version of that page; 404 if the ledger went back behind it since. Excludes `at`, and `ledger_version` of another version.",
  example: `1-${"0".repeat(64)}`,
  omitExample: true,
  expected: "a cursor of an earlier page",
  parse(text) {
    const [, point, place = ""] = /^(.*)-([0-9a-f]{64})$/.exec(text) ?? [];
    const after = fromHex(place);
    if (point === undefined || after === undefined) {
      throw new HttpError("malformed_request", "it is not of the form VERSION-MARK-PLACE");
    }
    return { ...historyCursorField.parse(point), after };
  },
};

/** The cursor of the next page; undefined at the end. */
export async function cursorText(
  view: LedgerView,
  version: bigint,
  next: Uint8Array | undefined,
): Promise<string | undefined> {
  return next && `${formatPoint(await pointAt(view, version))}-${toHex(next)}`;
}

/**
 * The version and place that a page is read at. Throws HttpError for a cursor of another version, and LedgerError
 * `version_not_found` for one of another history.
 */
export async function pageStart(
  view: LedgerView,
  args: ReadAtArgs & { readonly start: PageCursor | undefined },
): Promise<ReadPoint & { readonly after: Uint8Array | undefined }> {
  const { start, at, ledger_version: version } = args;
  if (start === undefined) return { ...(await readPointOf(view, args)), after: undefined };
  if (at !== undefined || (version !== undefined && version !== start.version)) {
    throw new HttpError(
      "malformed_request",
      `start: expected the cursor alone or with ledger_version=${start.version}, which its pages are read at`,
    );
  }
  await assertPoint(view, start);
  return { version: start.version, timestampUsec: undefined, after: start.after };
}
