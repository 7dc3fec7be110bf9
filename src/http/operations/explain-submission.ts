// Explains a transaction before it is signed.
import type { Explanation } from "../../transaction/explain/explanation.ts";
import { type Asker, fromJson, toBody } from "../calls/asker.ts";
import { knownOptions, MIN_VERSION_NAMES, type MinVersionOptions } from "../calls/options.ts";
import { operation } from "../operation.ts";
import { EXPLANATION_SCHEMA, explainBody } from "../schemas/explanation.ts";

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
  ledger: "required",
  switchable: true,
  switch: "encode",
  params: {},
  query: {},
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
