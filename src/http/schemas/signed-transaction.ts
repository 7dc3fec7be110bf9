// Schemas of submissions: a signed transaction in JSON or BCS, and what is answered.
import type { JsonSchema } from "../field.ts";
import type { BodyField } from "../operation.ts";
import type { SubmissionBody } from "../services.ts";
import { named, object } from "./named.ts";
import { SUBMISSION_EXAMPLE, SUBMISSION_SCHEMA } from "./submission.ts";

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
