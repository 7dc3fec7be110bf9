// `sextant balance`: a coin or fungible-asset balance at the latest or any kept version.
import { command, EXIT_OK } from "../command.ts";
import { switchOption, textOption } from "../option.ts";
import { askSource, operandsOf, sourceExclusions, sourceOptions } from "../source.ts";

export const balanceCommand = command({
  name: "balance",
  summary: "Print an account's balance of a coin or fungible asset",
  operands: "ADDRESS ASSET",
  options: {
    ...sourceOptions,
    "ledger-version": textOption("Read at this version instead of the latest", "VERSION"),
    json: switchOption("Print a JSON object with the digits as a string", false),
  },
  exclusions: sourceExclusions,
  examples: [
    "sextant balance 0x1 0x1::aptos_coin::AptosCoin",
    "sextant balance 0xcafe 0xa --ledger-version 1200 --data ./data",
  ],
  run: async (values, operands, context) => {
    const [address, asset] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    const digits = await askSource(values, (source) =>
      source.balance(address, asset, values["ledger-version"]),
    );
    context.out(values.json ? JSON.stringify({ address, asset, balance: digits }) : digits);
    return EXIT_OK;
  },
});
