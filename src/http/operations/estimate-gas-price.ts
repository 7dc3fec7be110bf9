// The price of gas.

import { BcsWriter } from "../../bcs/writer.ts";
import { gasPriceRoute } from "../../interface/routes.ts";
import type { GasPrices } from "../../ledger/gas-price.ts";
import type { Asker } from "../calls/asker.ts";
import { operation } from "../operation.ts";
import { U64_NUMBER_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";

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
  ledger: "required",
  switchable: true,
  params: {},
  query: {},
  answer: {
    json: {
      schema: named("GasEstimation", {
        type: "object",
        required: ["deprioritized_gas_estimate", "gas_estimate", "prioritized_gas_estimate"],
        properties: {
          deprioritized_gas_estimate: {
            ...U64_NUMBER_SCHEMA,
            description: "For a transaction that can wait.",
          },
          gas_estimate: { ...U64_NUMBER_SCHEMA, description: "For an ordinary transaction." },
          prioritized_gas_estimate: { ...U64_NUMBER_SCHEMA, description: "For one that should go first." },
        },
      }),
      description: "The prices, in octas.",
      encode: ({ deprioritized, market, prioritized }: GasPrices) =>
        `{"deprioritized_gas_estimate":${deprioritized},"gas_estimate":${market},"prioritized_gas_estimate":${prioritized}}`,
    },
    bcs: {
      schema: { type: "string", format: "binary" },
      description: "`gas_estimate` as a u64.",
      encode: ({ market }: GasPrices) => new BcsWriter(8).u64(market).take(),
    },
  },
  async handle(_, { view, services }) {
    return { data: await services.gasPrices.estimate(view), version: undefined };
  },
  calls: (node: Asker): GasPricesCall => ({
    gasPrices: async () => node.run(estimateGasPrice, {}, {}, (prices) => prices),
  }),
});
