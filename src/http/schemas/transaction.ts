// Schemas of transactions in answers, and the parameters that name one.
import { fromHex } from "../../base/hex.ts";
import { HttpError } from "../errors.ts";
import type { Field, JsonSchema } from "../field.ts";
import { ANSWER_ADDRESS_SCHEMA, LONG_ADDRESS_SCHEMA } from "./address.ts";
import { ledgerVersionField, U64_NUMBER_SCHEMA, U64_SCHEMA } from "./integer.ts";
import { MOVE_VALUE_SCHEMA } from "./move-type.ts";
import { list, named, namedUnion, nullableAnswer, object } from "./named.ts";

const HASH_BYTES = 32;
const FLAG_SCHEMA = { type: "boolean" } as const;
const HASH_SCHEMA = LONG_ADDRESS_SCHEMA;

/** One kind of a union: all of its properties, and its name. */
function kind(type: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return object({ ...properties, type: { type: "string", enum: [type] } });
}

/** An object of one of several kinds, whose other members its kind tells. */
function tagged(name: string, description: string): JsonSchema {
  return named(name, { ...object({ type: { type: "string" } }), additionalProperties: true, description });
}

const PAYLOAD_SCHEMA = tagged(
  "CommittedPayload",
  "`entry_function_payload` with `function`, `type_arguments` and `arguments`; `script_payload` with `code`; `multisig_payload` with `multisig_address` and `transaction_payload`; `encrypted_transaction_payload`, or `module_bundle_payload`. Arguments are decoded by the function's parameters, or all of them hex where that is not possible.",
);

const SIGNATURE_SCHEMA = tagged(
  "CommittedSignature",
  "`ed25519_signature`, `multi_ed25519_signature`, `multi_agent_signature`, `fee_payer_signature` or `single_sender`, with public keys and signatures in hex.",
);

const CHANGE_SCHEMA = tagged(
  "WriteSetChange",
  "`write_resource`, `write_module`, `write_table_item`, `delete_resource`, `delete_module` or `delete_table_item`, with the address or the table handle and the hash of the state key. `data` holds the decoded value; of a table item it is null.",
);

/** Members of an event. */
export const EVENT = {
  guid: named("EventGuid", object({ creation_number: U64_SCHEMA, account_address: ANSWER_ADDRESS_SCHEMA })),
  sequence_number: U64_SCHEMA,
  type: { type: "string" },
  data: MOVE_VALUE_SCHEMA,
} as const;
const EVENT_SCHEMA = named("Event", object(EVENT));
export const VERSIONED_EVENT_SCHEMA = named("VersionedEvent", object({ version: U64_SCHEMA, ...EVENT }));

const INFO = {
  version: U64_SCHEMA,
  hash: HASH_SCHEMA,
  state_change_hash: HASH_SCHEMA,
  event_root_hash: HASH_SCHEMA,
  state_checkpoint_hash: nullableAnswer(HASH_SCHEMA),
  gas_used: U64_SCHEMA,
  success: FLAG_SCHEMA,
  vm_status: { type: "string", description: "How the execution ended." },
  accumulator_root_hash: HASH_SCHEMA,
  changes: list(CHANGE_SCHEMA),
} as const;

const REQUEST = {
  sender: ANSWER_ADDRESS_SCHEMA,
  sequence_number: U64_SCHEMA,
  max_gas_amount: U64_SCHEMA,
  gas_unit_price: U64_SCHEMA,
  expiration_timestamp_secs: U64_SCHEMA,
  payload: PAYLOAD_SCHEMA,
  signature: SIGNATURE_SCHEMA,
  replay_protection_nonce: nullableAnswer(U64_SCHEMA),
} as const;

const EVENTS = { events: list(EVENT_SCHEMA) };
const TIME = { timestamp: { ...U64_SCHEMA, description: "Time of the block, in microseconds." } };

/** An object with any members, which not every transaction has. Not the transaction itself: it would fit every kind. */
function open(description: string): JsonSchema {
  return { type: "object", additionalProperties: true, description };
}

