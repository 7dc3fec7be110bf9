// Schema of a module and its ABI.
import type { JsonSchema } from "../field.ts";
import { ANSWER_ADDRESS_SCHEMA } from "./address.ts";
import { HEX_BYTES_SCHEMA } from "./hex-bytes.ts";
import { list, named, object } from "./named.ts";

const NAME_SCHEMA = { type: "string" } as const;
const NAMES_SCHEMA = { type: "array", items: NAME_SCHEMA } as const;
const FLAG_SCHEMA = { type: "boolean" } as const;

const TYPE_PARAMS_SCHEMA = list(named("MoveTypeParam", object({ constraints: NAMES_SCHEMA })));
const FIELDS_SCHEMA = list(named("MoveField", object({ name: NAME_SCHEMA, type: NAME_SCHEMA })));

const FUNCTION_SCHEMA = named(
  "MoveFunction",
  object({
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
  object({
    name: NAME_SCHEMA,
    is_native: FLAG_SCHEMA,
    is_event: FLAG_SCHEMA,
    is_enum: FLAG_SCHEMA,
    abilities: NAMES_SCHEMA,
    generic_type_params: TYPE_PARAMS_SCHEMA,
    fields: FIELDS_SCHEMA,
    variants: list(named("MoveVariant", object({ name: NAME_SCHEMA, fields: FIELDS_SCHEMA }))),
  }),
);

/** A module. */
export const MODULE_SCHEMA: JsonSchema = named(
  "MoveModule",
  object({
    bytecode: HEX_BYTES_SCHEMA,
    abi: named(
      "MoveModuleAbi",
      object({
        address: ANSWER_ADDRESS_SCHEMA,
        name: NAME_SCHEMA,
        friends: NAMES_SCHEMA,
        exposed_functions: list(FUNCTION_SCHEMA),
        structs: list(STRUCT_SCHEMA),
      }),
    ),
  }),
);
