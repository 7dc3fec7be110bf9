// Submits a signed transaction: for a block of this node, or for the first upstream.
import { decodeWith } from "../../bcs/codec.ts";
import { userTransactionCodec } from "../../transaction/user-transaction.ts";
import { operation } from "../operation.ts";
import { TransactionPrinter } from "../printing/printer.ts";
import { signedTransactionBody } from "../schemas/signed-transaction.ts";
import { PENDING_SCHEMA } from "../schemas/transaction.ts";
import { requireSubmissions } from "../services.ts";

/** Checks and runs of long calls take turns. */
const MAX_IN_FLIGHT = 128;

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
  ledger: "required",
  switchable: true,
  switch: "submit",
  maxInFlight: MAX_IN_FLIGHT,
  successStatuses: [202],
  params: {},
  query: {},
  body: signedTransactionBody,
  answer: {
    json: {
      schema: PENDING_SCHEMA,
      description: "The transaction, which waits for a block.",
      encode: (pending: string | Uint8Array) => pending,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "Nothing: the body is empty.",
      encode: (nothing: string | Uint8Array) => nothing,
    },
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
