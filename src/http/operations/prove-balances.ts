// A proof of many balances at one version.
import { ConfigError } from "../../base/errors.ts";
import { balancesProofRoute } from "../../interface/routes.ts";
import { encodeBundle } from "../../proof/bundle.ts";
import { MAX_PAIRS } from "../../proof/claim.ts";
import { balancesQuestion } from "../../proof/question.ts";
import type { Asker } from "../calls/asker.ts";
import { assertObject, PROVE_BALANCES_NAMES, type ProveBalancesOptions } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { operation } from "../operation.ts";
import { batchBody, readAtOf } from "../schemas/batch.ts";
import { authenticationKeysField } from "../schemas/flag.ts";
import { proofFields } from "../schemas/proof.ts";
import { BALANCES_BODY } from "./get-balances.ts";
import { PROVING, proofArgs, provenAnswer } from "./shared/prove.ts";

/** A proof of a thousand balances takes a second. */
const MAX_IN_FLIGHT = 4;

export interface ProveBalancesCall {
  /** A proof of up to 1,000 balances at one version, in BCS. */
  proveBalances(
    pairs: readonly { readonly address: string; readonly asset: string }[],
    options?: ProveBalancesOptions,
  ): Promise<Uint8Array>;
}

/** `POST /v1/balances/proof` */
export const proveBalances = operation({
  id: "prove_balances",
  ...balancesProofRoute,
  ...PROVING,
  maxInFlight: MAX_IN_FLIGHT,
  summary: "Proof of many balances",
  description:
    "The balances of up to 1,000 pairs of an account and an asset at one version, in one proof with one check of signatures. A pair that is asked for twice is proven once. A query that cannot be asked refuses the whole. Version and waypoint as in `prove_account_balance`.",
  params: {},
  query: { ...proofFields, authentication_keys: authenticationKeysField },
  body: batchBody({ ...BALANCES_BODY, name: "BalancesProofRequest", hasTotals: false }),
  handle({ body: { queries, totals: _, ...inBody }, ...args }, context) {
    const pairs = queries.map((query, i) => {
      if (!(query instanceof HttpError)) return { address: query.owner, asset: query.asset };
      throw new HttpError(query.code, `queries[${i}]: ${query.message}`);
    });
    const question = balancesQuestion(pairs, args.authentication_keys ?? false);
    return provenAnswer(context, question, { ...args, ...readAtOf(args, inBody) });
  },
  calls: (node: Asker): ProveBalancesCall => ({
    proveBalances: async (pairs, options = {}) => {
      if (!Array.isArray(pairs) || pairs.length === 0 || pairs.length > MAX_PAIRS)
        throw new ConfigError(`pairs: expected a list of 1 to ${MAX_PAIRS} pairs`);
      const queries = pairs.map((pair, i) => {
        assertObject(`pairs[${i}]`, pair);
        const text = `${pair.asset}`;
        return { owner: node.args.address(pair.address), asset: node.args.asset(pair.asset), text };
      });
      const body = { queries, totals: false, ledger_version: undefined, at: undefined };
      const args = {
        body,
        authentication_keys: options.authenticationKeys,
        ...proofArgs(options, PROVE_BALANCES_NAMES),
      };
      return node.run(proveBalances, args, options, encodeBundle);
    },
  }),
});
