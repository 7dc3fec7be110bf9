// Schemas of the explanation of a transaction, and of what can be explained.
import { EXPLAIN_TYPES } from "../../transaction/explain/explain.ts";
import { WARNINGS } from "../../transaction/explain/explanation.ts";
import type { JsonSchema } from "../field.ts";
import type { BodyField } from "../operation.ts";
import { ANSWER_ADDRESS_SCHEMA } from "./address.ts";
import { HEX_BYTES_SCHEMA } from "./hex-bytes.ts";
import { U64_SCHEMA } from "./integer.ts";
import { described, list, named, namedUnion, object } from "./named.ts";
import { SUBMISSION_SCHEMA, unparsedSubmission } from "./submission.ts";

const TEXT: JsonSchema = { type: "string" };
const TYPE_TEXTS: JsonSchema = list(TEXT);

const ARGUMENT: JsonSchema = named("ExplainedArgument", {
  type: "object",
  description: "One argument: its `value` where its type is known and fits, else its `bytes`.",
  properties: {
    name: { ...TEXT, description: "Only for the framework's transfer functions: modules keep no names." },
    type: TEXT,
    value: { description: "In the form that encode_submission accepts." },
    bytes: HEX_BYTES_SCHEMA,
  },
});

const ARGUMENTS: JsonSchema = list(ARGUMENT);

const ENTRY_FUNCTION: JsonSchema = named(
  "ExplainedEntryFunction",
  object({
    type: { type: "string", enum: ["entry_function_payload"] },
    function: { ...TEXT, example: "0x1::aptos_account::transfer" },
    type_arguments: TYPE_TEXTS,
    arguments: ARGUMENTS,
  }),
);

const SCRIPT: JsonSchema = named(
  "ExplainedScript",
  object({
    type: { type: "string", enum: ["script_payload"] },
    code_hash: described(HEX_BYTES_SCHEMA, "SHA3-256 of the bytecode, which is the field `payload.code`."),
    type_arguments: TYPE_TEXTS,
    arguments: ARGUMENTS,
  }),
);

const MULTISIG: JsonSchema = named(
  "ExplainedMultisig",
  object(
    {
      type: { type: "string", enum: ["multisig_payload"] },
      multisig_address: ANSWER_ADDRESS_SCHEMA,
    },
    {
      transaction_payload: namedUnion("ExplainedMultisigCall", "type", {
        entry_function_payload: ENTRY_FUNCTION,
        script_payload: SCRIPT,
      }),
    },
  ),
);

const REPLAY_PROTECTION: JsonSchema = namedUnion("ReplayProtection", "type", {
  sequence_number: named(
    "SequenceNumberProtection",
    object({ type: { type: "string", enum: ["sequence_number"] }, sequence_number: U64_SCHEMA }),
  ),
  nonce: named("NonceProtection", object({ type: { type: "string", enum: ["nonce"] }, nonce: U64_SCHEMA })),
});

const LIMITS: JsonSchema = named("ExplainedLimits", {
  type: "object",
  required: ["backed_by", "execution_multiplier", "io_multiplier"],
  description: "A request for higher limits, and the stake that backs it.",
  properties: {
    backed_by: {
      type: "string",
      enum: ["stake_pool_owner", "delegated_voter", "delegation_pool_delegator"],
    },
    pool: ANSWER_ADDRESS_SCHEMA,
    execution_multiplier: U64_SCHEMA,
    io_multiplier: U64_SCHEMA,
  },
});

const FIELD: JsonSchema = named(
  "ExplainedField",
  object({
    name: { ...TEXT, example: "payload.arguments[0]" },
    value: { ...TEXT, description: "Digits, an address, a name, a type, or bytes in hex." },
    start: { type: "integer", format: "int32", description: "Offset of its first byte." },
    end: { type: "integer", format: "int32", description: "Offset after its last byte." },
  }),
);

const WARNING: JsonSchema = named(
  "ExplainedWarning",
  object({
    code: {
      type: "string",
      enum: Object.keys(WARNINGS),
      description: Object.entries(WARNINGS)
        .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
        .join(" "),
    },
    message: TEXT,
  }),
);

