// How long requests hold the event loop: the longest turn by any request that the limits allow, and what an honest client
// feels of four others that encode as large bodies as they can.
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { pathTo } from "../src/interface/route.ts";
import { balanceRoute, encodeRoute } from "../src/interface/routes.ts";
import { createNode } from "../src/node.ts";
import { createHeavyLedger } from "../test/support/heavy-ledger.ts";
import { chainRequests, type HeavyRequest, ledgerRequests } from "../test/support/heavy-requests.ts";
import { longestTurnMs, MeterClient } from "../test/support/loop-meter.ts";
import { type BenchOptions, type BenchRow, compare, toRow, withDirectory } from "./harness.ts";
import { PACED, runPaced } from "./latency.ts";
import { runLoad } from "./load.ts";
import type { BenchRequest } from "./requests.ts";
import { startNode } from "./servers.ts";

const SEED = "loop bench";
const MAX_HOLD_MS = 20;
const ROUNDS = 5;
const HEAVY_CLIENTS = 4;
const HEAVY_BYTES = 1_800_000;
/** Requests of the honest client in a second. */
const RATE = 200;
/** Processors that a wait needs: node, its thread, and a generator on each side. */
const CLOCK_PROCESSORS = 4;

/** Rows of the event loop. */
export async function benchmarkLoop(options: BenchOptions): Promise<readonly BenchRow[]> {
  return [await longestTurn(), await besideHeavyClients(options)];
}

async function longestTurn(): Promise<BenchRow> {
  let worst = { ms: 0, what: "" };
  const measure = async (client: MeterClient, requests: readonly HeavyRequest[]): Promise<void> => {
    for (const request of requests) {
      let best = Number.POSITIVE_INFINITY;
      // The best of some rounds: the first run code that is not compiled yet. Short ones need no second look.
      for (let round = 0; round < ROUNDS && best > worst.ms; round++) {
        await client.prepare(request);
        best = Math.min(best, await longestTurnMs(() => client.send()));
      }
      if (best > worst.ms) worst = { ms: best, what: `${request.operation}, ${request.what}` };
    }
    await client.close();
  };
  const node = await createNode({
    http: { port: 0, maxWaitMs: 0 },
    localChain: { seed: SEED },
    proofWindow: "1h",
  });
  await node.mine(2);
  const { genesis_waypoint } = await node.info();
  const demo = /0x[0-9a-f]+(?=::demo::)/.exec(JSON.stringify(node.guide()))?.[0] ?? "0x1";
  await measure(new MeterClient(node.url ?? ""), chainRequests(SEED, demo, String(genesis_waypoint)));
  await node.close();
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
  await measure(new MeterClient(`http://${host}:${port}/v1`), ledgerRequests());
  await server.close();
  return toRow(
    "longest turn of the event loop by any request, over 20 ms",
    { ours: [worst.ms], base: [MAX_HOLD_MS] },
    { unit: "ms CPU", target: { max: 1 }, note: worst.what, headline: true },
  );
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
    const child = fork(PACED, [], { execArgv: ["--import", "tsx"] });
    const seconds = options.quick ? 1 : 4;
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
