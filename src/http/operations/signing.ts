// What is asked before a transaction is signed: the bytes to sign, what it would do, and the price of gas.
import { BcsWriter } from "../../bcs/writer.ts";
import { encodeRoute, gasPriceRoute } from "../../interface/routes.ts";
import type { GasPrices } from "../../ledger/gas-price.ts";
import type { Explanation } from "../../transaction/explain/explanation.ts";
import { type Asker, fromJson, toBody } from "../calls/asker.ts";
import { knownOptions, MIN_VERSION_NAMES, type MinVersionOptions } from "../calls/options.ts";
import { bcsForm, operation } from "../operation.ts";
import { hexText } from "../printing/answer-text.ts";
import { EXPLANATION_SCHEMA, explainBody } from "../schemas/explanation.ts";
import { HEX_BYTES_SCHEMA } from "../schemas/hex-bytes.ts";
import { U64_NUMBER_SCHEMA } from "../schemas/integer.ts";
import { named, object } from "../schemas/named.ts";
import { submissionBody } from "../schemas/submission.ts";

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
    json: {
      schema: HEX_BYTES_SCHEMA,
      description: "The signing message in hex.",
      encode: hexText,
    },
    bcs: bcsForm(
      "The signing message as a BCS `vector<u8>`: its length in ULEB128, then the bytes.",
      (message: Uint8Array) => new BcsWriter(message.length + PREFIX_BYTES).byteString(message).take(),
    ),
  },
  errors: ["invalid_transaction"],
  async handle({ body }, { view, services }) {
    return { data: await services.encoder(body, view), version: view.position.version };
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
