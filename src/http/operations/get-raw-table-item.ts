// One table item by handle and serialized key.

import { toPrefixedHex } from "../../base/hex.ts";
import { andThen } from "../../base/maybe-promise.ts";
import { rawItemRoute } from "../../interface/routes.ts";
import { readTableItem } from "../../ledger/table-item.ts";
import { formatAddress } from "../../move/address.ts";
import { HttpError, quoteInput } from "../errors.ts";
import { operation } from "../operation.ts";
import { tableHandleField } from "../schemas/address.ts";
import { HEX_BYTES_SCHEMA } from "../schemas/hex-bytes.ts";
import { ledgerVersionField } from "../schemas/integer.ts";
import { rawTableItemBody } from "../schemas/raw-table-item.ts";

/** `POST /v1/tables/{table_handle}/raw_item` */
export const getRawTableItem = operation({
  id: "get_raw_table_item",
  ...rawItemRoute,
  summary: "Raw table item",
  description:
    "The stored bytes of one table item, by the table's handle and the key's BCS bytes, at the latest or a chosen version.",
  ledger: "required",
  switchable: true,
  params: { table_handle: tableHandleField },
  query: { ledger_version: ledgerVersionField },
  body: rawTableItemBody,
  answer: {
    json: {
      schema: HEX_BYTES_SCHEMA,
      description: "The same bytes as a JSON string in hex.",
      example: "0x00008a5d784563010000000000000000",
      encode: (item: Uint8Array) => `"${toPrefixedHex(item)}"`,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "The stored bytes, verbatim.",
      // Copy: the view's bytes are invalid after release, and the socket may write later.
      encode: (item: Uint8Array) => Buffer.from(item),
    },
  },
  errors: [
    "malformed_request",
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
  handle({ table_handle, ledger_version, body }, { view }) {
    const version = ledger_version ?? view.position.version;
    return andThen(readTableItem(view, table_handle, body, version), (item) => {
      if (item !== undefined) return { data: item, version };
      throw new HttpError(
        "table_item_not_found",
        `no item under table handle ${formatAddress(table_handle)} and key ${quoteInput(toPrefixedHex(body))} at ledger version ${version}`,
      );
    });
  },
});
