// Schema of a module and its ABI.
import type { JsonSchema } from "../field.ts";
import { ANSWER_ADDRESS_SCHEMA } from "./address.ts";
import { HEX_BYTES_SCHEMA } from "./hex-bytes.ts";
import { named } from "./named.ts";

const NAME_SCHEMA = { type: "string" } as const;
const NAMES_SCHEMA = { type: "array", items: NAME_SCHEMA } as const;
const FLAG_SCHEMA = { type: "boolean" } as const;

/** An object that has all of its properties. */
function whole(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "object", required: Object.keys(properties), properties };
}

const TYPE_PARAMS_SCHEMA = {
  type: "array",
  items: named("MoveTypeParam", whole({ constraints: NAMES_SCHEMA })),
};
const FIELDS_SCHEMA = {
  type: "array",
  items: named("MoveField", whole({ name: NAME_SCHEMA, type: NAME_SCHEMA })),
};

const FUNCTION_SCHEMA = named(
  "MoveFunction",
  whole({
    name: NAME_SCHEMA,
    visibility: { type: "string", enum: ["private", "public", "friend"] },
    is_entry: FLAG_SCHEMA,
    is_view: FLAG_SCHEMA,
    generic_type_params: TYPE_PARAMS_SCHEMA,
    params: NAMES_SCHEMA,
    return: NAMES_SCHEMA,
  }),
);

const STRUCT_SCHEMA = named(
  "MoveStruct",
  whole({
    name: NAME_SCHEMA,
    is_native: FLAG_SCHEMA,
    is_event: FLAG_SCHEMA,
    is_enum: FLAG_SCHEMA,
    abilities: NAMES_SCHEMA,
    generic_type_params: TYPE_PARAMS_SCHEMA,
    fields: FIELDS_SCHEMA,
    variants: {
      type: "array",
      items: named("MoveVariant", whole({ name: NAME_SCHEMA, fields: FIELDS_SCHEMA })),
    },
  }),
);

/** A module. */
export const MODULE_SCHEMA: JsonSchema = named(
  "MoveModule",
  whole({
    bytecode: HEX_BYTES_SCHEMA,
    abi: named(
      "MoveModuleAbi",
      whole({
        address: ANSWER_ADDRESS_SCHEMA,
        name: NAME_SCHEMA,
        friends: NAMES_SCHEMA,
        exposed_functions: { type: "array", items: FUNCTION_SCHEMA },
        structs: { type: "array", items: STRUCT_SCHEMA },
      }),
    ),
  }),
);
