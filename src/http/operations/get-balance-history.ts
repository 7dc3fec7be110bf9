// How a balance changed.

import { ConfigError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { historyRoute } from "../../interface/routes.ts";
import {
  type BalanceChange,
  type HistoryPage,
  readHistoryPage,
  sampleHistory,
  walkHistory,
} from "../../ledger/balances/balance-history.ts";
import { isReversed, resolveRange } from "../../ledger/version-range.ts";
import { withView } from "../../ledger/view.ts";
import { assertPoint, formatPoint, historyOpener, pointAt } from "../../ledger/watch/event-id.ts";
import type { Asker } from "../calls/asker.ts";
import { rangeEnd } from "../calls/operands.ts";
import { HISTORY_NAMES, type HistoryOptions, knownOptions } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import type { JsonSchema } from "../field.ts";
import { operation } from "../operation.ts";
import type { Form } from "../response/negotiation.ts";
import { begun } from "../response/write-pieces.ts";
import { addressField, LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import { AMOUNT_SCHEMA, countField, U64_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";
import { historyCursorField } from "../schemas/page-cursor.ts";
import { assertOrder, fromField, toField } from "../schemas/read-at.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_POINTS = 4000;
/** Histories that are read at once: they take turns, so more would only be slower. */
const MAX_IN_FLIGHT = 64;

const COLUMNS = ["version", "timestamp_usec", "before", "after", "transaction_hash"] as const;
const CSV_END = "\r\n";
const CSV_HEADER = COLUMNS.join(",") + CSV_END;

const CHANGE_SCHEMA: JsonSchema = named("BalanceChange", {
  type: "object",
  required: COLUMNS,
  properties: {
    version: { ...U64_SCHEMA, description: "The version that changed the balance." },
    timestamp_usec: { ...U64_SCHEMA, description: "Time of its block, in microseconds." },
    before: { ...AMOUNT_SCHEMA, description: "The balance at the version before." },
    after: { ...AMOUNT_SCHEMA, description: "The balance at this version." },
    transaction_hash: { ...LONG_ADDRESS_SCHEMA, description: "Hash of the transaction that changed it." },
  },
});

function valuesOf({ version, timestampUsec, before, after, transactionHash }: BalanceChange): string[] {
  return [`${version}`, `${timestampUsec}`, `${before}`, `${after}`, toPrefixedHex(transactionHash)];
}

function toObject(change: BalanceChange): string {
  const values = valuesOf(change);
  return `{${COLUMNS.map((name, i) => `"${name}":"${values[i]}"`).join(",")}}`;
}

/** A line for each change; none of the values needs quoting in CSV. */
function toLines(changes: readonly BalanceChange[], form: Form): string {
  return changes
    .map((change) => (form === "csv" ? valuesOf(change).join(",") + CSV_END : `${toObject(change)}\n`))
    .join("");
}

/** The lines of a walk. */
async function* linesOf(pieces: AsyncIterable<readonly BalanceChange[]>, form: Form): AsyncGenerator<string> {
  if (form === "csv") yield CSV_HEADER;
  for await (const changes of pieces) yield toLines(changes, form);
}

export interface BalanceHistoryCall {
  /** The changes of a balance, oldest first, read piece by piece as they are taken. */
  balanceHistory(address: string, asset: string, options?: HistoryOptions): AsyncIterable<BalanceChange>;
}

/** `GET /v1/accounts/{address}/balance/{asset_type}/history` */
export const getBalanceHistory = operation({
  id: "get_balance_history",
  ...historyRoute,
  summary: "Changes of a balance",
  description:
    "Every change of a balance between two versions or times, oldest first, with the balance before and after it and the transaction. JSON comes in pages: while there are more changes, `X-NODE-CURSOR` gives the `start` of the next page; a page may hold fewer changes than `limit`. CSV and NDJSON are streamed to the end of the range unless `limit` or `points` is given; a stream that fails midway lacks HTTP's final chunk. The change at the oldest kept version is unknown, because the state before it was pruned: the range begins after that version.",
  isPaged: true,
  maxInFlight: MAX_IN_FLIGHT,
  params: { address: addressField, asset_type: assetTypeField },
  query: {
    from: fromField,
    to: toField,
    limit: countField(
      1,
      MAX_LIMIT,
      DEFAULT_LIMIT,
      `Largest number of changes. If left out, ${DEFAULT_LIMIT} in JSON and no limit in CSV and NDJSON.`,
    ),
    start: historyCursorField,
    points: {
      ...countField(
        4,
        MAX_POINTS,
        200,
        "Samples the changes for a chart: divides the range into equal time spans, a quarter as many as this number, and returns the first, last, lowest and highest change of each. Excludes `limit`.",
      ),
      omitExample: true,
    },
  },
  refusedQuery: {
    ledger_version: "name the range by `from` and `to`",
    at: "name the range by `from` and `to`",
  },
  answer: {
    json: {
      schema: { type: "array", maxItems: MAX_POINTS, items: CHANGE_SCHEMA },
      description: "The changes; amounts, versions and times are strings of decimal digits.",
      encode: ({ changes }: HistoryPage) => `[${changes.map(toObject).join(",")}]`,
    },
    csv: {
      schema: { type: "string" },
      description: `A header line and a line for each change: ${COLUMNS.join(", ")}.`,
      encode: ({ changes }: HistoryPage) => CSV_HEADER + toLines(changes, "csv"),
    },
    ndjson: {
      schema: { type: "string" },
      description: "One of the JSON objects on each line.",
      encode: ({ changes }: HistoryPage) => toLines(changes, "ndjson"),
    },
  },
  errors: ["invalid_range", "version_not_found", "version_pruned"],
  async handle(args, { view, ledger, form, isGone }) {
    const { address: owner, asset_type: asset, limit, start: point, points } = args;
    const start = point?.version;
    if (points !== undefined && limit !== undefined) {
      throw new HttpError("malformed_request", "limit, points: expected one of them, got both");
    }
    assertOrder(args.from, args.to);
    if (start !== undefined && args.from !== undefined && isReversed(args.from, { version: start })) {
      throw new HttpError(
        "malformed_request",
        "start: expected a cursor at or after `from`, got an earlier one",
      );
    }
    if (point !== undefined) await assertPoint(view, point);
    // A page goes on where the one before ended, also when the beginning of the range is pruned by now.
    const isNext = start !== undefined && points === undefined;
    const ends = { from: isNext ? { version: start } : args.from, to: args.to };
    const range = await resolveRange(view, ends, isNext ? "start" : "from");
    const query = { owner, asset, ...range };
    if (form !== "json" && limit === undefined && points === undefined) {
      const openView = await historyOpener(ledger, view, range.to);
      const pieces = await begun(walkHistory(openView, query));
      return { stream: linesOf(pieces, form), version: range.to };
    }
    const page =
      points === undefined
        ? await readHistoryPage(view, query, limit ?? DEFAULT_LIMIT)
        : await sampleHistory(view, query, { points, start, isGone });
    const cursor = page.next === undefined ? undefined : formatPoint(await pointAt(view, page.next));
    return { data: page, version: range.to, cursor };
  },
  calls: (node: Asker): BalanceHistoryCall => ({
    async *balanceHistory(address, asset, options = {}) {
      const { points, ...range } = knownOptions(HISTORY_NAMES, options);
      if (points !== undefined && !(Number.isSafeInteger(points) && points >= 4)) {
        throw new ConfigError(`points: expected a whole number from 4 on, got ${points}`);
      }
      const ends = { from: rangeEnd("from", range.from), to: rangeEnd("to", range.to) };
      if (isReversed(ends.from, ends.to)) throw new ConfigError("from: expected at most `to`, got more");
      const pair = { owner: node.args.address(address), asset: node.args.asset(asset) };
      const { query, openView } = await node.withView(async (view) => {
        const query = { ...pair, ...(await resolveRange(view, ends)) };
        return { query, openView: await historyOpener(node, view, query.to) };
      }, options);
      if (points === undefined) {
        for await (const changes of walkHistory(openView, query)) yield* changes;
        return;
      }
      for (let start: bigint | undefined = query.from; start !== undefined; ) {
        const sampling = { points, start, isGone: () => false };
        const page: HistoryPage = await withView(openView(), (view) => sampleHistory(view, query, sampling));
        yield* page.changes;
        start = page.next;
      }
    },
  }),
});
