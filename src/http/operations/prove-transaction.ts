// Proofs that a transaction is in the ledger, by its version or its hash.
import { toPrefixedHex } from "../../base/hex.ts";
import { transactionHashProofRoute, transactionProofRoute } from "../../interface/routes.ts";
import { findByHash } from "../../ledger/transaction-finder.ts";
import { encodeBundle } from "../../proof/bundle.ts";
import type { Asker } from "../calls/asker.ts";
import { fieldOf } from "../calls/operands.ts";
import { knownOptions, PROVE_RECORD_NAMES, type ProveRecordOptions } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { parseField } from "../field.ts";
import { operation } from "../operation.ts";
import { PROOF_ERRORS, proofFields } from "../schemas/proof.ts";
import { transactionHashField, transactionVersionField } from "../schemas/transaction.ts";
import { assertCommitted } from "./get-transaction-by-version.ts";
import { PROVING, provenAnswer } from "./shared/prove.ts";

const shared = {
  ...PROVING,
  query: { from_waypoint: proofFields.from_waypoint },
  errors: [...PROOF_ERRORS, "transaction_not_found", "version_pruned"],
} as const;

export interface ProveTransactionCall {
  /** A proof that a transaction, by its version or its hash in hex, is in the ledger, in BCS. */
  proveTransaction(versionOrHash: bigint | string, options?: ProveRecordOptions): Promise<Uint8Array>;
}

/** `GET /v1/transactions/by_version/{txn_version}/proof` */
export const proveTransactionByVersion = operation({
  id: "prove_transaction_by_version",
  ...transactionProofRoute,
  ...shared,
  summary: "Proof of a transaction",
  description:
    "A transaction with the proof that it is in the ledger at this version, and of the time of its block where the state of that block can be proven too.",
  params: { txn_version: transactionVersionField },
  async handle(args, context) {
    const { txn_version: version } = args;
    assertCommitted(context.view, version);
    return provenAnswer(context, { kind: "transaction", version }, args);
  },
  calls: (node: Asker): ProveTransactionCall => ({
    proveTransaction: async (given, options = {}) => {
      const { fromWaypoint } = knownOptions(PROVE_RECORD_NAMES, options);
      const from_waypoint = fieldOf("fromWaypoint", proofFields.from_waypoint, fromWaypoint);
      if (typeof given !== "string") {
        const args = { txn_version: given, from_waypoint };
        return node.run(proveTransactionByVersion, args, options, encodeBundle);
      }
      const txn_hash = parseField("hash", transactionHashField, given);
      return node.run(proveTransactionByHash, { txn_hash, from_waypoint }, options, encodeBundle);
    },
  }),
});

/** `GET /v1/transactions/by_hash/{txn_hash}/proof` */
export const proveTransactionByHash = operation({
  id: "prove_transaction_by_hash",
  ...transactionHashProofRoute,
  ...shared,
  switch: "transactionIndex",
  summary: "Proof of a transaction by its hash",
  description: "As `prove_transaction_by_version`, for a committed transaction that is found by its hash.",
  params: { txn_hash: transactionHashField },
  async handle(args, context) {
    const record = await findByHash(context.view, args.txn_hash);
    if (record === undefined) {
      throw new HttpError(
        "transaction_not_found",
        `no committed transaction ${toPrefixedHex(args.txn_hash)}`,
      );
    }
    return provenAnswer(context, { kind: "transaction", version: record.version }, args);
  },
});
