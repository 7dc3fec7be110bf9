// `sextant balances`: many balances at one version.

import { parseOperand } from "../../node.ts";
import { askAll, type ItemError, readPairs } from "../batch.ts";
import { command, EXIT_FAILED, EXIT_OK } from "../command.ts";
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

type Result = ItemError & { readonly balance?: string };

function addUp(assets: readonly string[], results: readonly Result[]): Record<string, string> {
  // One asset may be written in several ways; the first one names its total.
  const names = new Map<string, string>();
  const sums = new Map<string, bigint>();
  for (const [i, text] of assets.entries()) {
    const balance = results[i]?.balance;
    if (balance === undefined) continue;
    const { id } = parseOperand("asset", "ASSET", text);
    const asset = names.get(id) ?? text;
    names.set(id, asset);
    sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(balance));
  }
  return Object.fromEntries([...sums].map(([asset, sum]) => [asset, `${sum}`]));
}

export const balancesCommand = command({
  name: "balances",
  summary: "Print many balances, all at one version",
  operands: "FILE|-",
  options: {
    ...sourceOptions,
    ...minVersionOptions,
    ...readAtOptions,
    totals: switchOption("Print the sum of each asset too", false),
    json: switchOption("Print one JSON object", false),
  },
  exclusions: [...sourceExclusions, ...readAtExclusions],
  examples: [
    "sextant balances pairs.txt --totals    # lines such as: 0xcafe 0x1::aptos_coin::AptosCoin",
    "sextant balances - --at 2026-01-31T00:00:00Z --json < pairs.txt",
  ],
  run: async (values, operands, context) => {
    const [file] = operandsOf(operands, ["FILE"]);
    const when = readAtOf(values);
    const pairs = await readPairs(file, context);
    const queries = pairs.map(([address, asset_type]) => ({ address, asset_type }));
    const { results, ...read } = await askSource(values, (source) =>
      askAll<(typeof queries)[number], Result>(queries, when, "balances", (some, at) =>
        source.balances(some, at),
      ),
    );
    const assets = pairs.map(([, asset]) => asset);
    const totals = values.totals ? addUp(assets, results) : undefined;
    if (values.json) {
      context.out(
        JSON.stringify({ ...read, balances: results, ...(totals === undefined ? {} : { totals }) }),
      );
    } else {
      for (const [i, { balance, error }] of results.entries()) {
        const pair = pairs[i]?.join(" ");
        if (balance !== undefined) context.out(`${pair} ${balance}`);
        else context.err(`sextant: ${pair}: ${error?.message}`);
      }
      for (const [asset, sum] of Object.entries(totals ?? {})) context.out(`total ${asset} ${sum}`);
    }
    return results.every(({ error }) => error === undefined) ? EXIT_OK : EXIT_FAILED;
  },
});
