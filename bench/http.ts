// Requests over HTTP against a bare node:http server that sends the same number of bytes with the same headers. Rows
// compare requests per second of the server's processor time. The note has requests per second of the wall clock, which
// other programs on the machine disturb.
import { type DataSet, itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compare, median, type RowOptions } from "./harness.ts";
import { runLoad } from "./load.ts";
import {
  type BenchRequest,
  infos,
  latestBalances,
  rawItems,
  repeatedBalances,
  transfers,
  versionBalances,
} from "./requests.ts";
import { type BareServer, type BenchServer, recordResponse, startBare, startStatic } from "./servers.ts";

interface Series {
  readonly name: string;
  readonly requests: readonly BenchRequest[];
  /** Target at 32 connections. */
  readonly min?: number;
  /** Numbers of connections; 32 where they are absent. */
  readonly connections?: readonly number[];
}

/** Result of one round on one server. */
export interface Sample {
  /** Requests per second of the wall clock. */
  readonly rate: number;
  /** Requests per second of the server's processor time. */
  readonly perCpuSecond: number;
}

/** Number of connections for which targets hold. */
export const CONNECTIONS = 32;

/** The load that one side of a round gets. */
export interface RoundLoad {
  readonly connections: number;
  readonly seconds: number;
  readonly requestCount?: number;
}

/** The usual load of a round. A quick run ends it by the number of requests. */
export function roundLoad({ quick }: BenchOptions, connections = CONNECTIONS): RoundLoad {
  return quick ? { connections, seconds: 5, requestCount: 1500 } : { connections, seconds: 0.5 };
}

/** The measured requests, by the name of their rows. */
export function seriesOf(set: DataSet): Series[] {
  return [
    { name: "balance, latest", requests: latestBalances(set), min: 0.95, connections: [1, CONNECTIONS, 256] },
    { name: "balance, latest, same thousand accounts", requests: repeatedBalances(set), min: 1.3 },
    { name: "balance, random version", requests: versionBalances(set), min: 0.7 },
    { name: "raw item, BCS", requests: rawItems(set, "bcs"), min: 1.4 },
    { name: "raw item, JSON", requests: rawItems(set, "json") },
    { name: "encode a transfer", requests: transfers(), min: 0.75 },
    { name: "info", requests: infos() },
  ];
}

/** Rows of requests over HTTP. */
export async function benchmarkHttp(
  options: BenchOptions,
  choose: (all: readonly Series[]) => readonly Series[] = (all) => all,
): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 1_000_000 * options.scale));
  const node = await startStatic(set);
  const bare = await startBare();
  try {
    const rows: BenchRow[] = [];
    for (const series of choose(seriesOf(set))) {
      await warmUp(node, series.requests, options);
      const { connections = [CONNECTIONS] } = series;
      for (const count of options.quick ? [CONNECTIONS] : connections) {
        rows.push(await compareWithBare(node, bare, series, count, options));
      }
    }
    return rows;
  } finally {
    await bare.stop();
    await node.stop();
  }
}

/**
 * Sends every request once, because the first access to a page of the store costs a page fault. A quick run has few pages;
 * it warms up the code alone.
 */
export async function warmUp(
  { url }: BenchServer,
  requests: readonly BenchRequest[],
  { quick }: BenchOptions,
): Promise<void> {
  const load = { url, requests, connections: CONNECTIONS, seconds: 1 };
  if (quick) await runLoad({ ...load, requestCount: 5000 });
  else for (let sent = 0; sent < requests.length; ) sent += (await runLoad(load)).requestCount;
}

async function compareWithBare(
  node: BenchServer,
  bare: BareServer,
  { name, requests, min }: Series,
  connections: number,
  options: BenchOptions,
): Promise<BenchRow> {
  const [first] = requests;
  if (first === undefined) throw new Error(`${name}: no requests`);
  await bare.repeat(await recordResponse(node, first));
  const judged = connections === CONNECTIONS && min !== undefined;
  return compareServers(`${name}, ${connections} connections`, { ours: node, base: bare }, requests, {
    load: roundLoad(options, connections),
    ...(judged ? { target: { min }, headline: true } : {}),
  });
}

/** Measures two servers under the same load in turn. */
export async function compareServers(
  name: string,
  servers: { readonly ours: BenchServer; readonly base: BenchServer },
  requests: readonly BenchRequest[],
  { load, ...options }: Pick<RowOptions, "target" | "headline"> & { readonly load: RoundLoad },
): Promise<BenchRow> {
  const rates = { ours: [] as number[], base: [] as number[] };
  const side = (of: "ours" | "base") => async (): Promise<number> => {
    const { rate, perCpuSecond } = await takeSample(servers[of], requests, load);
    rates[of].push(rate);
    return perCpuSecond;
  };
  const row = await compare(
    name,
    { ours: side("ours"), base: side("base") },
    { ...options, unit: "requests per CPU second" },
  );
  const [ours, base] = [median(rates.ours), median(rates.base)];
  const note = `wall ${(ours / base).toFixed(2)}: ${Math.round(ours)} / ${Math.round(base)} requests/s`;
  return { ...row, note };
}

/** One round of load. */
export async function takeSample(
  server: BenchServer,
  requests: readonly BenchRequest[],
  load: RoundLoad,
): Promise<Sample> {
  const before = await server.cpuMicros();
  const result = await runLoad({ url: server.url, requests, isAwake: true, ...load });
  const used = (await server.cpuMicros()) - before;
  return { rate: result.requestCount / result.seconds, perCpuSecond: (1e6 * result.requestCount) / used };
}
