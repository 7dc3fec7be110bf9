// One table item by the JSON of its key.

import type { Slices } from "../../base/wait.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { tableItemRoute } from "../../interface/routes.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJson } from "../../json/parse.ts";
import type { StateTypes } from "../../ledger/items/state-types.ts";
import { readTableItem } from "../../ledger/items/table-item.ts";
import type { LedgerView } from "../../ledger/view.ts";
import { MoveError } from "../../move/errors.ts";
import { formatTypeTag, type TypeTag } from "../../move/type-tag.ts";
import { parseTypeTag } from "../../move/type-text.ts";
import { writeJsonValue } from "../../move/value-json.ts";
import { ValuePrinter } from "../../move/value-print.ts";
import { type Asker, fromJson, orNone, toBody } from "../calls/asker.ts";
import { readAtArgs } from "../calls/operands.ts";
import { knownOptions, type OptionNames, type ReadOptions } from "../calls/options.ts";
import { assertBodySize, HttpError } from "../errors.ts";
import { type BodyField, encodedAnswer, operation } from "../operation.ts";
import { AnswerText, addPieces } from "../printing/answer-text.ts";
import { MAX_CHARACTERS } from "../printing/move-json.ts";
import { tableHandleField } from "../schemas/address.ts";
import { MOVE_VALUE_SCHEMA } from "../schemas/move-type.ts";
import { named, object } from "../schemas/named.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";
import { itemNotFound } from "./raw-items.ts";

/** A table item request. */
interface TableItemRequest {
  readonly keyType: TypeTag;
  readonly valueType: TypeTag;
  readonly document: JsonDocument;
  /** Tape index of the key. */
  readonly key: number;
}

/** Keys of tables are short: the chain charges for each byte. */
const MAX_BODY_BYTES = 64 * 1024;

const TYPE_SCHEMA = {
  type: "string",
  format: "move-type",
  description: "A Move type such as `u64`, `vector<u8>` or `0x1::string::String`.",
} as const;

function member(document: JsonDocument, name: string): number {
  const value = document.member(document.root, name);
  if (value === ABSENT) {
    throw new HttpError("malformed_request", `body: expected a member "${name}", got an object without it`);
  }
  return value;
}

function typeMember(document: JsonDocument, name: string): TypeTag {
  const value = member(document, name);
  if (document.kind(value) !== "string") {
    throw new HttpError("malformed_request", `${name}: expected a Move type, got ${document.excerpt(value)}`);
  }
  try {
    return parseTypeTag(document.string(value));
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new HttpError("invalid_table_item", `${name}: ${error.message}`, { cause: error });
  }
}

/** Types and key of a table item. */
const tableItemBody: BodyField<TableItemRequest> = {
  schema: named(
    "TableItemRequest",
    object({ key_type: TYPE_SCHEMA, value_type: TYPE_SCHEMA, key: MOVE_VALUE_SCHEMA }),
  ),
  description:
    "The types of the table's keys and values, and the key in JSON. The ledger does not have the types: ask with those of the struct that holds the table.",
  example: { key_type: "0x1::string::String", value_type: "u64", key: "APT" },
  parse(bytes) {
    assertBodySize(bytes, MAX_BODY_BYTES);
    const document = parseJson(bytes);
    if (document.kind(document.root) !== "object") {
      throw new HttpError(
        "malformed_request",
        `body: expected an object, got ${document.excerpt(document.root)}`,
      );
    }
    return {
      keyType: typeMember(document, "key_type"),
      valueType: typeMember(document, "value_type"),
      document,
      key: member(document, "key"),
    };
  },
};

async function encodeKey(
  types: StateTypes,
  view: LedgerView,
  { keyType, document, key }: TableItemRequest,
  version: bigint,
): Promise<Uint8Array> {
  try {
    const layout = await types.layoutOf(view, keyType, version);
    const writer = new BcsWriter(64);
    writeJsonValue(writer, layout, { document, value: key, path: ["key"], takesPrinted: true });
    return writer.take();
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    const message = error.code === "layout" ? `key_type: ${error.message}` : error.message;
    throw new HttpError("invalid_table_item", message, { cause: error });
  }
}

/** Bytes that do not decode are the caller's fault here: it is the caller who says what type they have. */
async function printItem(
  types: StateTypes,
  view: LedgerView,
  { valueType }: TableItemRequest,
  version: bigint,
  item: Uint8Array,
  slices: Slices,
): Promise<string | Uint8Array> {
  try {
    const reader = new BcsReader(item);
    const printer = new ValuePrinter({ enums: "answers", maxCharacters: MAX_CHARACTERS });
    const pieces = printer.pieces(reader, await types.layoutOf(view, valueType, version));
    const text = await addPieces(new AnswerText(), pieces, slices);
    reader.finish();
    return await text.finish();
  } catch (error) {
    if (!(error instanceof MoveError || error instanceof BcsError)) throw error;
    const condition =
      error instanceof MoveError && error.code === "value" ? "unprintable" : "invalid_table_item";
    throw new HttpError(
      condition,
      `value_type: the item is no ${formatTypeTag(valueType)}: ${error.message}`,
      { cause: error },
    );
  }
}

/** Which table item, as `POST …/item` takes it. */
export interface TableItemQuery {
  readonly keyType: string;
  readonly valueType: string;
  /** The key in JSON. */
  readonly key: unknown;
}

const QUERY_NAMES: OptionNames<TableItemQuery> = { keyType: true, valueType: true, key: true };

export interface TableItemCall {
  /** A table item by its key in JSON; undefined if the table has no such item. */
  tableItem(handle: string, item: TableItemQuery, options?: ReadOptions): Promise<unknown>;
}

/** `POST /v1/tables/{table_handle}/item` */
export const getTableItem = operation({
  id: "get_table_item",
  ...tableItemRoute,
  summary: "Table item",
  description:
    "One item of a table by the JSON of its key, at the latest or a chosen version. The request names the types of the table's keys and values, and both are taken as given: a wrong key type finds nothing, a wrong value type gives another value or none.",
  params: { table_handle: tableHandleField },
  query: { ...readAtFields },
  body: tableItemBody,
  answer: encodedAnswer(
    { schema: MOVE_VALUE_SCHEMA, description: "The item by its type." },
    "The stored bytes, verbatim.",
  ),
  errors: ["invalid_table_item", "unprintable", "table_item_not_found"],
  async handle(args, { view, services: { types }, form, slices }) {
    const { table_handle: handle, body } = args;
    const { version, timestampUsec } = await readPointOf(view, args);
    const key = await encodeKey(types, view, body, version);
    const item = await readTableItem(view, handle, key, version);
    if (item === undefined) throw itemNotFound({ handle, key }, version);
    // Copy: the view's bytes are invalid after release, and the socket may write later.
    const data =
      form === "bcs" ? Buffer.from(item) : await printItem(types, view, body, version, item, slices);
    return { data, version, timestampUsec };
  },
  calls: (node: Asker): TableItemCall => ({
    tableItem: async (handle, item, options = {}) => {
      const { keyType: key_type, valueType: value_type, key } = knownOptions(QUERY_NAMES, item, "item");
      const body = await tableItemBody.parse(toBody({ key_type, value_type, key }));
      const args = { table_handle: node.args.handle(handle), body, ...readAtArgs(options) };
      return orNone("table_item_not_found", node.run(getTableItem, args, options, fromJson));
    },
  }),
});
