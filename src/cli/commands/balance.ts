// `sextant balance`: a coin or fungible-asset balance at the latest or any kept version or time.
import { command, EXIT_OK } from "../command.ts";
import { balanceOperands } from "../names.ts";
import { operandsOf } from "../operands.ts";
import { switchOption } from "../option.ts";
import { askSource } from "../source/open.ts";
import {
  minVersionOptions,
  readAtExclusions,
  readAtOf,
  readAtOptions,
  sourceExclusions,
  sourceOptions,
} from "../source/options.ts";

export const balanceCommand = command({
  name: "balance",
  operands: "ADDRESS ASSET",
  options: {
    ...sourceOptions,
    ...minVersionOptions,
    ...readAtOptions,
    json: switchOption("Print a JSON object with the digits as a string", false),
  },
  exclusions: [...sourceExclusions, ...readAtExclusions],
  examples: [
    "sextant balance ada APT    # a demo account of a local chain",
    "sextant balance 0x1 0x1::aptos_coin::AptosCoin",
    "sextant balance 0xcafe 0xa --ledger-version 1200 --data ./data",
    "sextant balance 0xcafe 0xa --at 2026-01-31T00:00:00Z",
  ],
  run: async (values, operands, context) => {
    const [account, symbol] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    const find = balanceOperands({ address: account, asset: symbol });
    const at = readAtOf(values);
    await askSource(values, async (source) => {
      const { address, asset } = await find(source);
      const balance = await source.balance(address, asset, at);
      context.out(values.json ? JSON.stringify({ address, asset, balance }) : balance);
    });
    return EXIT_OK;
  },
});
