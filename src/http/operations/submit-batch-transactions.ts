// Submits several signed transactions, each for itself.
import { errorFields } from "../error-answer.ts";
import { operation } from "../operation.ts";
import { ERROR_SCHEMA } from "../schemas/error.ts";
import { named } from "../schemas/named.ts";
import { signedTransactionsBody } from "../schemas/signed-transaction.ts";
import { requireSubmissions } from "../services.ts";

interface Failure {
  readonly error: Readonly<Record<string, unknown>>;
  readonly transaction_index: number;
}

const FAILURES_SCHEMA = named("TransactionsBatchSubmissionResult", {
  type: "object",
  required: ["transaction_failures"],
  properties: {
    transaction_failures: {
      type: "array",
      items: named("TransactionsBatchSingleSubmissionFailure", {
        type: "object",
        required: ["error", "transaction_index"],
        properties: { error: ERROR_SCHEMA, transaction_index: { type: "integer", minimum: 0 } },
      }),
    },
  },
});

/** Checks and runs of long calls take turns. */
const MAX_IN_FLIGHT = 16;

/** `POST /v1/transactions/batch` */
export const submitBatchTransactions = operation({
  id: "submit_batch_transactions",
  method: "POST",
  path: "/v1/transactions/batch",
  summary: "Submit several signed transactions",
  description:
    "Takes each transaction as `submit_transaction` does. 202 if all were taken; 206 with the errors of those that were not.",
  ledger: "required",
  switchable: true,
  switch: "submit",
  maxInFlight: MAX_IN_FLIGHT,
  successStatuses: [202, 206],
  params: {},
  query: {},
  body: signedTransactionsBody,
  answer: {
    json: {
      schema: FAILURES_SCHEMA,
      description: "The transactions that were not taken, by their place in the batch.",
      encode: (failures: readonly Failure[]) => JSON.stringify({ transaction_failures: failures }),
    },
  },
  errors: ["invalid_transaction"],
  async handle({ body }, { view, services, client }) {
    const errors = await requireSubmissions(services).submitBatch(body, view, client);
    const data = errors.flatMap((error, index) =>
      error === undefined ? [] : [{ error: errorFields(error), transaction_index: index }],
    );
    return { data, version: undefined, status: data.length === 0 ? 202 : 206 };
  },
});
