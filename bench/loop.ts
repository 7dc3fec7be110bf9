import { availableParallelism } from "node:os";
import { pathTo } from "../src/interface/route.ts";
import { balanceRoute, encodeRoute } from "../src/interface/routes.ts";
import { createNode } from "../src/node.ts";
import { createHeavyLedger } from "../test/support/heavy-ledger.ts";
import {
  chainRequests,
  type HeavyRequest,
  ledgerRequests,
  usualRequests,
} from "../test/support/heavy-requests.ts";
import { longestTurnMs, MeterClient } from "../test/support/loop-meter.ts";
import { type BenchOptions, type BenchRow, compare, withDirectory } from "./harness.ts";
import { runPaced } from "./latency.ts";
import { runLoad } from "./load.ts";
import { forkFile } from "./own-process.ts";
import type { BenchRequest } from "./requests.ts";
import { startNode } from "./servers.ts";
import { FEWEST_ROUNDS } from "./statistics.ts";

const SEED = "loop bench";
const MAX_HOLD_MS = 20;
/** Requests that are measured in every round: those that held the loop longest. */
const CANDIDATES = 3;
const HEAVY_CLIENTS = 4;
const HEAVY_BYTES = 1_800_000;
/** Requests of the honest client in a second. */
const RATE = 200;
/** Processors that a wait needs: node, its thread, and a generator on each side. */
const CLOCK_PROCESSORS = 4;

/** Rows of the event loop. */
export async function benchmarkLoop(options: BenchOptions): Promise<readonly BenchRow[]> {
  const beside = await besideHeavyClients(options);
  // The tests judge the longest turn of every request, and a quick run follows them.
  return options.quick ? [beside] : [await longestTurn(), beside];
}

/** A request that held the loop for long, and how to send it again. */
interface Candidate {
  readonly what: string;
  readonly heldMs: number;
  readonly measureAgain: () => Promise<number>;
}

/**
 * Sends every request, those that held the loop for long once more, because the first run code that is not compiled yet,
 * and then measures the longest of them again and again.
 */
async function longestTurn(): Promise<BenchRow> {
  const node = await createNode({
    http: { port: 0, maxWaitMs: 0 },
    localChain: { seed: SEED },
    proofWindow: "1h",
  });
  await node.mine(2);
  const { genesis_waypoint } = await node.info();
  const demo = /0x[0-9a-f]+(?=::demo::)/.exec(JSON.stringify(node.guide()))?.[0] ?? "0x1";
  const { createHttpServer } = await import("../src/http/server.ts");
  const refuse = (): Promise<never> => Promise.reject(new Error("asked of the other node"));
  const server = createHttpServer({
    ledger: await createHeavyLedger(),
    encoder: refuse,
    explainer: refuse,
    nodeInfo: () => ({}),
    port: 0,
    maxWaitMs: 0,
    console: false,
  });
  const { host, port } = await server.listen();
  const ofChain = new MeterClient(node.url ?? "");
  const ofLedger = new MeterClient(`http://${host}:${port}/v1`);
  try {
    const candidates = [
      ...(await measureAll(ofChain, chainRequests(SEED, demo, String(genesis_waypoint)))),
      ...(await measureAll(ofLedger, ledgerRequests())),
    ].sort((a, b) => b.heldMs - a.heldMs);
    const longest = candidates.slice(0, CANDIDATES);
    return await compare(
      `longest turn of the event loop by any request, over ${MAX_HOLD_MS} ms`,
      {
        ours: async () => {
          let worst = 0;
          for (const { measureAgain } of longest) worst = Math.max(worst, await measureAgain());
          return worst;
        },
        base: () => MAX_HOLD_MS,
      },
      {
        unit: "ms CPU",
        target: { max: 1 },
        headline: true,
        note: `${candidates.length} requests; ${longest.map(({ what, heldMs }) => `${what} ${heldMs.toFixed(0)} ms`).join(", ")}`,
      },
    );
  } finally {
    await Promise.all([ofChain.close(), ofLedger.close()]);
    await node.close();
    await server.close();
  }
}

async function measureAll(client: MeterClient, requests: readonly HeavyRequest[]): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const request of usualRequests(requests)) {
    const measureAgain = async (): Promise<number> => {
      await client.prepare(request);
      return longestTurnMs(() => client.send());
    };
    let heldMs = await measureAgain();
    if (heldMs > MAX_HOLD_MS / 2) heldMs = Math.min(heldMs, await measureAgain());
    candidates.push({ what: `${request.operation}, ${request.what}`, heldMs, measureAgain });
  }
  return candidates;
}

function heavyRequest(): BenchRequest {
  const recipients = Math.floor(HEAVY_BYTES / '"0x2","1",'.length);
  const body = JSON.stringify({
    sender: "0x1",
    sequence_number: "0",
    max_gas_amount: "2000",
    gas_unit_price: "100",
    expiration_timestamp_secs: "4000000000",
    payload: {
      type: "entry_function_payload",
      function: "0x1::aptos_account::batch_transfer",
      type_arguments: [],
      arguments: [Array(recipients).fill("0x2"), Array(recipients).fill("1")],
    },
  });
  return { method: "POST", path: pathTo(encodeRoute), headers: { "Content-Type": "application/json" }, body };
}

function besideHeavyClients(options: BenchOptions): Promise<BenchRow> {
  return withDirectory(async (path) => {
    const node = await startNode(["--data", path, "--block-time", "1h"]);
    const child = forkFile("./paced-load.ts");
    const seconds = options.quick ? 1 : 1.5;
    const asset_type = "0x1::aptos_coin::AptosCoin";
    const requests: BenchRequest[] = [
      { method: "GET", path: pathTo(balanceRoute, { address: "0x1", asset_type }), headers: {} },
    ];
    const heavy = [heavyRequest()];
    const alone = async (): Promise<number> =>
      (await runPaced(child, { url: node.url, requests, connections: 8, rate: RATE, seconds })).p99 / 1000;
    const beside = async (): Promise<number> => {
      const others = runLoad({ url: node.url, requests: heavy, connections: HEAVY_CLIENTS, seconds });
      const [p99] = await Promise.all([alone(), others]);
      return p99;
    };
    try {
      return await compare(
        "p99 of a client beside four that encode 1.8 MB, over its p99 alone",
        { ours: beside, base: alone },
        {
          unit: "ms",
          basis: "clock",
          target: { max: 3 },
          headline: true,
          rounds: FEWEST_ROUNDS,
          ...(availableParallelism() >= CLOCK_PROCESSORS
            ? {}
            : {
                note: `${availableParallelism()} processors: node, its thread and the clients share them, so that a request also waits for a processor`,
              }),
        },
      );
    } finally {
      child.disconnect();
      await node.stop();
    }
  });
}
