// `sextant balance`, `balances`, `detail` and `holdings`: balances at the latest or any kept version or time.

import { switchOption } from "../../base/option.ts";
import { parseOperand } from "../../node.ts";
import { batchOptions, runBatch } from "../batch.ts";
import { command, EXIT_OK, operandsOf } from "../command.ts";
import { balanceOperands, checkOperand, NameFinder } from "../names.ts";
import { askSource } from "../source/open.ts";
import { readAtOf, readAtOptions, sourceOptions, stateExclusions, stateOptions } from "../source/options.ts";
import type { BalanceQueryText } from "../source/source.ts";
import { printAnswer } from "./info.ts";

export const balanceCommand = command({
  name: "balance",
  operands: "ADDRESS ASSET",
  options: {
    ...stateOptions,
    json: switchOption("Print a JSON object with the digits as a string", false),
  },
  exclusions: stateExclusions,
  examples: [
    "sextant balance anna APT    # a demo account of a local chain",
    "sextant balance 0x1 0x1::aptos_coin::AptosCoin",
    "sextant balance 0xcafe 0x1::aptos_coin::AptosCoin --ledger-version 1200 --data ./data",
    "sextant balance 0xcafe 0x1::aptos_coin::AptosCoin --at 2026-01-31T00:00:00Z",
  ],
  run: async (values, operands, context) => {
    const [account, symbol] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    const find = balanceOperands({ address: account, asset: symbol }, context);
    const at = readAtOf(values);
    await askSource(values, async (source) => {
      const { address, asset } = await find(source);
      const balance = await source.balance(address, asset, at);
      context.out(values.json ? JSON.stringify({ address, asset, balance }) : balance);
    });
    return EXIT_OK;
  },
});

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
  exclusions: stateExclusions,
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

export const detailCommand = command({
  name: "detail",
  operands: "ADDRESS ASSET",
  options: { ...stateOptions, json: switchOption("Print the JSON response", false) },
  exclusions: stateExclusions,
  examples: [
    "sextant detail 0x1 0x1::aptos_coin::AptosCoin",
    "sextant detail 0xcafe 0x1::aptos_coin::AptosCoin --at 1767225600 --json",
  ],
  run: async (values, operands, context) => {
    const [account, symbol] = operandsOf(operands, ["ADDRESS", "ASSET"]);
    const find = balanceOperands({ address: account, asset: symbol }, context);
    const at = readAtOf(values);
    const { text } = await askSource(values, async (source) => {
      const { address, asset } = await find(source);
      return source.detail(address, asset, at);
    });
    printAnswer(text, values.json, context);
    return EXIT_OK;
  },
});

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
  exclusions: stateExclusions,
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
