// `sextant detail`: what a balance is made of.
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
import { alignedLines } from "./info.ts";

/** The members of the parts under names of their own. */
function flatten(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== "object" || value === null) flat[name] = value;
    else for (const [part, inner] of Object.entries(value)) flat[`${name}.${part}`] = inner;
  }
  return flat;
}

export const detailCommand = command({
  name: "detail",
  summary: "Print what an account's balance is made of, and the asset's name and decimals",
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
    const [address, asset] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    parseOperand("address", "ADDRESS", address);
    parseOperand("asset", "ASSET", asset);
    const at = readAtOf(values);
    const { text } = await askSource(values, (source) => source.detail(address, asset, at));
    if (values.json) context.out(text);
    else
      for (const line of alignedLines(flatten(JSON.parse(text) as Record<string, unknown>)))
        context.out(line);
    return EXIT_OK;
  },
});
