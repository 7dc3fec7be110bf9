// The gain of the direct lane: the same program with and without it, and Fastify with the same operations, in turn
// on the same store. Rows compare requests per second of the server's processor time.
import { itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compareAll, type Pairing } from "./harness.ts";
import { roundLoad, takeSample, warmUp } from "./http.ts";
import { type BenchRequest, latestBalances, rawItems, transfers } from "./requests.ts";
import { type BenchServer, forkServer, recordResponse } from "./servers.ts";

/** Below this gain the lane is not worth its code. */
const MIN_GAIN = 1.15;
/** Requests that warm up the code: fewer than in other benchmarks, because there are three servers. */
const WARM_UP = 10_000;
const ROUND_SECONDS = 0.25;

/**
 * `direct`: the program; `node`: the program with every request over node:http; `fastify`: the operations in
 * Fastify 5.
 */
const LANES = ["direct", "node", "fastify"] as const;
export type Lane = (typeof LANES)[number];

type Servers = Readonly<Record<Lane, BenchServer>>;

/** Rows of lanes. */
export async function benchmarkLanes(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 1_000_000 * options.scale));
  const started: BenchServer[] = [];
  try {
    const start = async (lane: Lane): Promise<BenchServer> => {
      const { server } = await forkServer("./lane-server.ts", [lane, set.data]);
      started.push(server);
      return server;
    };
    const servers: Servers = {
      direct: await start("direct"),
      node: await start("node"),
      fastify: await start("fastify"),
    };
    const rows: BenchRow[] = [];
    const series = [
      ["balance, latest", latestBalances(set)],
      ["raw item, BCS", rawItems(set, "bcs")],
      ["encode a transfer", transfers()],
    ] as const;
    for (const [name, requests] of options.quick ? series.slice(0, 1) : series) {
      rows.push(...(await compareLanes(name, servers, requests, options)));
    }
    return rows;
  } finally {
    for (const server of started) await server.stop();
  }
}

async function compareLanes(
  name: string,
  servers: Servers,
  requests: readonly BenchRequest[],
  options: BenchOptions,
): Promise<BenchRow[]> {
  const [first] = requests;
  if (first === undefined) throw new Error(`${name}: no requests`);
  const bodies = new Set<string>();
  for (const lane of LANES) {
    bodies.add((await recordResponse(servers[lane], first)).body);
    await warmUp(servers[lane], requests.slice(0, WARM_UP), options);
  }
  if (bodies.size !== 1) throw new Error(`${name}: the servers send different bodies`);
  const load = { ...roundLoad(options), ...(options.quick ? {} : { seconds: ROUND_SECONDS }) };
  const side = (lane: Lane) => async (): Promise<number> =>
    (await takeSample(servers[lane], requests, load)).perCpuSecond;
  const row = (what: string, ours: Lane, base: Lane): Pairing => ({
    name: `${name}: ${what}`,
    ours,
    base,
    unit: "requests per CPU second",
  });
  return compareAll({ direct: side("direct"), node: side("node"), fastify: side("fastify") }, [
    { ...row("with the direct lane over without", "direct", "node"), target: { min: MIN_GAIN } },
    row("with the direct lane over Fastify 5", "direct", "fastify"),
    row("without the direct lane over Fastify 5", "node", "fastify"),
  ]);
}