/** Schema of the explanation. */
export const EXPLANATION_SCHEMA: JsonSchema = named("Explanation", {
  type: "object",
  required: [
    "kind",
    "bytes",
    "chain_id",
    "sender",
    "payload",
    "max_gas_amount",
    "gas_unit_price",
    "max_fee",
    "expiration_timestamp_secs",
    "replay_protection",
    "fields",
    "warnings",
    "matches",
  ],
  properties: {
    kind: {
      type: "string",
      enum: ["raw_transaction", "single_signer", "multi_agent", "fee_payer"],
      description: "A raw transaction, or the signing message of one of three forms.",
    },
    bytes: described(HEX_BYTES_SCHEMA, "What is explained; the offsets of the fields count in it."),
    chain_id: { type: "integer", format: "int32" },
    sender: ANSWER_ADDRESS_SCHEMA,
    secondary_signers: list(ANSWER_ADDRESS_SCHEMA),
    fee_payer: { ...ANSWER_ADDRESS_SCHEMA, description: "`0x0` when it is not known yet." },
    payload: namedUnion("ExplainedPayload", "type", {
      entry_function_payload: ENTRY_FUNCTION,
      script_payload: SCRIPT,
      multisig_payload: MULTISIG,
    }),
    limits: LIMITS,
    max_gas_amount: U64_SCHEMA,
    gas_unit_price: U64_SCHEMA,
    max_fee: {
      ...TEXT,
      format: "uint128",
      description: "The most that it can cost: gas times price, in decimal digits.",
      example: "200000",
    },
    expiration_timestamp_secs: U64_SCHEMA,
    expiration: {
      ...TEXT,
      format: "date-time",
      description: "The same as a time; absent after the year 9999.",
    },
    replay_protection: REPLAY_PROTECTION,
    fields: {
      type: "array",
      items: FIELD,
      description: "All of the bytes in order, without gap or overlap.",
    },
    warnings: list(WARNING),
    matches: {
      type: "boolean",
      enum: [true],
      description:
        "The fields, encoded again, gave exactly these bytes. If they do not, the response is 400.",
    },
  },
});

/** Tells the forms of a request apart for typed clients; the server also tells them apart by their other members. */
function typeSchema(type: string): JsonSchema {
  return { type: "string", enum: [type], description: "May be left out." };
}

const MESSAGE: JsonSchema = named("ExplainMessageRequest", {
  type: "object",
  required: ["message"],
  properties: {
    type: typeSchema(EXPLAIN_TYPES.message),
    message: described(HEX_BYTES_SCHEMA, "A signing message, its prefix included."),
  },
});

const RAW_TRANSACTION: JsonSchema = named("ExplainRawTransactionRequest", {
  type: "object",
  required: ["raw_transaction"],
  properties: {
    type: typeSchema(EXPLAIN_TYPES.raw_transaction),
    raw_transaction: described(HEX_BYTES_SCHEMA, "The BCS of a raw transaction."),
  },
});

const ENCODE_REQUEST: JsonSchema = named("ExplainEncodeRequest", {
  ...SUBMISSION_SCHEMA,
  properties: { ...(SUBMISSION_SCHEMA.properties as object), type: typeSchema(EXPLAIN_TYPES.request) },
});

/** What can be explained. */
export const explainBody: BodyField<Uint8Array> = {
  // Without a discriminator, which generators take for one that every request has.
  schema: named("ExplainSubmissionRequest", { oneOf: [MESSAGE, RAW_TRANSACTION, ENCODE_REQUEST] }),
  description:
    "A signing message or a raw transaction of at most 262,144 bytes, or an encode request. At most 1 MiB.",
  // The message that the example of encode_submission gives on a local chain.
  example: {
    type: EXPLAIN_TYPES.message,
    message:
      "0xb5e97db07fa0bd0e5598aa3643a9bc6f6693bddc1a9fec9e674a461eaa00b193000000000000000000000000000000000000000000000000000000000000000100000000000000000200000000000000000000000000000000000000000000000000000000000000010d6170746f735f6163636f756e74087472616e736665720002200000000000000000000000000000000000000000000000000000000000001234080500000000000000d007000000000000640000000000000062a7b18c0700000004",
  },
  parse: unparsedSubmission,
};
