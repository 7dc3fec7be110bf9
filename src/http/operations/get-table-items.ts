// The rows of a table, and how many there are.

import { ConfigError } from "../../base/errors.ts";
import type { Slices } from "../../base/wait.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { tableItemCountRoute, tableItemsRoute } from "../../interface/routes.ts";
import {
  countTableRows,
  readTableRows,
  type TableRow,
  type TableRowsPage,
} from "../../ledger/items/owned-items.ts";
import { timeOf } from "../../ledger/read-point.ts";
import type { Asker } from "../calls/asker.ts";
import { readAtArgs } from "../calls/operands.ts";
import { knownOptions, TABLE_ITEMS_NAMES, type TableItemsOptions } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import type { Field, JsonSchema } from "../field.ts";
import { bcsForm, operation } from "../operation.ts";
import { AnswerText, addHex } from "../printing/answer-text.ts";
import { tableHandleField } from "../schemas/address.ts";
import { HEX_BYTES_SCHEMA } from "../schemas/hex-bytes.ts";
import { countField, ledgerVersionField, U64_SCHEMA } from "../schemas/integer.ts";
import { named, nullableAnswer, object } from "../schemas/named.ts";
import { cursorText, pageCursorField, pageStart } from "../schemas/page-cursor.ts";
import { readAtFields } from "../schemas/read-at.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_IN_FLIGHT = 64;

const ROW_SCHEMA: JsonSchema = named(
  "TableRow",
  object({
    key: { ...HEX_BYTES_SCHEMA, description: "The key's BCS bytes, as `get_raw_table_item` takes them." },
    value: nullableAnswer(
      HEX_BYTES_SCHEMA,
      "The stored bytes; `null` for a row that was deleted after `since`.",
    ),
  }),
);

async function toJson({ rows }: TableRowsPage, slices: Slices): Promise<string | Uint8Array> {
  const out = new AnswerText();
  for (const [i, { key, value }] of rows.entries()) {
    await addHex(out.add(i === 0 ? '[{"key":' : ',{"key":'), key, slices);
    out.add(',"value":');
    if (value === undefined) out.add("null");
    else await addHex(out, value, slices);
    out.add("}");
  }
  return out.add(rows.length === 0 ? "[]" : "]").finish();
}

function toBcs({ rows }: TableRowsPage): Uint8Array {
  const writer = new BcsWriter(4096).uleb(rows.length);
  for (const { key, value } of rows) {
    writer.byteString(key).bool(value !== undefined);
    if (value !== undefined) writer.byteString(value);
  }
  return writer.take();
}

const sinceField: Field<bigint> = {
  ...ledgerVersionField,
  description:
    "Only rows that changed after this version: new and changed ones with their values, deleted ones without.",
  omitExample: true,
};

function assertSince(since: bigint | undefined, version: bigint): void {
  if (since === undefined || since <= version) return;
  const expected = `at most the version that is read at, ${version}`;
  throw new HttpError("invalid_range", `since: expected ${expected}, got ${since}`);
}

const SHARED = {
  switch: "index",
  isPaged: true,
  maxInFlight: MAX_IN_FLIGHT,
  params: { table_handle: tableHandleField },
  errors: ["invalid_range"],
} as const;

export interface TableItemsCall {
  /** The rows of a table at one version, in the order of their key hashes, read page by page as they are taken. */
  tableItems(handle: string, options?: TableItemsOptions): AsyncIterable<TableRow>;
}

function rowArgs(node: Asker, handle: string, options: TableItemsOptions) {
  const { since } = knownOptions(TABLE_ITEMS_NAMES, options);
  if (since !== undefined && typeof since !== "bigint") {
    throw new ConfigError(`since: expected a bigint, got ${typeof since}`);
  }
  return { table_handle: node.args.handle(handle), since, ...readAtArgs(options, TABLE_ITEMS_NAMES) };
}

