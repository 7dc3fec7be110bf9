// Latency at half of the highest load, while a local chain commits and prunes blocks: p99 over that of a bare server, which
// gets the same load in turn. Requests have fixed due times and their latency counts from then, so that a pause delays
// every request due in it.
import type { ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { pathTo } from "../src/interface/route.ts";
import { balanceRoute } from "../src/interface/routes.ts";
import { type BenchOptions, type BenchRow, compareAll, median, withDirectory } from "./harness.ts";
import { CONNECTIONS, takeSample } from "./http.ts";
import { forkFile } from "./own-process.ts";
import type { PacedLoad, PacedResult } from "./paced-load.ts";
import type { BenchRequest } from "./requests.ts";
import {
  type BareServer,
  type BenchServer,
  type NodeServer,
  recordResponse,
  startBare,
  startNode,
} from "./servers.ts";
import { nextMessage } from "./waits.ts";

const COIN = "0x1::aptos_coin::AptosCoin";
/** Processors that latency needs: the load generator, a worker, and the writer. */
const CLOCK_PROCESSORS = 3;

/** A block is due once in each round. */
const BLOCK_SECONDS = 1;
/** Times the usual time: p99 is the noisiest of all figures. */
const BUDGET = 6;

/** Rows of latency. */
export async function benchmarkLatency(options: BenchOptions): Promise<readonly BenchRow[]> {
  const bare = await startBare();
  try {
    return await withDirectory((path) => measure(path, bare, options));
  } finally {
    await bare.stop();
  }
}

/** One round of load on a server: what the generator saw, and the server's processor time for each request. */
interface PacedRound extends PacedResult {
  readonly cpuMicros: number;
}

async function measure(path: string, bare: BareServer, options: BenchOptions): Promise<readonly BenchRow[]> {
  const chain = ["--prune-window", "100", "--block-time", `${BLOCK_SECONDS}s`, "--workers", "1"];
  const node = await startNode(["--data", path, ...chain]);
  const child = forkFile("./paced-load.ts");
  try {
    const requests = await demoRequests(node, bare);
    const full = { connections: CONNECTIONS, seconds: options.quick ? 0.3 : 1 };
    // Warm up the code.
    await takeSample(node, requests, full);
    const { rate } = await takeSample(node, requests, full);
    const load = { requests, connections: CONNECTIONS, rate: rate / 2, seconds: BLOCK_SECONDS };
    const rounds = { ours: [] as PacedRound[], base: [] as PacedRound[] };
    const side = (of: "ours" | "base", server: BenchServer) => async (): Promise<number> => {
      const before = await server.cpuMicros();
      const result = await runPaced(child, { url: server.url, ...load });
      if (result.failures > 0) throw new Error(`${result.failures} responses were failures`);
      const cpuMicros = ((await server.cpuMicros()) - before) / (result.rate * load.seconds);
      rounds[of].push({ ...result, cpuMicros });
      return result.p99 / 1000;
    };
    const judged = { target: { max: 1.5 }, headline: true };
    const [row, cpuRow] = await compareAll(
      {
        base: side("base", bare),
        ours: side("ours", node),
        baseCpu: () => rounds.base.at(-1)?.cpuMicros ?? Number.NaN,
        oursCpu: () => rounds.ours.at(-1)?.cpuMicros ?? Number.NaN,
      },
      [
        {
          name: "p99 at half load while a block is made each second, over the bare server's",
          ...{ ours: "ours", base: "base", unit: "ms", basis: "clock", ...judged },
        },
        {
          name: "CPU time of a request at half load while a block is made each second, over the bare server's",
          ...{ ours: "oursCpu", base: "baseCpu", unit: "µs CPU" },
          ...(isClockFair() ? {} : judged),
          note: "with the writer's blocks, which the bare server does not make",
        },
      ],
      { inOrder: true, budget: BUDGET },
    );
    if (row === undefined || cpuRow === undefined) throw new Error("two rows were asked for");
    return [{ ...row, note: await noteOf(node, rounds.ours) }, cpuRow];
  } finally {
    child.disconnect();
    await node.stop();
  }
}

/** True if each process has a processor. */
function isClockFair(): boolean {
  return availableParallelism() >= CLOCK_PROCESSORS;
}

async function noteOf(node: NodeServer, results: readonly PacedResult[]): Promise<string> {
  const page = await (await fetch(`${node.url}/metrics`)).text();
  const figure = (metric: string): string => new RegExp(`^${metric} (\\d+)`, "m").exec(page)?.[1] ?? "?";
  const middle = (pick: (result: PacedResult) => number): number => median(results.map(pick));
  const late = `${middle(({ late50 }) => late50).toFixed(0)} and ${middle(({ late99 }) => late99).toFixed(0)}`;
  return [
    ...(isClockFair()
      ? []
      : [`${availableParallelism()} processors cannot judge this, the CPU time is in the next row`]),
    `p99 over p50 ${middle(({ p50, p99 }) => p99 / p50).toFixed(1)}`,
    `${Math.round(middle(({ rate }) => rate))} requests/s`,
    `${figure("sextant_commits_total")} commits, ${figure("sextant_pruned_rows_total")} rows pruned`,
    `generator used ${middle(({ processors }) => processors).toFixed(2)} processors, sent ${late} µs late (p50, p99)`,
  ].join("; ");
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

/** Runs a paced load in its process. */
export function runPaced(child: ChildProcess, load: PacedLoad): Promise<PacedResult> {
  const result = nextMessage<PacedResult>(child, "the paced load");
  child.send(load);
  return result;
}
