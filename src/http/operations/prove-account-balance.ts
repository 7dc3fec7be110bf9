// A proof of a balance, for somebody who trusts a waypoint and nobody else.

import { balanceProofRoute } from "../../interface/routes.ts";
import { encodeBundle } from "../../proof/bundle.ts";
import { balancesQuestion } from "../../proof/question.ts";
import type { Asker } from "../calls/asker.ts";
import type { ProveOptions } from "../calls/options.ts";
import { operation } from "../operation.ts";
import { addressField } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import { bundleForms, PROOF_ERRORS, proofFields } from "../schemas/proof.ts";
import { proofArgs, provenAnswer } from "./shared/prove.ts";

export interface ProveBalanceCall {
  /**
   * A proof of a balance, in BCS: `verifyProof` of `sextant/verify` checks it. The version must end a block inside the
   * proof window; left out, it is the newest signed one.
   */
  proveBalance(address: string, asset: string, options?: ProveOptions): Promise<Uint8Array>;
}

/** `GET /v1/accounts/{address}/balance/{asset_type}/proof` */
export const proveAccountBalance = operation({
  id: "prove_account_balance",
  ...balanceProofRoute,
  summary: "Proof of a balance",
  description:
    "A balance with its proof: the state items that it is computed from, present or absent, their place in the state, and the signatures of the validators, from a waypoint on. The version must end a block inside the node's proof window; left out, it is the newest signed one.",
  ledger: "required",
  switchable: true,
  params: { address: addressField, asset_type: assetTypeField },
  query: proofFields,
  answer: bundleForms,
  errors: PROOF_ERRORS,
  handle(args, context) {
    const question = balancesQuestion([{ address: args.address, asset: args.asset_type }], false);
    return provenAnswer(context, question, args);
  },
  calls: (node: Asker): ProveBalanceCall => ({
    proveBalance: async (address, asset, options = {}) => {
      const asked = proofArgs(options);
      const args = { address: node.args.address(address), asset_type: node.args.asset(asset), ...asked };
      return node.run(proveAccountBalance, args, options, encodeBundle);
    },
  }),
});
