// A proof of an event, which for a deposit is a receipt.
import { eventProofRoute } from "../../interface/routes.ts";
import { encodeBundle } from "../../proof/bundle.ts";
import type { Asker } from "../calls/asker.ts";
import { fieldOf } from "../calls/operands.ts";
import { knownOptions, PROVE_RECORD_NAMES, type ProveRecordOptions } from "../calls/options.ts";
import { operation } from "../operation.ts";
import { eventIndexField, PROOF_ERRORS, proofFields } from "../schemas/proof.ts";
import { transactionVersionField } from "../schemas/transaction.ts";
import { assertCommitted } from "./get-transaction-by-version.ts";
import { PROVING, provenAnswer } from "./shared/prove.ts";

export interface ProveEventCall {
  /** A proof of an event by the version of its transaction and its place there, from 0, in BCS. */
  proveEvent(version: bigint, index: bigint, options?: ProveRecordOptions): Promise<Uint8Array>;
}

/** `GET /v1/transactions/by_version/{txn_version}/events/{event_index}/proof` */
export const proveEvent = operation({
  id: "prove_event",
  ...eventProofRoute,
  ...PROVING,
  summary: "Proof of an event",
  description:
    "An event with the proof that a transaction of the ledger emitted it, and of the time of the block. For a deposit it also proves the account, the asset and the amount: a receipt.",
  params: { txn_version: transactionVersionField, event_index: eventIndexField },
  query: { from_waypoint: proofFields.from_waypoint },
  errors: [...PROOF_ERRORS, "transaction_not_found", "version_pruned"],
  async handle(args, context) {
    const { txn_version: version, event_index: index } = args;
    assertCommitted(context.view, version);
    return provenAnswer(context, { kind: "event", version, index }, args);
  },
  calls: (node: Asker): ProveEventCall => ({
    proveEvent: async (txn_version, event_index, options = {}) => {
      const { fromWaypoint } = knownOptions(PROVE_RECORD_NAMES, options);
      const from_waypoint = fieldOf("fromWaypoint", proofFields.from_waypoint, fromWaypoint);
      return node.run(proveEvent, { txn_version, event_index, from_waypoint }, options, encodeBundle);
    },
  }),
});
