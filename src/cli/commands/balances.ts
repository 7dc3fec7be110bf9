// `sextant balance`, `balances`, `detail` and `holdings`: balances at the latest or any kept version or time.

import { switchOption } from "../../base/option.ts";
import { balanceRoute, balancesRoute } from "../../interface/routes.ts";
import { parseOperand } from "../../node.ts";
import { batchOptions, runBatch } from "../batch.ts";
import { command } from "../command.ts";
import { questionCommand } from "../question-command.ts";
import { readAtOptions, sourceOptions, stateExclusions, stateOptions } from "../source/options.ts";
import { printAnswer } from "./info.ts";

export const balanceCommand = questionCommand({
  name: "balance",
  operands: ["ADDRESS", "ASSET"],
  options: {
    ...stateOptions,
    json: switchOption("Print a JSON object with the digits as a string", false),
  },
  examples: [
    "sextant balance anna APT    # a demo account of a local chain",
    "sextant balance 0x1 0x1::aptos_coin::AptosCoin",
    "sextant balance 0xcafe 0x1::aptos_coin::AptosCoin --ledger-version 1200 --data ./data",
    "sextant balance 0xcafe 0x1::aptos_coin::AptosCoin --at 2026-01-31T00:00:00Z",
  ],
  answer: async ({ source, operands: [address, asset], at, values: { json }, context: { out } }) => {
    const balance = await source.read(balanceRoute, { address, asset_type: asset, ...at });
    out(json ? JSON.stringify({ address, asset, balance }) : balance);
  },
});

interface BalanceQuery {
  readonly address: string;
  readonly asset_type: string;
}

/** Sums by asset. One asset may be written in several ways; the first one names its total. */
function addUp(
  queries: readonly BalanceQuery[],
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
  exclusions: stateExclusions,
  examples: [
    "sextant balances pairs.txt --totals    # lines such as: 0xcafe 0x1::aptos_coin::AptosCoin",
    "sextant balances - --at 2026-01-31T00:00:00Z --json < pairs.txt",
  ],
  run: (values, operands, context) =>
    runBatch(values, operands, context, {
      route: balancesRoute,
      results: "balances",
      value: "balance",
      toQuery: async (names, { first, second, place }) => ({
        address: await names.find("address", `${place}, address`, first),
        asset_type: await names.find("asset", `${place}, asset`, second),
      }),
      ...(values.totals ? { addUp } : {}),
    }),
});

export const detailCommand = questionCommand({
  name: "detail",
  operands: ["ADDRESS", "ASSET"],
  options: { ...stateOptions, json: switchOption("Print the JSON response", false) },
  examples: [
    "sextant detail 0x1 0x1::aptos_coin::AptosCoin",
    "sextant detail 0xcafe 0x1::aptos_coin::AptosCoin --at 1767225600 --json",
  ],
  answer: async ({ source, operands, at, values, context }) => {
    const { text } = await source.detail(...operands, at);
    printAnswer(text, values.json, context);
  },
});

interface Held {
  readonly asset_type: string;
  readonly balance: string;
  readonly symbol?: string;
}

/** A line: the balance, and the asset's type and symbol. */
function toText({ balance, asset_type, symbol }: Held): string {
  return symbol === undefined ? `${balance}  ${asset_type}` : `${balance}  ${asset_type}  ${symbol}`;
}

export const holdingsCommand = questionCommand({
  name: "holdings",
  operands: ["ADDRESS"],
  options: {
    ...sourceOptions,
    ...readAtOptions,
    json: switchOption("Print one JSON object for each asset", false),
  },
  examples: ["sextant holdings 0xcafe", "sextant holdings 0xcafe --at 2026-01-31T00:00:00Z --json"],
  answer: async ({ source, operands: [address], at, values: { json }, context: { out } }) => {
    for await (const line of source.holdings(address, at))
      out(json ? line : toText(JSON.parse(line) as Held));
  },
});
