// `sextant balances`: many balances at one version.
import { parseOperand } from "../../node.ts";
import { batchExclusions, batchOptions, runBatch } from "../batch.ts";
import { command } from "../command.ts";
import { switchOption } from "../option.ts";
import type { BalanceQueryText } from "../source/source.ts";

/** Sums by asset. One asset may be written in several ways; the first one names its total. */
function addUp(
  queries: readonly BalanceQueryText[],
  balances: readonly (string | undefined)[],
): Map<string, bigint> {
  const names = new Map<string, string>();
  const sums = new Map<string, bigint>();
  for (const [i, { asset_type: text }] of queries.entries()) {
    const balance = balances[i];
    if (balance === undefined) continue;
    const { id } = parseOperand("asset", "ASSET", text);
    const asset = names.get(id) ?? text;
    names.set(id, asset);
    sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(balance));
  }
  return sums;
}

export const balancesCommand = command({
  name: "balances",
  operands: "FILE|-",
  options: { ...batchOptions, totals: switchOption("Also print the sum for each asset", false) },
  exclusions: batchExclusions,
  examples: [
    "sextant balances pairs.txt --totals    # lines such as: 0xcafe 0x1::aptos_coin::AptosCoin",
    "sextant balances - --at 2026-01-31T00:00:00Z --json < pairs.txt",
  ],
  run: (values, operands, context) =>
    runBatch(values, operands, context, {
      results: "balances",
      value: "balance",
      toQuery: async (names, { first, second, place }) => ({
        address: await names.find("address", `${place}, address`, first),
        asset_type: await names.find("asset", `${place}, asset`, second),
      }),
      ask: (source, queries, at) => source.balances(queries, at),
      ...(values.totals ? { addUp } : {}),
    }),
});
