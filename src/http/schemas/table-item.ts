// The body of a table item request: the types of the table's keys and values, and the key in JSON.
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJson } from "../../json/parse.ts";
import { MoveError } from "../../move/errors.ts";
import type { TypeTag } from "../../move/type-tag.ts";
import { parseTypeTag } from "../../move/type-text.ts";
import { HttpError } from "../errors.ts";
import type { BodyField } from "../operation.ts";
import { assertBodySize } from "./body-size.ts";
import { MOVE_VALUE_SCHEMA } from "./move-type.ts";
import { named } from "./named.ts";

/** A table item request. */
export interface TableItemRequest {
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
export const tableItemBody: BodyField<TableItemRequest> = {
  schema: named("TableItemRequest", {
    type: "object",
    required: ["key_type", "value_type", "key"],
    properties: { key_type: TYPE_SCHEMA, value_type: TYPE_SCHEMA, key: MOVE_VALUE_SCHEMA },
  }),
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
