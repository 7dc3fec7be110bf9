// `sextant detail`: what a balance is made of.
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
import { alignedLines, flatten } from "./info.ts";

export const detailCommand = command({
  name: "detail",
  operands: "ADDRESS ASSET",
  options: {
    ...sourceOptions,
    ...minVersionOptions,
    ...readAtOptions,
    json: switchOption("Print the JSON response", false),
  },
  exclusions: [...sourceExclusions, ...readAtExclusions],
  examples: [
    "sextant detail 0x1 0x1::aptos_coin::AptosCoin",
    "sextant detail 0xcafe 0xa --at 1767225600 --json",
  ],
  run: async (values, operands, context) => {
    const [account, symbol] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    const find = balanceOperands({ address: account, asset: symbol });
    const at = readAtOf(values);
    const { text } = await askSource(values, async (source) => {
      const { address, asset } = await find(source);
      return source.detail(address, asset, at);
    });
    if (values.json) context.out(text);
    else
      for (const line of alignedLines(flatten(JSON.parse(text) as Record<string, unknown>)))
        context.out(line);
    return EXIT_OK;
  },
});
