// Latency at half of the greatest load, while a local chain commits blocks and prunes behind them: the slowest
// hundredth against the middle. Requests are sent at times fixed beforehand and their latency counts from then, so
// that a pause is seen by everyone who would have met it.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type BenchOptions, type BenchRow, median, toRow, withDirectory } from "./harness.ts";
import { CONNECTIONS, takeSample } from "./http.ts";
import type { PacedLoad, PacedResult } from "./paced-load.ts";
import type { Question } from "./questions.ts";
import { type NodeServer, startNode } from "./servers.ts";

const PACED = fileURLToPath(new URL("./paced-load.ts", import.meta.url));
const COIN = "0x1::aptos_coin::AptosCoin";

interface Setting {
  readonly name: string;
  readonly args: readonly string[];
  readonly max?: number;
}

const SETTINGS: readonly Setting[] = [
  { name: "a block each second, one worker", args: ["--block-time", "1s", "--workers", "1"], max: 5 },
  { name: "a block each second, no worker", args: ["--block-time", "1s"] },
  { name: "ten blocks each second, one worker", args: ["--block-time", "100ms", "--workers", "1"] },
];

/** All rows of latency. */
export async function benchmarkLatency(options: BenchOptions): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const setting of SETTINGS) rows.push(await withDirectory((path) => measure(path, setting, options)));
  return rows;
}

async function measure(path: string, { name, args, max }: Setting, options: BenchOptions): Promise<BenchRow> {
  const node = await startNode(["--data", path, "--prune-window", "100", ...args]);
  try {
    const questions = await demoQuestions(node);
    const seconds = options.quick ? 1 : 10;
    const full = { connections: CONNECTIONS, seconds: options.quick ? 1 : 2 };
    // Code that runs for the first time is slow.
    if (!options.quick) await takeSample(node, questions, full);
    const { rate } = await takeSample(node, questions, full);
    const results: PacedResult[] = [];
    for (let round = 0; round < (options.quick ? 1 : 5); round++) {
      results.push(
        await runPaced({ url: node.url, questions, connections: CONNECTIONS, rate: rate / 2, seconds }),
      );
    }
    const failures = results.reduce((sum, one) => sum + one.failures, 0);
    if (failures > 0) throw new Error(`${failures} answers were not as they should be`);
    const page = await (await fetch(`${node.url}/metrics`)).text();
    const figure = (metric: string): string => new RegExp(`^${metric} (\\d+)`, "m").exec(page)?.[1] ?? "?";
    const rates = median(results.map((one) => one.rate));
    return toRow(
      `p99 over p50 at half load, ${name}`,
      { ours: results.map(({ p99 }) => p99 / 1000), base: results.map(({ p50 }) => p50 / 1000) },
      {
        unit: "ms",
        ...(max === undefined ? {} : { target: { max }, headline: true }),
        note: `${Math.round(rates)} requests/s, ${figure("sextant_commits_total")} commits, ${figure("sextant_pruned_rows")} rows pruned`,
      },
    );
  } finally {
    await node.stop();
  }
}

/** Balances of the accounts that the local chain starts with. */
async function demoQuestions(node: NodeServer): Promise<Question[]> {
  const { createLocalChain } = await import("../src/chain/local-chain.ts");
  const { accounts } = createLocalChain({ seed: "sextant" }).guide();
  const questions = accounts.map(
    ({ address }): Question => ({
      method: "GET",
      path: `/v1/accounts/${address}/balance/${COIN}`,
      headers: {},
    }),
  );
  for (const { path } of questions) {
    const { status } = await fetch(`${node.url}${path}`);
    if (status !== 200) throw new Error(`${path}: ${status}`);
  }
  return questions;
}

function runPaced(load: PacedLoad): Promise<PacedResult> {
  const child = fork(PACED, [], { execArgv: ["--import", "tsx"] });
  return new Promise((resolve, reject) => {
    child.once("message", (result) => resolve(result as PacedResult));
    child.once("exit", (code) => reject(new Error(`the paced load ended with ${code}`)));
    child.send(load);
  });
}
