// Requests over HTTP against a bare node:http server that sends the same number of bytes with the same headers. Rows
// compare requests per second of the server's processor time. The note has requests per second of the wall clock, which
// other programs on the machine disturb.
import { type DataSet, itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, median, type RowOptions, toRow } from "./harness.ts";
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
}

/** Result of baseSample round on baseSample server. */
export interface Sample {
  /** Requests per second of the wall clock. */
  readonly rate: number;
  /** Requests per second of the server's processor time. */
  readonly perCpuSecond: number;
}

/** Number of connections for which targets hold. */
export const CONNECTIONS = 32;

/** The measured requests, by the name of their rows. */
export function seriesOf(set: DataSet): Series[] {
  return [
    { name: "balance, latest", requests: latestBalances(set), min: 0.8 },
    { name: "balance, latest, same thousand accounts", requests: repeatedBalances(set) },
    { name: "balance, random version", requests: versionBalances(set), min: 0.7 },
    { name: "raw item, BCS", requests: rawItems(set, "bcs"), min: 0.85 },
    { name: "raw item, JSON", requests: rawItems(set, "json") },
    { name: "encode a transfer", requests: transfers(), min: 0.5 },
    { name: "info", requests: infos() },
  ];
}

/** Rows of requests over HTTP. */
export async function benchmarkHttp(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 1_000_000 * options.scale));
  const node = await startStatic(set);
  const bare = await startBare();
  try {
    const rows: BenchRow[] = [];
    for (const series of seriesOf(set)) {
      if (!options.quick) await warmUp(node, series.requests);
      for (const connections of options.quick ? [CONNECTIONS] : [1, CONNECTIONS, 256]) {
        rows.push(await compareWithBare(node, bare, series, connections, options));
      }
    }
    return rows;
  } finally {
    await bare.stop();
    await node.stop();
  }
}

/** Sends every request once: the first access to a page of the store costs a page fault. */
export async function warmUp({ url }: BenchServer, requests: readonly BenchRequest[]): Promise<void> {
  for (let sent = 0; sent < requests.length; ) {
    sent += (await runLoad({ url, requests, connections: CONNECTIONS, seconds: 1 })).requestCount;
  }
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
    connections,
    seconds: options.quick ? 1 : 2,
    rounds: options.quick ? 1 : connections === CONNECTIONS ? 7 : 3,
    ...(judged ? { target: { min }, headline: true } : {}),
  });
}

/** Measures two servers under the same load in turn, after baseSample unmeasured round if there are several. */
export async function compareServers(
  name: string,
  servers: { readonly ours: BenchServer; readonly base: BenchServer },
  requests: readonly BenchRequest[],
  options: Pick<RowOptions, "target" | "headline"> & {
    readonly connections: number;
    readonly seconds: number;
    readonly rounds: number;
  },
): Promise<BenchRow> {
  const ours: Sample[] = [];
  const base: Sample[] = [];
  for (let round = options.rounds === 1 ? 0 : -1; round < options.rounds; round++) {
    const baseSample = await takeSample(servers.base, requests, options);
    const oursSample = await takeSample(servers.ours, requests, options);
    if (round < 0) continue;
    base.push(baseSample);
    ours.push(oursSample);
  }
  const rates = { ours: ours.map(({ rate }) => rate), base: base.map(({ rate }) => rate) };
  const wall = median(rates.ours.map((rate, round) => rate / (rates.base[round] ?? Number.NaN)));
  return toRow(
    name,
    {
      ours: ours.map(({ perCpuSecond }) => perCpuSecond),
      base: base.map(({ perCpuSecond }) => perCpuSecond),
    },
    {
      ...options,
      unit: "requests per CPU second",
      note: `wall ${wall.toFixed(2)}: ${Math.round(median(rates.ours))} / ${Math.round(median(rates.base))} requests/s`,
    },
  );
}

/** One round of load. */
export async function takeSample(
  server: BenchServer,
  requests: readonly BenchRequest[],
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<Sample> {
  const before = await server.cpuMicros();
  const result = await runLoad({ url: server.url, requests, connections, seconds });
  const used = (await server.cpuMicros()) - before;
  return { rate: result.requestCount / result.seconds, perCpuSecond: (1e6 * result.requestCount) / used };
}
