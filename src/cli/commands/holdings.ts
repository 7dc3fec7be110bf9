// `sextant holdings`: every asset of an account.
import { command, EXIT_OK } from "../command.ts";
import { checkOperand, NameFinder } from "../names.ts";
import { operandsOf } from "../operands.ts";
import { switchOption } from "../option.ts";
import { askSource } from "../source/open.ts";
import {
  readAtExclusions,
  readAtOf,
  readAtOptions,
  sourceExclusions,
  sourceOptions,
} from "../source/options.ts";

interface Held {
  readonly asset_type: string;
  readonly balance: string;
  readonly symbol?: string;
  readonly decimals?: number;
}

/** A line: the balance, and the asset's type and symbol. */
function toText({ balance, asset_type, symbol }: Held): string {
  return symbol === undefined ? `${balance}  ${asset_type}` : `${balance}  ${asset_type}  ${symbol}`;
}

export const holdingsCommand = command({
  name: "holdings",
  operands: "ADDRESS",
  options: {
    ...sourceOptions,
    ...readAtOptions,
    json: switchOption("Print one JSON object for each asset", false),
  },
  exclusions: [...sourceExclusions, ...readAtExclusions],
  examples: ["sextant holdings 0xcafe", "sextant holdings 0xcafe --at 2026-01-31T00:00:00Z --json"],
  run: async (values, operands, context) => {
    const [account] = operandsOf(operands, ["ADDRESS"]);
    checkOperand("address", "ADDRESS", account);
    const at = readAtOf(values);
    await askSource(values, async (source) => {
      const address = await new NameFinder(source).find("address", "ADDRESS", account);
      for await (const line of source.holdings(address, at)) {
        context.out(values.json ? line : toText(JSON.parse(line) as Held));
      }
    });
    return EXIT_OK;
  },
});
