// Many table items at one version.

import { rawItemsRoute } from "../../interface/routes.ts";
import { readTableItems, UNREAD } from "../../ledger/items/table-item.ts";
import { toBytes } from "../calls/operands.ts";
import type { ReadOptions } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { parseField } from "../field.ts";
import { tableHandleField } from "../schemas/address.ts";
import { HEX_BYTES_SCHEMA, parseHexField } from "../schemas/hex-bytes.ts";
import { named } from "../schemas/named.ts";
import { itemNotFound } from "./raw-items.ts";
import { askMany, type BatchAnswer, batchOperation } from "./shared/batch-operation.ts";

/** Bytes of all items of one answer; hex takes twice as many. */
const MAX_ITEMS_BYTES = 8 * 1024 * 1024;

function unread(): HttpError {
  return new HttpError(
    "answer_too_large",
    `the items before this one fill a response of ${MAX_ITEMS_BYTES} bytes`,
  );
}

export interface RawItemsCall {
  /** Many table items at one version; undefined where there is none. */
  rawItems(
    items: readonly { readonly handle: string; readonly key: string | Uint8Array }[],
    options?: ReadOptions,
  ): Promise<BatchAnswer<Uint8Array | undefined>>;
}

/** `POST /v1/tables/raw_items` */
export const getRawTableItems = batchOperation({
  id: "get_raw_table_items",
  route: rawItemsRoute,
  summary: "Many raw table items at one version",
  description:
    "The stored bytes of up to 1,000 table items, all read at one version: the latest, a given version, or the version at a given time. Results are in the order of the queries; a query that fails, or whose item does not exist, has its error in its place. One response holds at most 8 MiB of items.",
  body: {
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
    example: {
      queries: [{ table_handle: tableHandleField.example, key: "0x03415054" }],
    },
    parse: (handle, key) => ({
      handle: parseField("table_handle", tableHandleField, handle),
      key: parseHexField("key", key),
    }),
  },
  answer: {
    name: "TableItems",
    member: "items",
    description: "Version, block time and the items; bytes are in hex.",
    example: {
      ledger_version: "1200",
      timestamp_usec: "1767225600000000",
      items: [{ value: "0x00e1f50500000000" }],
    },
    bcsDescription:
      "A struct: u64 version, u64 block time in microseconds, and a vector of results. A result is an enum: 0 with a `vector<u8>`, or 1 with two strings, message and error code.",
  },
  result: {
    name: "TableItemResult",
    member: "value",
    schema: HEX_BYTES_SCHEMA,
    write: (writer, item: Uint8Array) => writer.byteString(item),
  },
  errors: ["answer_too_large", "table_item_not_found"],
  read: async (view, queries, version, slices) => {
    const found = await readTableItems(view, queries, version, MAX_ITEMS_BYTES);
    // An error takes much longer to make than an item to read.
    const results: (Uint8Array | HttpError)[] = [];
    for (const [i, one] of queries.entries()) {
      const item = found[i];
      if (item === undefined) results.push(itemNotFound(one, version));
      else if (item === UNREAD) results.push(unread());
      else results.push(item);
      const pause = slices.pause();
      if (pause !== undefined) await pause;
    }
    return results;
  },
  calls: (node): RawItemsCall => ({
    rawItems: async (items, options = {}) =>
      askMany(
        node,
        "items",
        items,
        options,
        ({ handle, key }) => ({ handle: node.args.handle(handle), key: toBytes(key) }),
        async (view, queries, version) => {
          const found = await readTableItems(view, queries, version, Number.POSITIVE_INFINITY);
          // The view's bytes go with it.
          return found.map((item) => (item instanceof Uint8Array ? Uint8Array.from(item) : undefined));
        },
      ),
  }),
});
