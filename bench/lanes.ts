// What the direct lane buys: the same program with it and without it, and Fastify with the same operations, in turn
// on the same store. What counts is requests for each second of the server's own processor time.
import { itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, median, toRow } from "./harness.ts";
import { askAll, CONNECTIONS, type Sample, takeSample } from "./http.ts";
import { latestBalances, type Question, rawItems, transfers } from "./questions.ts";
import { type BenchServer, forkServer, recordAnswer } from "./servers.ts";

/** Below this the lane is not worth its lines. */
const MIN_GAIN = 1.15;

/** `direct`: as the program is; `node`: every request over node:http; `fastify`: the operations in Fastify 5. */
const LANES = ["direct", "node", "fastify"] as const;
export type Lane = (typeof LANES)[number];

type Servers = Readonly<Record<Lane, BenchServer>>;

/** All rows of lanes. */
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
    for (const [name, questions] of [
      ["balance, latest", latestBalances(set)],
      ["raw item, BCS", rawItems(set, "bcs")],
      ["encode a transfer", transfers()],
    ] as const) {
      rows.push(...(await compareLanes(name, servers, questions, options)));
    }
    return rows;
  } finally {
    for (const server of started) await server.stop();
  }
}

async function compareLanes(
  name: string,
  servers: Servers,
  questions: readonly Question[],
  { quick }: BenchOptions,
): Promise<BenchRow[]> {
  const [first] = questions;
  if (first === undefined) throw new Error(`${name}: nothing to ask`);
  const samples: Record<Lane, Sample[]> = { direct: [], node: [], fastify: [] };
  const bodies = new Set<string>();
  for (const lane of LANES) {
    bodies.add((await recordAnswer(servers[lane], first)).body);
    if (!quick) await askAll(servers[lane], questions);
  }
  if (bodies.size !== 1) throw new Error(`${name}: the servers do not answer alike`);
  for (let round = 0; round < (quick ? 1 : 9); round++) {
    for (const lane of LANES) {
      samples[lane].push(
        await takeSample(servers[lane], questions, { connections: CONNECTIONS, seconds: quick ? 1 : 2 }),
      );
    }
  }
  const perCpuSecond = (lane: Lane): number[] => samples[lane].map((sample) => sample.perCpuSecond);
  const wall = (lane: Lane): string => `${Math.round(median(samples[lane].map(({ rate }) => rate)))}`;
  const row = (what: string, ours: Lane, base: Lane, target?: BenchRow["target"]): BenchRow =>
    toRow(
      `${name}: ${what}`,
      { ours: perCpuSecond(ours), base: perCpuSecond(base) },
      {
        unit: "requests per CPU second",
        note: `wall ${wall(ours)} / ${wall(base)} requests/s`,
        ...(target === undefined ? {} : { target }),
      },
    );
  return [
    row("with the direct lane over without", "direct", "node", { min: MIN_GAIN }),
    row("with the direct lane over Fastify 5", "direct", "fastify"),
    row("without the direct lane over Fastify 5", "node", "fastify"),
  ];
}
