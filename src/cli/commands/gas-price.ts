// `sextant gas-price`: the estimated price of gas.
import { gasPriceRoute } from "../../interface/routes.ts";
import { historyReadCommand } from "../read-command.ts";

export const gasPriceCommand = historyReadCommand({
  name: "gas-price",
  operands: [],
  options: {},
  examples: ["sextant gas-price"],
  ask: (source) => source.read(gasPriceRoute, {}),
});
