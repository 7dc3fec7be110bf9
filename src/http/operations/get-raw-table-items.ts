// Many table items at one version.
import type { CodedError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { rawItemsRoute } from "../../interface/routes.ts";
import { timeOf } from "../../ledger/read-point.ts";
import { readTableItems, type TableQuery, UNREAD } from "../../ledger/table-item.ts";
import { HttpError } from "../errors.ts";
import { operation, parseField } from "../operation.ts";
import { tableHandleField } from "../schemas/address.ts";
import {
  askable,
  batchAnswerSchema,
  batchBody,
  inOrder,
  itemErrorJson,
  readAtOf,
  resultSchema,
  writeItemError,
} from "../schemas/batch.ts";
import { HEX_BYTES_SCHEMA, parseHexBytes } from "../schemas/hex-bytes.ts";
import { named } from "../schemas/named.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";
import { itemNotFound } from "./get-raw-table-item.ts";

/** Bytes of all items of one answer; hex takes twice as many. */
const MAX_ITEMS_BYTES = 8 * 1024 * 1024;

interface TableItems {
  readonly version: bigint;
  readonly timestampUsec: bigint;
  readonly items: readonly (Uint8Array | CodedError)[];
}

const itemsBody = batchBody<TableQuery, "table_handle" | "key">({
  name: "TableItemsRequest",
  description:
    "Up to 1,000 pairs of a table and a key, and the version or the time to read all of them at. At most 1 MiB.",
  query: named("TableItemQuery", {
    type: "object",
    required: ["table_handle", "key"],
    additionalProperties: false,
    properties: {
      table_handle: { type: "string", description: tableHandleField.description },
      key: { type: "string", description: "The BCS bytes of the key in hex, with or without `0x`." },
    },
  }),
  members: ["table_handle", "key"],
  hasTotals: false,
  example: {
    queries: [{ table_handle: tableHandleField.example, key: "0x03415054" }],
  },
  parse: ({ table_handle, key }) => ({
    handle: parseField("table_handle", tableHandleField, table_handle),
    key: parseHexBytes("key", key),
  }),
});

function toJson({ version, timestampUsec, items }: TableItems): string {
  const list = items.map((one) =>
    one instanceof Uint8Array ? `{"value":"${toPrefixedHex(one)}"}` : itemErrorJson(one),
  );
  return `{"ledger_version":"${version}","timestamp_usec":"${timestampUsec}","items":[${list.join(",")}]}`;
}

function toBcs({ version, timestampUsec, items }: TableItems): Uint8Array {
  const writer = new BcsWriter().u64(version).u64(timestampUsec).uleb(items.length);
  for (const one of items) {
    if (one instanceof Uint8Array) writer.uleb(0).byteString(one);
    else writeItemError(writer, one);
  }
  return writer.take();
}

/** `POST /v1/tables/raw_items` */
export const getRawTableItems = operation({
  id: "get_raw_table_items",
  ...rawItemsRoute,
  summary: "Many raw table items at one version",
  description:
    "The stored bytes of up to 1,000 table items, all read at one version: the latest, a given version, or the version at a given time. Results are in the order of the queries; a query that fails, or whose item does not exist, has its error in its place. One response holds at most 8 MiB of items.",
  ledger: "required",
  switchable: true,
  params: {},
  query: readAtFields,
  body: itemsBody,
  answer: {
    json: {
      schema: batchAnswerSchema(
        "TableItems",
        "items",
        resultSchema("TableItemResult", "value", HEX_BYTES_SCHEMA),
      ),
      description: "Version, block time and the items; bytes are in hex.",
      example: {
        ledger_version: "1200",
        timestamp_usec: "1767225600000000",
        items: [{ value: "0x00e1f50500000000" }],
      },
      encode: toJson,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description:
        "A struct: u64 version, u64 block time in microseconds, and a vector of results. A result is an enum: 0 with a `vector<u8>`, or 1 with two strings, message and error code.",
      encode: toBcs,
    },
  },
  errors: [
    "malformed_request",
    "answer_too_large",
    "disabled",
    "version_not_found",
    "table_item_not_found",
    "version_pruned",
    "body_too_large",
    "unsupported_media_type",
    "internal",
    "unavailable",
    "overloaded",
  ],
  async handle({ body, ...query }, { view }) {
    const point = await readPointOf(view, readAtOf(query, body));
    const { version } = point;
    const asked = askable(body.queries);
    const found = await readTableItems(view, asked, version, MAX_ITEMS_BYTES);
    const answers = asked.map((one, i) => {
      const item = found[i];
      if (item === undefined) return itemNotFound(one, version);
      return item === UNREAD
        ? new HttpError(
            "answer_too_large",
            `the items before this one fill a response of ${MAX_ITEMS_BYTES} bytes`,
          )
        : item;
    });
    const timestampUsec = await timeOf(view, point);
    return {
      data: { version, timestampUsec, items: inOrder(body.queries, answers) },
      version,
      timestampUsec,
    };
  },
});
