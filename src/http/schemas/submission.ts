// Schemas of the encode request. They document the body; the encoder itself parses it.
import { MAX_SECONDARY_SIGNERS } from "../../transaction/requests/request.ts";
import { assertBodySize } from "../errors.ts";
import type { JsonSchema } from "../field.ts";
import type { BodyField } from "../operation.ts";
import type { SubmissionBody } from "../services.ts";
import { ADDRESS_SCHEMA } from "./address.ts";
import { HEX_BYTES_SCHEMA } from "./hex-bytes.ts";
import { U64_REQUEST_SCHEMA } from "./integer.ts";
import { described, list, named, namedUnion, nullable, object } from "./named.ts";
import { FUNCTION_PATTERN } from "./patterns.ts";

const TYPE_ARGUMENTS: JsonSchema = {
  type: "array",
  items: { type: "string" },
  description: "Type arguments, such as `0x1::aptos_coin::AptosCoin`.",
};

const ARGUMENTS: JsonSchema = {
  type: "array",
  items: {},
  description: "Arguments without the signers; u64 and wider as strings, `vector<u8>` as hex.",
};

const ENTRY_FUNCTION: JsonSchema = named(
  "EntryFunctionPayload",
  object({
    type: { type: "string", enum: ["entry_function_payload"] },
    function: {
      type: "string",
      pattern: FUNCTION_PATTERN,
      description: "`address::module::function`; names are case-sensitive.",
      example: "0x1::aptos_account::transfer",
    },
    type_arguments: TYPE_ARGUMENTS,
    arguments: ARGUMENTS,
  }),
);

const ABI: JsonSchema = named(
  "MoveFunction",
  object({
    name: { type: "string" },
    visibility: { type: "string", enum: ["private", "public", "friend"] },
    is_entry: { type: "boolean" },
    is_view: { type: "boolean" },
    generic_type_params: list(
      named(
        "MoveTypeParameter",
        object({
          constraints: {
            type: "array",
            items: { type: "string", enum: ["copy", "drop", "store", "key"] },
          },
        }),
      ),
    ),
    params: list({ type: "string" }),
    return: list({ type: "string" }),
  }),
);

const SCRIPT: JsonSchema = named(
  "ScriptPayload",
  object({
    type: { type: "string", enum: ["script_payload"] },
    code: named("ScriptCode", {
      ...object(
        {
          bytecode: HEX_BYTES_SCHEMA,
        },
        {
          abi: named("ScriptAbi", nullable(ABI, "The script's signature, as a compiler gives it.")),
        },
      ),
      description: "The script. Parameter types come from `abi` when it is given, else from the bytecode.",
    }),
    type_arguments: TYPE_ARGUMENTS,
    arguments: ARGUMENTS,
  }),
);

const MULTISIG_CALL: JsonSchema = named("MultisigTransactionPayload", {
  ...namedUnion("", "type", { entry_function_payload: ENTRY_FUNCTION, script_payload: SCRIPT }),
  nullable: true,
  description: "What the account is to run. Without it: what the account has stored.",
});

const MULTISIG: JsonSchema = named(
  "MultisigPayload",
  object(
    {
      type: { type: "string", enum: ["multisig_payload"] },
      multisig_address: ADDRESS_SCHEMA,
    },
    {
      transaction_payload: MULTISIG_CALL,
    },
  ),
);

const PAYLOAD: JsonSchema = namedUnion("TransactionPayload", "type", {
  entry_function_payload: ENTRY_FUNCTION,
  script_payload: SCRIPT,
  multisig_payload: MULTISIG,
});