/** `GET /v1/tables/{table_handle}/items` */
export const getTableItems = operation({
  ...SHARED,
  id: "get_table_items",
  ...tableItemsRoute,
  summary: "Rows of a table",
  description:
    "Keys and values of a table at one version, in the order of the hashes of their state keys. Comes in pages, which all belong to the version of the first: while there is more, `X-NODE-CURSOR` gives the `start` of the next one. A page may hold fewer rows than asked for, even none. A handle that no table has gives no rows. 403 on a node that has no index, 503 while it builds one.",
  query: {
    ...readAtFields,
    since: sinceField,
    limit: countField(1, MAX_LIMIT, DEFAULT_LIMIT, `How many rows at most. ${DEFAULT_LIMIT} when left out.`),
    start: pageCursorField,
  },
  answer: {
    json: {
      schema: { type: "array", maxItems: MAX_LIMIT, items: ROW_SCHEMA },
      description: "The rows, in hex.",
      encode: toJson,
    },
    bcs: bcsForm(
      "A vector of rows, each the key as `vector<u8>` and the value as `Option<vector<u8>>`; none for a row that was deleted after `since`.",
      toBcs,
    ),
  },
  async handle(args, { view }) {
    const { table_handle: handle, since, limit = DEFAULT_LIMIT } = args;
    const { version, timestampUsec, after } = await pageStart(view, args);
    assertSince(since, version);
    const page = await readTableRows(view, { handle, version, since, after, limit });
    return { data: page, version, timestampUsec, cursor: await cursorText(view, version, page.next) };
  },
  calls: (node: Asker): TableItemsCall => ({
    async *tableItems(handle, options = {}) {
      const args = { ...rowArgs(node, handle, options), limit: MAX_LIMIT };
      // The view's bytes go with it.
      const copied = ({ rows }: TableRowsPage): TableRow[] =>
        rows.map(({ key, value }) => ({ key: Uint8Array.from(key), value: value && Uint8Array.from(value) }));
      for await (const rows of node.pages(getTableItems, args, options, copied)) yield* rows;
    },
  }),
});

interface Count {
  readonly version: bigint;
  readonly timestampUsec: bigint;
  readonly count: number;
  readonly isComplete: boolean;
}

const COUNT_SCHEMA: JsonSchema = named(
  "TableRowCount",
  object({
    ledger_version: { ...U64_SCHEMA, description: "The version that was read at." },
    timestamp_usec: { ...U64_SCHEMA, description: "Time of its block, in microseconds." },
    count: { ...U64_SCHEMA, description: "Rows that were counted from `start` on." },
    is_complete: {
      type: "boolean",
      description: "`false`: the table goes on behind the cursor, and its rows there must be added.",
    },
  }),
);

export interface CountTableItemsCall {
  /** How many rows a table has at one version. */
  countTableItems(handle: string, options?: TableItemsOptions): Promise<bigint>;
}

/** `GET /v1/tables/{table_handle}/items/count` */
export const countTableItems = operation({
  ...SHARED,
  id: "count_table_items",
  ...tableItemCountRoute,
  summary: "Number of rows of a table",
  description:
    "Counts the rows of a table at one version. One answer looks at 20,000 rows at most; for a larger table `X-NODE-CURSOR` gives the `start` from which to go on, at the same version, and the numbers are to be added up.",
  query: { ...readAtFields, since: sinceField, start: pageCursorField },
  answer: {
    json: {
      schema: COUNT_SCHEMA,
      description: "The number of rows, as decimal digits.",
      encode: ({ version, timestampUsec, count, isComplete }: Count) =>
        JSON.stringify({
          ledger_version: `${version}`,
          timestamp_usec: `${timestampUsec}`,
          count: `${count}`,
          is_complete: isComplete,
        }),
    },
  },
  async handle(args, { view }) {
    const { table_handle: handle, since } = args;
    const { after, ...point } = await pageStart(view, args);
    const { version } = point;
    assertSince(since, version);
    const { count, next } = await countTableRows(view, { handle, version, since, after });
    const timestampUsec = await timeOf(view, point);
    const data = { version, timestampUsec, count, isComplete: next === undefined };
    return { data, version, timestampUsec, cursor: await cursorText(view, version, next) };
  },
  calls: (node: Asker): CountTableItemsCall => ({
    countTableItems: async (handle, options = {}) => {
      const args = rowArgs(node, handle, options);
      let total = 0n;
      for await (const count of node.pages(countTableItems, args, options, (page) => page.count)) {
        total += BigInt(count);
      }
      return total;
    },
  }),
});
