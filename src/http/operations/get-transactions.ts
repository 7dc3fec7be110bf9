// Pages of records, for nodes that follow this one.
import { concatBytes } from "../../base/bytes.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { transactionsRoute } from "../../interface/routes.ts";
import type { StoredRecord } from "../../ledger/view.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { limitField, startField } from "../schemas/integer.ts";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;
/** Most bytes of a page, so that a few requests cannot hold much memory; a single record may be larger. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

function encodePage(records: readonly StoredRecord[]): Uint8Array {
  const count = new BcsWriter(16).uleb(records.length).take();
  return concatBytes(count, ...records.map((record) => record.bytes));
}

function lastPageStart(head: bigint, oldest: bigint, count: number): bigint {
  return head - oldest < BigInt(count) ? oldest : head - BigInt(count - 1);
}

/** `GET /v1/transactions` */
export const getTransactions = operation({
  id: "get_transactions",
  ...transactionsRoute,
  summary: "Records of a range of versions",
  description:
    "Consecutive records, each with its transaction, info, events, accumulator root and changes, as another node needs them to follow and verify. In BCS only. A page may hold fewer records than asked for.",
  ledger: "required",
  switchable: true,
  params: {},
  query: { start: startField, limit: limitField },
  answer: {
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "A BCS vector of records.",
      encode: encodePage,
    },
  },
  errors: [
    "malformed_request",
    "invalid_page",
    "disabled",
    "version_pruned",
    "internal",
    "unavailable",
    "overloaded",
  ],
  async handle({ start, limit = DEFAULT_LIMIT }, { view }) {
    const { version: head, oldestVersion } = view.position;
    if (limit === 0) throw new HttpError("invalid_page", "limit: expected at least 1, got 0");
    const count = Math.min(limit, MAX_LIMIT);
    const first = start ?? lastPageStart(head, oldestVersion, count);
    if (first > head) {
      throw new HttpError("invalid_page", `start: expected at most the latest version ${head}, got ${first}`);
    }
    return { data: await view.getRecords(first, count, MAX_PAGE_BYTES), version: undefined };
  },
});
