// Cursors of lists that are read at one version: they name the version, so that all pages of a list belong together.
import { fromHex, toHex } from "../../base/hex.ts";
import type { ReadPoint } from "../../ledger/read-point.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { HttpError } from "../errors.ts";
import type { Field } from "../field.ts";
import { ledgerVersionField } from "./integer.ts";
import { PAGE_CURSOR_PATTERN } from "./patterns.ts";
import { type ReadAtArgs, readPointOf } from "./read-at.ts";

/** Where a page starts. */
export interface PageCursor {
  readonly version: bigint;
  /** The last place of the page before. */
  readonly after: Uint8Array;
}

/** `start` of a list. */
export const pageCursorField: Field<PageCursor> = {
  schema: { type: "string", pattern: PAGE_CURSOR_PATTERN },
  description:
    "The cursor of the page before: the next page, at the version of that page. Excludes `at`, and `ledger_version` of another version.",
  example: `1-${"0".repeat(64)}`,
  omitExample: true,
  expected: "a cursor of an earlier page",
  parse(text) {
    const match = /^([0-9]{1,20})-([0-9a-f]{64})$/.exec(text);
    const after = fromHex(match?.[2] ?? "");
    if (match?.[1] === undefined || after === undefined) {
      throw new HttpError("malformed_request", "it is not of the form VERSION-PLACE");
    }
    return { version: ledgerVersionField.parse(match[1]), after };
  },
};

/** The cursor of the next page; undefined at the end. */
export function cursorText(version: bigint, next: Uint8Array | undefined): string | undefined {
  return next && `${version}-${toHex(next)}`;
}

/** The version and place that a page is read at. Throws HttpError for a cursor of another version. */
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
  return { version: start.version, timestampUsec: undefined, after: start.after };
}
