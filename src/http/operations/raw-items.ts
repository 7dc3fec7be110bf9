// One state item as it is stored: of a table by handle and serialized key, or by its state key, as nodes ask each other.
import { toPrefixedHex } from "../../base/hex.ts";
import { andThen } from "../../base/maybe-promise.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { rawItemRoute, rawStateValueRoute } from "../../interface/routes.ts";
import { stateKeyCodec } from "../../ledger/formats/state-key.ts";
import { readTableItem, type TableQuery } from "../../ledger/items/table-item.ts";
import { keyHashOfBcs } from "../../ledger/key-hash.ts";
import { formatAddress } from "../../move/address.ts";
import { type Asker, orNone } from "../calls/asker.ts";
import { readAtArgs, toBytes } from "../calls/operands.ts";
import type { ReadOptions } from "../calls/options.ts";
import { HttpError, quoteInput } from "../errors.ts";
import { bcsForm, operation } from "../operation.ts";
import { hexText } from "../printing/answer-text.ts";
import { tableHandleField } from "../schemas/address.ts";
import { HEX_BYTES_SCHEMA } from "../schemas/hex-bytes.ts";
import { rawStateValueBody, rawTableItemBody } from "../schemas/raw-table-item.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";

/** Longer keys are cut off in messages anyway. */
const MAX_SHOWN_KEY_BYTES = 256;

/** Says that a table has no such item. */
export function itemNotFound({ handle, key }: TableQuery, version: bigint): HttpError {
  return new HttpError(
    "table_item_not_found",
    `no item under table handle ${formatAddress(handle)} and key ${quoteInput(toPrefixedHex(key.subarray(0, MAX_SHOWN_KEY_BYTES)))} at ledger version ${version}`,
  );
}

export interface RawItemCall {
  /** The stored bytes of a table item, by handle and serialized key; undefined if the table has no such item. */
  rawItem(handle: string, key: string | Uint8Array, options?: ReadOptions): Promise<Uint8Array | undefined>;
}

/** `POST /v1/tables/{table_handle}/raw_item` */
export const getRawTableItem = operation({
  id: "get_raw_table_item",
  ...rawItemRoute,
  summary: "Raw table item",
  description:
    "The stored bytes of one table item, by the table's handle and the key's BCS bytes, at the latest or a chosen version.",
  params: { table_handle: tableHandleField },
  query: { ...readAtFields },
  body: rawTableItemBody,
  answer: {
    json: {
      schema: HEX_BYTES_SCHEMA,
      description: "The same bytes as a JSON string in hex.",
      example: "0x00e1f50500000000",
      encode: hexText,
    },
    bcs: bcsForm(
      "The stored bytes, verbatim.",
      // Copy: the view's bytes are invalid after release, and the socket may write later.
      (item: Uint8Array) => Buffer.from(item),
    ),
  },
  errors: ["table_item_not_found"],
  handle(args, { view }) {
    const { table_handle: handle, body: key } = args;
    return andThen(readPointOf(view, args), ({ version, timestampUsec }) =>
      andThen(readTableItem(view, handle, key, version), (item) => {
        if (item !== undefined) return { data: item, version, timestampUsec };
        throw itemNotFound({ handle, key }, version);
      }),
    );
  },
  calls: (node: Asker): RawItemCall => ({
    rawItem: async (handle, key, options = {}) => {
      const at = readAtArgs(options);
      const args = { table_handle: node.args.handle(handle), body: toBytes(key), ...at };
      const found = node.run(getRawTableItem, args, options, (item) => new Uint8Array(item));
      return orNone("table_item_not_found", found);
    },
  }),
});

function assertStateKey(bytes: Uint8Array): void {
  try {
    decodeWith(stateKeyCodec, bytes);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new HttpError("malformed_request", `key: expected BCS of a state key: ${error.message}`, {
      cause: error,
    });
  }
}

/** `POST /v1/experimental/state_values/raw` */
export const getRawStateValue = operation({
  id: "get_raw_state_value",
  ...rawStateValueRoute,
  summary: "Raw state value",
  description:
    "The stored value of one state key with its metadata, at the latest or a chosen version, as another node needs it. In BCS only.",
  query: { ...readAtFields },
  body: rawStateValueBody,
  answer: {
    bcs: bcsForm(
      "BCS of the state value.",
      // Copy: the view's bytes are invalid after release, and the socket may write later.
      (value: Uint8Array) => Buffer.from(value),
    ),
  },
  errors: ["state_value_not_found"],
  async handle({ body, ...at }, { view }) {
    assertStateKey(body);
    const { version, timestampUsec } = await readPointOf(view, at);
    const [item] = await view.getItems([keyHashOfBcs(body, view.keyTrace)], version);
    if (item?.value === undefined) {
      throw new HttpError("state_value_not_found", `no value under this key at ledger version ${version}`);
    }
    return { data: item.value, version, timestampUsec };
  },
});
