// Submits signed transactions, for a block of this node or for the first upstream, or simulates one.
import { decodeWith } from "../../bcs/codec.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { lookAtRecord } from "../../ledger/formats/record.ts";
import { userTransactionCodec } from "../../transaction/user-transaction.ts";
import { errorFields } from "../error-answer.ts";
import type { Field } from "../field.ts";
import { bcsForm, encodedAnswer, operation } from "../operation.ts";
import { AnswerText } from "../printing/answer-text.ts";
import { TransactionPrinter } from "../printing/printer.ts";
import { ERROR_SCHEMA } from "../schemas/error.ts";
import { quotedField } from "../schemas/flag.ts";
import { list, named, object } from "../schemas/named.ts";
import { signedTransactionBody, signedTransactionsBody } from "../schemas/submission.ts";
import { PENDING_SCHEMA, USER_SCHEMA } from "../schemas/transaction.ts";
import { requireSubmissions } from "../services.ts";

/** Checks and runs of long calls take turns. */
const MAX_IN_FLIGHT = 128;
const MAX_BATCHES_IN_FLIGHT = 16;

/** `POST /v1/transactions` */
export const submitTransaction = operation({
  id: "submit_transaction",
  method: "POST",
  path: "/v1/transactions",
  summary: "Submit a signed transaction",
  description:
    "Takes a transaction for one of the next blocks of a local chain, after the checks of the network: signatures, authentication key, chain id, expiry, sequence number or nonce, gas and the balance for it. On a fork or on a network's genesis any transaction is taken, and runs by the network's own framework. The framework of a local chain's own genesis has no code: there only calls of a closed list of functions are taken. A node that follows a network hands transactions on to its first upstream with `--forward-submissions`, and takes none without it.",
  links: {
    transaction: {
      operationId: "get_transaction_by_hash",
      parameters: { txn_hash: "$response.body#/hash" },
      description: "The transaction, pending or committed.",
    },
  },
  switch: "submit",
  maxInFlight: MAX_IN_FLIGHT,
  successStatuses: [202],
  body: signedTransactionBody,
  answer: {
    json: {
      schema: PENDING_SCHEMA,
      description: "The transaction, which waits for a block.",
      encode: (pending: string | Uint8Array) => pending,
    },
    bcs: bcsForm("Nothing: the body is empty.", (nothing: string | Uint8Array) => nothing),
  },
  errors: [
    "invalid_transaction",
    "refused_transaction",
    "transaction_update",
    "sequence_number_too_old",
    "mempool_full",
  ],
  async handle({ body }, { view, services, form, client }) {
    const { bytes, hash } = await requireSubmissions(services).submit(body, view, client);
    const data =
      form === "bcs"
        ? ""
        : await (
            await new TransactionPrinter(services.types, view).printPending(
              decodeWith(userTransactionCodec, bytes),
              hash,
            )
          ).finish();
    return { data, version: undefined, status: 202 };
  },
});

interface Failure {
  readonly error: Readonly<Record<string, unknown>>;
  readonly transaction_index: number;
}

const FAILURES_SCHEMA = named(
  "TransactionsBatchSubmissionResult",
  object({
    transaction_failures: list(
      named(
        "TransactionsBatchSingleSubmissionFailure",
        object({ error: ERROR_SCHEMA, transaction_index: { type: "integer", minimum: 0 } }),
      ),
    ),
  }),
);

/** `POST /v1/transactions/batch` */
export const submitBatchTransactions = operation({
  id: "submit_batch_transactions",
  method: "POST",
  path: "/v1/transactions/batch",
  summary: "Submit several signed transactions",
  description:
    "Takes each transaction as `submit_transaction` does. 202 if all were taken; 206 with the errors of those that were not.",
  switch: "submit",
  maxInFlight: MAX_BATCHES_IN_FLIGHT,
  successStatuses: [202, 206],
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

function flag(description: string): Field<boolean> {
  return { ...quotedField, description };
}

/** `POST /v1/transactions/simulate` */
export const simulateTransaction = operation({
  id: "simulate_transaction",
  method: "POST",
  path: "/v1/transactions/simulate",
  summary: "Simulate a transaction",
  description:
    "Runs any transaction on the head of the ledger and keeps nothing: by the bytecode of the chain's own framework, on every node whose ledger has one. The answer is the transaction as it would be committed, with gas, events and changes, and zeros for the hashes; its level of trust is the weakest of all that was read. Its signatures must not be valid, because anyone could submit what is signed: send zeros. A transaction that the chain would refuse is answered too, with the reason as its `vm_status`. On a local chain, whose framework has no code, calls that it has no native for are refused as in `submit_transaction`.",
  switch: "simulate",
  maxInFlight: MAX_IN_FLIGHT,
  query: {
    estimate_max_gas_amount: flag(
      "Simulate with the most gas that the sender can pay for, and ignore `max_gas_amount`.",
    ),
    estimate_gas_unit_price: flag("Simulate with the estimated gas price, and ignore `gas_unit_price`."),
    estimate_prioritized_gas_unit_price: flag(
      "Simulate with the estimated gas price of a preferred transaction, and ignore `gas_unit_price`.",
    ),
  },
  body: signedTransactionBody,
  answer: encodedAnswer(
    {
      schema: { type: "array", minItems: 1, maxItems: 1, items: USER_SCHEMA },
      description: "The transaction.",
    },
    "A vector of one record, as in `GET /v1/transactions`.",
  ),
  errors: ["invalid_transaction", "refused_transaction", "unprintable"],
  async handle({ body, ...query }, { view, services, form, slices }) {
    let gasUnitPrice: bigint | undefined;
    const isPrioritized = query.estimate_prioritized_gas_unit_price === true;
    if (isPrioritized || query.estimate_gas_unit_price === true) {
      const { market, prioritized } = await services.gasPrices.estimate(view);
      gasUnitPrice = isPrioritized ? prioritized : market;
    }
    const maxGasAmount = query.estimate_max_gas_amount === true;
    if (services.simulator === undefined) throw new Error("simulations are switched off");
    const record = await services.simulator(body, view, { maxGasAmount, gasUnitPrice }, slices);
    const { version, timestampUsec } = view.position;
    const data =
      form === "bcs"
        ? new BcsWriter(record.length + 1).uleb(1).fixed(record).take()
        : await new AnswerText()
            .add("[")
            .append(
              await new TransactionPrinter(services.types, view, slices).print(
                lookAtRecord(record),
                timestampUsec,
              ),
            )
            .add("]")
            .finish();
    return { data, version };
  },
});
