// Move types and names in paths. Parsing a type costs more than reading a resource of it, so recent ones are kept.
import { RecentTexts } from "../../base/recent.ts";
import { type StructType, structTypeOf } from "../../ledger/items/state-types.ts";
import { isIdentifier, MAX_IDENTIFIER_LENGTH } from "../../move/identifier.ts";
import { parseStructTag } from "../../move/type-text.ts";
import { HttpError } from "../errors.ts";
import type { Field, JsonSchema } from "../field.ts";
import { named } from "./named.ts";
import { STRUCT_TYPE_PATTERN } from "./patterns.ts";

const CACHE_BYTES = 2 ** 20;
/** Bytes of an entry besides its texts and tag: a few objects and a map slot. */
const ENTRY_BYTES = 1024;
const types = new RecentTexts<StructType>((text) => structTypeOf(parseStructTag(text)), {
  maxBytes: CACHE_BYTES,
  sizeOf: (text, type) => ENTRY_BYTES + 2 * text.length + type.bytes.length,
});

/** Schema of a struct type in an answer. */
export const STRUCT_TYPE_SCHEMA: JsonSchema = {
  type: "string",
  description: "A struct type as `address::module::Name<…>`.",
  example: "0x1::account::Account",
};

/** Schema of a Move value, whose form depends on its type. */
export const MOVE_VALUE_SCHEMA: JsonSchema = named("MoveValue", {
  description:
    'A Move value by its type: `u8` to `u32` and `i8` to `i32` are numbers, wider integers decimal strings; addresses have no leading zeros; `vector<u8>` is hex; `String` is text; `Option` is `{"vec": […]}`; structs are objects, and enums objects with `__variant__`.',
});

/** Schema of a struct's fields. */
export const MOVE_STRUCT_SCHEMA: JsonSchema = named("MoveStructValue", {
  type: "object",
  description: "The fields of a struct, each a `MoveValue`.",
  additionalProperties: true,
});

/** The type of a resource. */
export const resourceTypeField: Field<StructType> = {
  schema: { ...STRUCT_TYPE_SCHEMA, format: "struct-type", pattern: STRUCT_TYPE_PATTERN },
  description:
    "The type of the resource as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.",
  example: "0x1::chain_id::ChainId",
  expected: "a struct type such as 0x1::account::Account",
  parse: types.parse,
};

/** The name of a module. */
export const moduleNameField: Field<string> = {
  schema: {
    type: "string",
    pattern: `^(?:[A-Za-z][A-Za-z0-9_$]{0,${MAX_IDENTIFIER_LENGTH - 1}}|[_$][A-Za-z0-9_$]{1,${MAX_IDENTIFIER_LENGTH - 1}})$`,
  },
  description: "The module's name.",
  example: "coin",
  expected: "a Move identifier",
  parse(text) {
    if (text.length <= MAX_IDENTIFIER_LENGTH && isIdentifier(text)) return text;
    throw new HttpError(
      "malformed_request",
      `it is not a letter followed by letters, digits and underscores, or longer than ${MAX_IDENTIFIER_LENGTH}`,
    );
  },
};
