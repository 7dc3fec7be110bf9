// What is asked before a transaction is signed: the bytes to sign, what it would do, and the price of gas.
import { andThen } from "../../base/maybe-promise.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { encodeRoute, gasPriceRoute } from "../../interface/routes.ts";
import type { GasPrices } from "../../ledger/gas-price.ts";
import { EXPLAIN_TYPES } from "../../transaction/explain/explain.ts";
import { type Explanation, WARNINGS } from "../../transaction/explain/explanation.ts";
import { type Asker, fromJson, toBody } from "../calls/asker.ts";
import { knownOptions, MIN_VERSION_NAMES, type MinVersionOptions } from "../calls/options.ts";
import type { JsonSchema } from "../field.ts";
import { type BodyField, bcsForm, operation } from "../operation.ts";
import { hexText } from "../printing/answer-text.ts";
import { ANSWER_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { HEX_BYTES_SCHEMA } from "../schemas/hex-bytes.ts";
import { U64_NUMBER_SCHEMA, U64_SCHEMA } from "../schemas/integer.ts";
import { described, list, named, namedUnion, object } from "../schemas/named.ts";
import { SUBMISSION_SCHEMA, submissionBody, unparsedSubmission } from "../schemas/submission.ts";

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
const EXPLANATION_SCHEMA: JsonSchema = named("Explanation", {
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
const explainBody: BodyField<Uint8Array> = {
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

/** Room for the length prefix. */
const PREFIX_BYTES = 5;

export interface EncodeCall {
  /** The bytes to sign for a transaction request: an object, JSON text, or its bytes. */
  encodeSubmission(request: object | string | Uint8Array, options?: MinVersionOptions): Promise<Uint8Array>;
}

/** `POST /v1/transactions/encode_submission` */
export const encodeSubmission = operation({
  id: "encode_submission",
  ...encodeRoute,
  summary: "Encode a transaction for signing",
  description:
    "Checks a transaction request against the functions on chain and returns the bytes to sign: the 32-byte domain prefix, then the BCS of the transaction. Sign exactly these bytes.",
  switch: "encode",
  body: submissionBody,
  answer: {
    json: { schema: HEX_BYTES_SCHEMA, description: "The signing message in hex.", encode: hexText },
    bcs: bcsForm(
      "The signing message as a BCS `vector<u8>`: its length in ULEB128, then the bytes.",
      (message: Uint8Array) => new BcsWriter(message.length + PREFIX_BYTES).byteString(message).take(),
    ),
  },
  errors: ["invalid_transaction"],
  handle({ body }, { view, services }) {
    return andThen(services.encoder(body, view), (data) => ({ data, version: view.position.version }));
  },
  calls: (node: Asker): EncodeCall => ({
    encodeSubmission: async (request, options = {}) => {
      const known = knownOptions(MIN_VERSION_NAMES, options);
      return node.run(encodeSubmission, { body: toBody(request) }, known, (message) =>
        Uint8Array.from(message),
      );
    },
  }),
});

export interface ExplainCall {
  /** Explains a signing message, a raw transaction or a transaction request, with warnings. */
  explainSubmission(request: object | string | Uint8Array, options?: MinVersionOptions): Promise<Explanation>;
}

/** `POST /v1/transactions/explain_submission` */
export const explainSubmission = operation({
  id: "explain_submission",
  method: "POST",
  path: "/v1/transactions/explain_submission",
  summary: "Explain a transaction before it is signed",
  description:
    "Decodes a signing message, a raw transaction or an encode request: who signs, which function or script is called with which arguments, what it can cost, when it expires, every field with its bytes, and warnings from the state of the ledger. The fields are encoded again and compared byte for byte. Nothing is executed, so a transaction without warnings may still fail.",
  switch: "encode",
  refusedQuery: {
    ledger_version: "it explains by the latest version",
    at: "it explains by the latest version",
  },
  body: explainBody,
  answer: {
    json: {
      schema: EXPLANATION_SCHEMA,
      description: "The explanation.",
      encode: (explanation: string) => explanation,
    },
  },
  errors: ["invalid_transaction"],
  async handle({ body }, { view, services }) {
    return { data: await services.explainer(body, view), version: view.position.version };
  },
  calls: (node: Asker): ExplainCall => ({
    explainSubmission: async (request, options = {}) => {
      const known = knownOptions(MIN_VERSION_NAMES, options);
      return node.run(explainSubmission, { body: toBody(request) }, known, fromJson<Explanation>);
    },
  }),
});

export interface GasPricesCall {
  /** Estimated prices of a unit of gas, in octas. */
  gasPrices(): Promise<GasPrices>;
}

/** `GET /v1/estimate_gas_price` */
export const estimateGasPrice = operation({
  id: "estimate_gas_price",
  ...gasPriceRoute,
  summary: "Estimated price of gas",
  description:
    "Prices of a unit of gas, by the reference's rule: from the least prices that the last 10, 30 and 120 blocks of the epoch took, where a block that was not full took the chain's minimum. Computed once for each block.",
  answer: {
    json: {
      schema: named(
        "GasEstimation",
        object({
          deprioritized_gas_estimate: {
            ...U64_NUMBER_SCHEMA,
            description: "For a transaction that can wait.",
          },
          gas_estimate: { ...U64_NUMBER_SCHEMA, description: "For an ordinary transaction." },
          prioritized_gas_estimate: { ...U64_NUMBER_SCHEMA, description: "For one that should go first." },
        }),
      ),
      description: "The prices, in octas.",
      encode: ({ deprioritized, market, prioritized }: GasPrices) =>
        `{"deprioritized_gas_estimate":${deprioritized},"gas_estimate":${market},"prioritized_gas_estimate":${prioritized}}`,
    },
    bcs: bcsForm("`gas_estimate` as a u64.", ({ market }: GasPrices) => new BcsWriter(8).u64(market).take()),
  },
  async handle(_, { view, services }) {
    return { data: await services.gasPrices.estimate(view), version: undefined };
  },
  calls: (node: Asker): GasPricesCall => ({
    gasPrices: async () => node.run(estimateGasPrice, {}, {}, (prices) => prices),
  }),
});