/** Schema of the encode request. */
export const SUBMISSION_SCHEMA: JsonSchema = named("EncodeSubmissionRequest", {
  type: "object",
  required: ["sender", "max_gas_amount", "gas_unit_price", "expiration_timestamp_secs", "payload"],
  properties: {
    sender: ADDRESS_SCHEMA,
    sequence_number: nullable(
      U64_REQUEST_SCHEMA,
      "The sender's sequence number. May be left out when `replay_protection_nonce` is given.",
    ),
    max_gas_amount: U64_REQUEST_SCHEMA,
    gas_unit_price: U64_REQUEST_SCHEMA,
    expiration_timestamp_secs: described(U64_REQUEST_SCHEMA, "Expiration time in seconds."),
    payload: PAYLOAD,
    replay_protection_nonce: nullable(
      U64_REQUEST_SCHEMA,
      "Protects from replay instead of the sequence number.",
    ),
    secondary_signers: {
      type: "array",
      nullable: true,
      maxItems: MAX_SECONDARY_SIGNERS,
      items: ADDRESS_SCHEMA,
      description:
        "Further signers of a multi-agent transaction. An empty list gives other bytes to sign than no list.",
    },
    fee_payer: nullable(
      ADDRESS_SCHEMA,
      "The account that pays for the gas instead of the sender; the bytes to sign are then the fee-payer message. `0x0` if it is not known yet: the sender and the secondary signers may sign that message, but the fee payer signs the message with its own address.",
    ),
  },
});

/** An unsigned transfer, for the examples of several operations. */
const SUBMISSION_EXAMPLE: Readonly<Record<string, unknown>> = {
  sender: "0x1",
  sequence_number: "0",
  max_gas_amount: "2000",
  gas_unit_price: "100",
  expiration_timestamp_secs: "32425224034",
  payload: {
    type: "entry_function_payload",
    function: "0x1::aptos_account::transfer",
    type_arguments: [],
    arguments: ["0x1234", "5"],
  },
};

/** The largest transaction of a chain has 1 MiB, that of a user 64 KiB, which take up to some times as much in JSON. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The body of a request that only the encoder parses. */
export function unparsedSubmission(bytes: Uint8Array): Uint8Array {
  assertBodySize(bytes, MAX_BODY_BYTES);
  return bytes;
}

/** The encode request. */
export const submissionBody: BodyField<Uint8Array> = {
  schema: SUBMISSION_SCHEMA,
  description: "A user transaction, optionally with secondary signers and a fee payer. At most 1 MiB.",
  example: SUBMISSION_EXAMPLE,
  parse: unparsedSubmission,
};

/** Media type of a signed transaction in BCS. */
const SIGNED_TRANSACTION_TYPE = "application/x.aptos.signed_transaction+bcs";

const SIGNATURE_SCHEMA: JsonSchema = named("TransactionSignature", {
  ...object({
    type: {
      type: "string",
      enum: [
        "ed25519_signature",
        "multi_ed25519_signature",
        "single_key_signature",
        "single_sender",
        "multi_key_signature",
        "multi_agent_signature",
        "fee_payer_signature",
        "no_account_signature",
      ],
    },
  }),
  additionalProperties: true,
});

const SIGNED_SCHEMA: JsonSchema = named("SubmitTransactionRequest", {
  allOf: [SUBMISSION_SCHEMA, object({ signature: SIGNATURE_SCHEMA })],
});

const EXAMPLE = {
  ...SUBMISSION_EXAMPLE,
  signature: {
    type: "ed25519_signature",
    public_key: `0x${"00".repeat(32)}`,
    signature: `0x${"00".repeat(64)}`,
  },
};

/** A signed transaction. */
export const signedTransactionBody: BodyField<SubmissionBody> = {
  schema: SIGNED_SCHEMA,
  description: "A signed transaction.",
  example: EXAMPLE,
  parse: (bytes) => ({ bytes, isJson: true }),
  bcs: {
    mediaType: SIGNED_TRANSACTION_TYPE,
    description: "The signed transaction.",
    parse: (bytes) => ({ bytes, isJson: false }),
  },
};

/** Several signed transactions. */
export const signedTransactionsBody: BodyField<SubmissionBody> = {
  schema: { type: "array", maxItems: 10, items: SIGNED_SCHEMA },
  description: "At most 10 signed transactions.",
  example: [EXAMPLE],
  parse: (bytes) => ({ bytes, isJson: true }),
  bcs: {
    mediaType: SIGNED_TRANSACTION_TYPE,
    description: "A vector of signed transactions.",
    parse: (bytes) => ({ bytes, isJson: false }),
  },
};
