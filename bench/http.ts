// Requests over HTTP against a bare node:http server that answers the same number of bytes with the same headers.
// What counts is requests for each second of the server's own processor time; requests per second of the wall
// clock, which other programs on the machine disturb, stand beside it.
import { type DataSet, itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, median, type RowOptions, toRow } from "./harness.ts";
import { runLoad } from "./load.ts";
import {
  infos,
  latestBalances,
  type Question,
  rawItems,
  repeatedBalances,
  transfers,
  versionBalances,
} from "./questions.ts";
import { type BareServer, type BenchServer, recordAnswer, startBare, startStatic } from "./servers.ts";

interface Series {
  readonly name: string;
  readonly questions: readonly Question[];
  /** For 32 connections. */
  readonly min?: number;
}

/** How a server did in one round. */
export interface Sample {
  /** Requests per second of the wall clock. */
  readonly rate: number;
  /** Requests per second of the server's processor time. */
  readonly perCpuSecond: number;
}

/** The number of connections that targets are for. */
export const CONNECTIONS = 32;

/** What is asked, by the name of its rows. */
export function seriesOf(set: DataSet): Series[] {
  return [
    { name: "balance, latest", questions: latestBalances(set), min: 0.8 },
    { name: "balance, latest, same thousand accounts", questions: repeatedBalances(set) },
    { name: "balance, random version", questions: versionBalances(set), min: 0.7 },
    { name: "raw item, BCS", questions: rawItems(set, "bcs"), min: 0.85 },
    { name: "raw item, JSON", questions: rawItems(set, "json") },
    { name: "encode a transfer", questions: transfers(), min: 0.5 },
    { name: "info", questions: infos() },
  ];
}

/** All rows of requests. */
export async function benchmarkHttp(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 1_000_000 * options.scale));
  const node = await startStatic(set);
  const bare = await startBare();
  try {
    const rows: BenchRow[] = [];
    for (const series of seriesOf(set)) {
      if (!options.quick) await askAll(node, series.questions);
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

/** Asks every question once: a page of the store that is touched for the first time costs a fault. */
export async function askAll({ url }: BenchServer, questions: readonly Question[]): Promise<void> {
  for (let asked = 0; asked < questions.length; ) {
    asked += (await runLoad({ url, questions, connections: CONNECTIONS, seconds: 1 })).requests;
  }
}

async function compareWithBare(
  node: BenchServer,
  bare: BareServer,
  { name, questions, min }: Series,
  connections: number,
  options: BenchOptions,
): Promise<BenchRow> {
  const [first] = questions;
  if (first === undefined) throw new Error(`${name}: nothing to ask`);
  await bare.repeat(await recordAnswer(node, first));
  const judged = connections === CONNECTIONS && min !== undefined;
  return compareServers(`${name}, ${connections} connections`, { ours: node, base: bare }, questions, {
    connections,
    seconds: options.quick ? 1 : 2,
    rounds: options.quick ? 1 : connections === CONNECTIONS ? 7 : 3,
    ...(judged ? { target: { min }, headline: true } : {}),
  });
}

/** Two servers under the same load in turn, after an unmeasured round where there is more than one. */
export async function compareServers(
  name: string,
  servers: { readonly ours: BenchServer; readonly base: BenchServer },
  questions: readonly Question[],
  options: Pick<RowOptions, "target" | "headline"> & {
    readonly connections: number;
    readonly seconds: number;
    readonly rounds: number;
  },
): Promise<BenchRow> {
  const ours: Sample[] = [];
  const base: Sample[] = [];
  for (let round = options.rounds === 1 ? 0 : -1; round < options.rounds; round++) {
    const one = await takeSample(servers.base, questions, options);
    const other = await takeSample(servers.ours, questions, options);
    if (round < 0) continue;
    base.push(one);
    ours.push(other);
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
  questions: readonly Question[],
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<Sample> {
  const before = await server.cpuMicros();
  const result = await runLoad({ url: server.url, questions, connections, seconds });
  const used = (await server.cpuMicros()) - before;
  return { rate: result.requests / result.seconds, perCpuSecond: (1e6 * result.requests) / used };
}