/** A kind of which some properties may be missing. */
function withOptional(schema: JsonSchema, optional: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { ...schema, properties: { ...(schema.properties as object), ...optional } };
}

const BLOCK_METADATA = kind("block_metadata_transaction", {
  ...INFO,
  id: HASH_SCHEMA,
  epoch: U64_SCHEMA,
  round: U64_SCHEMA,
  ...EVENTS,
  previous_block_votes_bitvec: list(U64_NUMBER_SCHEMA),
  proposer: ANSWER_ADDRESS_SCHEMA,
  failed_proposer_indices: list(U64_NUMBER_SCHEMA),
  ...TIME,
});

const BLOCK_END = named(
  "BlockEndInfo",
  object({
    block_gas_limit_reached: FLAG_SCHEMA,
    block_output_limit_reached: FLAG_SCHEMA,
    block_effective_block_gas_units: U64_NUMBER_SCHEMA,
    block_approx_output_size: U64_NUMBER_SCHEMA,
  }),
);

const GENESIS_PAYLOAD = named(
  "GenesisPayload",
  kind("write_set_payload", {
    write_set: tagged(
      "GenesisWriteSet",
      "`direct_write_set` with `changes` and `events`, or `script_write_set` with `execute_as` and `script`.",
    ),
  }),
);

const COMMITTED = {
  user_transaction: named(
    "UserTransaction",
    kind("user_transaction", { ...INFO, ...REQUEST, ...EVENTS, ...TIME }),
  ),
  genesis_transaction: named(
    "GenesisTransaction",
    kind("genesis_transaction", { ...INFO, payload: GENESIS_PAYLOAD, ...EVENTS }),
  ),
  block_metadata_transaction: named(
    "BlockMetadataTransaction",
    withOptional(BLOCK_METADATA, {
      block_metadata_extension: open("Only in blocks of the newer form."),
    }),
  ),
  state_checkpoint_transaction: named(
    "StateCheckpointTransaction",
    kind("state_checkpoint_transaction", { ...INFO, ...TIME }),
  ),
  block_epilogue_transaction: named(
    "BlockEpilogueTransaction",
    kind("block_epilogue_transaction", { ...INFO, ...TIME, block_end_info: BLOCK_END }),
  ),
  validator_transaction: named(
    "ValidatorTransaction",
    withOptional(
      kind("validator_transaction", {
        ...INFO,
        ...EVENTS,
        ...TIME,
        validator_transaction_type: { type: "string" },
      }),
      {
        quorum_certified_update: open("The web keys that the validators agreed on, and who signed them."),
        dkg_transcript: open("The epoch, author and payload of a key generation."),
      },
    ),
  ),
};

/** Schema of a committed transaction. */
export const COMMITTED_SCHEMA: JsonSchema = namedUnion("CommittedTransaction", "type", COMMITTED);

/** Schema of a committed user transaction. */
export const USER_SCHEMA: JsonSchema = COMMITTED.user_transaction;

/** Schema of a transaction that waits to be committed. */
export const PENDING_SCHEMA: JsonSchema = named(
  "PendingTransaction",
  kind("pending_transaction", { hash: HASH_SCHEMA, ...REQUEST }),
);

/** Schema of a transaction that waits to be committed, or that was. */
export const TRANSACTION_SCHEMA: JsonSchema = namedUnion("Transaction", "type", {
  ...COMMITTED,
  pending_transaction: PENDING_SCHEMA,
});

/** The version of a transaction. */
export const transactionVersionField: Field<bigint> = {
  ...ledgerVersionField,
  description: "The version of the transaction.",
};

/** The hash of a transaction. */
export const transactionHashField: Field<Uint8Array> = {
  schema: { type: "string", format: "hex", pattern: "^(0x)?[0-9a-fA-F]{64}$" },
  description: "The hash of the transaction: 64 hex digits, with or without `0x`.",
  example: "0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1",
  expected: "64 hex digits, with or without 0x",
  parse(text) {
    const bytes = fromHex(text.startsWith("0x") ? text.slice(2) : text);
    if (bytes?.length !== HASH_BYTES) throw new HttpError("malformed_request", "it is no hash of 32 bytes");
    return bytes;
  },
};
