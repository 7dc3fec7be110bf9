// `sextant balance`: a coin or fungible-asset balance at the latest or any kept version.
import { parseOperand } from "../../node.ts";
import { command, EXIT_OK } from "../command.ts";
import { switchOption } from "../option.ts";
import {
  askSource,
  operandsOf,
  sourceExclusions,
  sourceOptions,
  versionOf,
  versionOption,
} from "../source.ts";

export const balanceCommand = command({
  name: "balance",
  summary: "Print an account's balance of a coin or fungible asset",
  operands: "ADDRESS ASSET",
  options: {
    ...sourceOptions,
    ...versionOption,
    json: switchOption("Print a JSON object with the digits as a string", false),
  },
  exclusions: sourceExclusions,
  examples: [
    "sextant balance 0x1 0x1::aptos_coin::AptosCoin",
    "sextant balance 0xcafe 0xa --ledger-version 1200 --data ./data",
  ],
  run: async (values, operands, context) => {
    const [address, asset] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    parseOperand("address", "ADDRESS", address);
    parseOperand("asset", "ASSET", asset);
    const version = versionOf(values);
    const digits = await askSource(values, (source) => source.balance(address, asset, version));
    context.out(values.json ? JSON.stringify({ address, asset, balance: digits }) : digits);
    return EXIT_OK;
  },
});
