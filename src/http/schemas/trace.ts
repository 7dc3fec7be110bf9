// Schemas of traces.
import type { JsonSchema } from "../field.ts";
import { ANSWER_ADDRESS_SCHEMA } from "./address.ts";
import { U64_SCHEMA } from "./integer.ts";
import { MOVE_VALUE_SCHEMA } from "./move-type.ts";
import { list, named, object, type Properties } from "./named.ts";

const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;

const VALUE_SCHEMA = named("TracedValue", {
  ...object(
    { type: TEXT },
    {
      value: MOVE_VALUE_SCHEMA,
      bytes: { ...TEXT, description: "BCS in hex of a value whose type is not on the ledger." },
      omitted: { ...FLAG, description: "True for a value that is too long, or has no BCS." },
    },
  ),
  description: "A value; of a reference, what it refers to.",
});

const ITEM_SCHEMA = named(
  "TracedItem",
  object({
    kind: { type: "string", enum: ["resource", "table_item"] },
    owner: { ...ANSWER_ADDRESS_SCHEMA, description: "The account, or the handle of the table." },
    key: { ...TEXT, description: "The type of the resource, or the key of the item: BCS in hex." },
  }),
);

const CALL_SCHEMA = named(
  "TracedCall",
  object(
    {
      depth: { type: "integer", minimum: 0, description: "0 for a call of the chain itself." },
      function: TEXT,
      type_arguments: list(TEXT),
      arguments: list(VALUE_SCHEMA),
      gas_used: {
        ...U64_SCHEMA,
        description: "With that of its own calls. In parts of a unit: `gas_scaling` of them are one.",
      },
      reads: { ...list(ITEM_SCHEMA), description: "Items that it was the first to use, in its session." },
      writes: { ...list(ITEM_SCHEMA), description: "Items that it was the first to change." },
      events: list(VALUE_SCHEMA),
      aborted: { ...FLAG, description: "True if a fault ended it." },
    },
    { omitted: { ...U64_SCHEMA, description: "Entries of its lists that are left out." } },
  ),
);

const FAULT_SCHEMA = named(
  "TracedFault",
  object(
    { status: { ...TEXT, description: "The name of the chain's status." }, description: TEXT },
    {
      location: { ...TEXT, description: "The module, or `script`." },
      function: TEXT,
      code_offset: { type: "integer", minimum: 0, description: "The instruction." },
      abort_code: U64_SCHEMA,
      reason_name: { ...TEXT, description: "The name that the module has for the abort code." },
    },
  ),
);

const REQUIRED: Properties = {
  success: FLAG,
  vm_status: TEXT,
  gas_used: U64_SCHEMA,
  gas_scaling: { ...U64_SCHEMA, description: "Parts of a unit of gas." },
  calls: list(CALL_SCHEMA),
  omitted_calls: U64_SCHEMA,
};
const OPTIONAL: Properties = { fault: FAULT_SCHEMA };

export const TRACE_SCHEMA: JsonSchema = named("TransactionTrace", object(REQUIRED, OPTIONAL));

export const REPLAY_SCHEMA: JsonSchema = named(
  "CommittedTrace",
  object({ version: U64_SCHEMA, ...REQUIRED }, { matches_ledger: FLAG, ...OPTIONAL }),
);
