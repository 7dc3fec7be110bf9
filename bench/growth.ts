// How the cost of a request grows with the number of items, with the versions of one key, and with the accounts of an index.
// Measured in the server's processor time. Batches are in batch.ts, epochs in proofs.ts.
import { accountsDataSet, type DataSet, itemsDataSet, versionsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compareAll, type Pairing, type Side } from "./harness.ts";
import { roundLoad, takeSample, warmUp } from "./http.ts";
import {
  type BenchRequest,
  holdings,
  hotBalances,
  latestBalances,
  rawItems,
  versionBalances,
} from "./requests.ts";
import { type BenchServer, startStatic } from "./servers.ts";

interface Case {
  readonly name: string;
  readonly server: BenchServer;
  readonly requests: readonly BenchRequest[];
}

type Series = readonly (readonly [name: string, makeRequests: (set: DataSet) => BenchRequest[]])[];

const UNIT = "µs CPU per request";
const SMALL = 10_000;
/** The same number of different requests for every size, so that caches are equally warm. */
const REQUESTS = 5000;

/** Rows of growth. */
export async function benchmarkGrowth(options: BenchOptions): Promise<readonly BenchRow[]> {
  const { scale } = options;
  const items: Series = [
    ["balance, latest", latestBalances],
    ["balance, random version", versionBalances],
    ["raw item, BCS", (set) => rawItems(set, "bcs")],
  ];
  const accounts: Series = [["all balances of an account, an index of", holdings]];
  return [
    ...(await growSets("items", [SMALL, 1e6 * scale, 1e7 * scale], itemsDataSet, items, options)),
    ...(await growVersions(options)),
    ...(await growSets("accounts", [SMALL, 1e6 * scale], accountsDataSet, accounts, options)),
  ];
}

async function growSets(
  what: string,
  sizes: readonly number[],
  makeSet: (size: number) => Promise<DataSet>,
  series: Series,
  options: BenchOptions,
): Promise<BenchRow[]> {
  const sets: DataSet[] = [];
  const growing = sizes.filter((size, place) => place === 0 || size > SMALL);
  // A quick run has no larger one; then the row shows that it works.
  for (const size of growing.length > 1 ? growing : [SMALL, 2 * SMALL]) sets.push(await makeSet(size));
  const servers: BenchServer[] = [];
  try {
    for (const set of sets) servers.push(await startStatic(set));
    const rows: BenchRow[] = [];
    for (const [name, makeRequests] of series) {
      const cases = sets.map((set, place) => ({
        name: `${set.items.toLocaleString("en-US")} ${what}`,
        server: servers[place] as BenchServer,
        requests: makeRequests(set).slice(0, REQUESTS),
      }));
      rows.push(...(await compareCases(name, cases, options, 1.15)));
    }
    return rows;
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function growVersions(options: BenchOptions): Promise<BenchRow[]> {
  const set = await versionsDataSet(1_000_000 * options.scale);
  const server = await startStatic(set);
  try {
    const count = set.head - set.historyFrom + 1;
    const names = ["1 version", "1,000 versions", `${count.toLocaleString("en-US")} versions`];
    const cases = names.map((name, place) => ({
      name: `a key of ${name}`,
      server,
      requests: hotBalances(set, place as 0 | 1 | 2).slice(0, REQUESTS),
    }));
    return await compareCases("balance, random version", cases, options, 1.3);
  } finally {
    await server.stop();
  }
}

/** Compares every case with the first, all measured in turn. The last is judged. */
async function compareCases(
  name: string,
  cases: readonly Case[],
  options: BenchOptions,
  max: number,
): Promise<BenchRow[]> {
  const load = roundLoad(options);
  for (const { server, requests } of cases) await warmUp(server, requests, options);
  const sides = cases.map(({ name: side, server, requests }): [string, Side] => [
    side,
    async () => 1e6 / (await takeSample(server, requests, load)).perCpuSecond,
  ]);
  const [first] = cases;
  if (first === undefined) return [];
  const pairings = cases.slice(1).map(
    (one, place): Pairing => ({
      name: `${name}, ${one.name} over ${first.name}`,
      ours: one.name,
      base: first.name,
      unit: UNIT,
      ...(place === cases.length - 2 ? { target: { max }, headline: true } : {}),
    }),
  );
  return compareAll(Object.fromEntries(sides), pairings);
}
