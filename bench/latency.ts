// Latency at half of the highest load, while a local chain commits and prunes blocks: p99 over p50. Requests have fixed
// due times and their latency counts from then, so that a pause delays every request due in it. A bare server gets the
// same load in turn; its latency shows the share of the machine and the load generator.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { pathTo } from "../src/interface/route.ts";
import { balanceRoute } from "../src/interface/routes.ts";
import { type BenchOptions, type BenchRow, median, type Target, toRow, withDirectory } from "./harness.ts";
import { CONNECTIONS, takeSample } from "./http.ts";
import type { PacedLoad, PacedResult } from "./paced-load.ts";
import type { BenchRequest } from "./requests.ts";
import { type BareServer, type NodeServer, recordResponse, startBare, startNode } from "./servers.ts";

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

/** Rows of latency. */
export async function benchmarkLatency(options: BenchOptions): Promise<readonly BenchRow[]> {
  const bare = await startBare();
  try {
    const rows: BenchRow[] = [];
    for (const setting of SETTINGS) {
      rows.push(...(await withDirectory((path) => measure(path, setting, bare, options))));
    }
    return rows;
  } finally {
    await bare.stop();
  }
}

/** The row of a setting, and the row of the bare server under the same load. */
async function measure(
  path: string,
  { name, args, max }: Setting,
  bare: BareServer,
  options: BenchOptions,
): Promise<readonly BenchRow[]> {
  const node = await startNode(["--data", path, "--prune-window", "100", ...args]);
  try {
    const requests = await demoRequests(node, bare);
    const full = { connections: CONNECTIONS, seconds: options.quick ? 1 : 2 };
    // Warm up the code.
    if (!options.quick) await takeSample(node, requests, full);
    const { rate } = await takeSample(node, requests, full);
    const load = { requests, connections: CONNECTIONS, rate: rate / 2 };
    const [ours, base]: [PacedResult[], PacedResult[]] = [[], []];
    for (let round = options.quick ? 0 : -1; round < (options.quick ? 1 : 5); round++) {
      const seconds = options.quick || round < 0 ? 1 : 10;
      const one = await runPaced({ url: bare.url, ...load, seconds });
      const other = await runPaced({ url: node.url, ...load, seconds });
      if (round < 0) continue;
      base.push(one);
      ours.push(other);
    }
    const failures = [...ours, ...base].reduce((sum, one) => sum + one.failures, 0);
    if (failures > 0) throw new Error(`${failures} responses were failures`);
    const page = await (await fetch(`${node.url}/metrics`)).text();
    const figure = (metric: string): string => new RegExp(`^${metric} (\\d+)`, "m").exec(page)?.[1] ?? "?";
    const times = median(ours.map(({ p99 }, round) => p99 / (base[round]?.p99 ?? Number.NaN)));
    return [
      rowOf(`p99 over p50 at half load, ${name}`, ours, {
        ...(max === undefined ? {} : { target: { max }, headline: true }),
        note: `p99 ${times.toFixed(1)} times the bare server's, ${figure("sextant_commits_total")} commits, ${figure("sextant_pruned_rows")} rows pruned`,
      }),
      rowOf(`the same load on a bare server (${name})`, base, { note: "no blocks" }),
    ];
  } finally {
    await node.stop();
  }
}

function rowOf(
  name: string,
  results: readonly PacedResult[],
  { note, ...options }: { note: string; target?: Target; headline?: boolean },
): BenchRow {
  const middle = (pick: (result: PacedResult) => number): number => median(results.map(pick));
  const late = `${middle(({ late50 }) => late50).toFixed(0)} and ${middle(({ late99 }) => late99).toFixed(0)}`;
  return toRow(
    name,
    { ours: results.map(({ p99 }) => p99 / 1000), base: results.map(({ p50 }) => p50 / 1000) },
    {
      unit: "ms",
      ...options,
      note:
        `${Math.round(middle(({ rate }) => rate))} requests/s, ${note}; generator used ` +
        `${middle(({ processors }) => processors).toFixed(2)} processors, sent ${late} µs late (p50, p99)`,
    },
  );
}

/** Balances of the demo accounts; the bare server repeats the response to the last one. */
async function demoRequests(node: NodeServer, bare: BareServer): Promise<BenchRequest[]> {
  const { createLocalChain } = await import("../src/chain/local-chain.ts");
  const { accounts } = createLocalChain({ seed: "sextant" }).guide();
  const requests = accounts.map(
    ({ address }): BenchRequest => ({
      method: "GET",
      path: pathTo(balanceRoute, { address, asset_type: COIN }),
      headers: {},
    }),
  );
  for (const request of requests) await bare.repeat(await recordResponse(node, request));
  return requests;
}

function runPaced(load: PacedLoad): Promise<PacedResult> {
  const child = fork(PACED, [], { execArgv: ["--import", "tsx"] });
  return new Promise((resolve, reject) => {
    child.once("message", (result) => resolve(result as PacedResult));
    child.once("exit", (code) => reject(new Error(`the paced load ended with ${code}`)));
    child.send(load);
  });
}
