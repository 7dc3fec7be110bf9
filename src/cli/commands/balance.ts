// `sextant balance`: a coin or fungible-asset balance at the latest or any kept version or time.
import { parseOperand } from "../../node.ts";
import { command, EXIT_OK } from "../command.ts";
import { switchOption } from "../option.ts";
import {
  askSource,
  minVersionOptions,
  operandsOf,
  readAtExclusions,
  readAtOf,
  readAtOptions,
  sourceExclusions,
  sourceOptions,
} from "../source.ts";

export const balanceCommand = command({
  name: "balance",
  summary: "Print an account's balance of a coin or fungible asset",
  operands: "ADDRESS ASSET",
  options: {
    ...sourceOptions,
    ...minVersionOptions,
    ...readAtOptions,
    json: switchOption("Print a JSON object with the digits as a string", false),
  },
  exclusions: [...sourceExclusions, ...readAtExclusions],
  examples: [
    "sextant balance 0x1 0x1::aptos_coin::AptosCoin",
    "sextant balance 0xcafe 0xa --ledger-version 1200 --data ./data",
    "sextant balance 0xcafe 0xa --at 2026-01-31T00:00:00Z",
  ],
  run: async (values, operands, context) => {
    const [address, asset] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    parseOperand("address", "ADDRESS", address);
    parseOperand("asset", "ASSET", asset);
    const at = readAtOf(values);
    const digits = await askSource(values, (source) => source.balance(address, asset, at));
    context.out(values.json ? JSON.stringify({ address, asset, balance: digits }) : digits);
    return EXIT_OK;
  },
});
