// How the cost of a request grows with the number of items, with the versions of one key, and with the accounts of an index.
// Measured in the server's processor time. Batches are in batch.ts, epochs in proofs.ts.
import { accountsDataSet, type DataSet, itemsDataSet, versionsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compare, type Side } from "./harness.ts";
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
/** Twice the usual time: a difference of 15 % needs more rounds than one of a half. */
const GROWTH_BUDGET = 2;
const ROUND_SECONDS = 0.25;

/** Rows of growth. */
export async function benchmarkGrowth(options: BenchOptions): Promise<readonly BenchRow[]> {
  const { scale } = options;
  const items: Series = [
    ["balance of any account", balancesBeforeHead],
    ["balance, random version", versionBalances],
    ["raw item, BCS", (set) => rawItems(set, "bcs")],
  ];
  // A quick run shows that each kind of growth is measured.
  const measured = options.quick ? items.slice(0, 1) : items;
  const accounts: Series = [["all balances of an account, an index of", holdings]];
  return [
    ...(await growSets("items", 1e7 * scale, itemsDataSet, measured, options)),
    await growVersions(options),
    ...(await growSets("accounts", 1e6 * scale, accountsDataSet, accounts, options)),
  ];
}

/** Balances before the latest version, which no cache keeps; no account of these changes in it. */
function balancesBeforeHead(set: DataSet): BenchRequest[] {
  return latestBalances(set).map((request) => {
    const path = new URL(request.path, "http://localhost");
    path.searchParams.set("ledger_version", `${set.head - 1}`);
    return { ...request, path: `${path.pathname}${path.search}` };
  });
}

async function growSets(
  what: string,
  large: number,
  makeSet: (size: number) => Promise<DataSet>,
  series: Series,
  options: BenchOptions,
): Promise<BenchRow[]> {
  // The large one of a quick run may be as small; then the row shows that it works.
  const sets = [await makeSet(SMALL), await makeSet(Math.max(large, 2 * SMALL))];
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
      rows.push(await compareCases(name, cases, options, 1.15));
    }
    return rows;
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function growVersions(options: BenchOptions): Promise<BenchRow> {
  const set = await versionsDataSet(1_000_000 * options.scale);
  const server = await startStatic(set);
  try {
    const count = set.head - set.historyFrom + 1;
    const cases = ([0, 2] as const).map((which) => ({
      name: `a key of ${which === 0 ? "1 version" : `${count.toLocaleString("en-US")} versions`}`,
      server,
      requests: hotBalances(set, which).slice(0, REQUESTS),
    }));
    return await compareCases("balance, random version", cases, options, 1.3);
  } finally {
    await server.stop();
  }
}

/** Compares the second case with the first, in turn. */
async function compareCases(
  name: string,
  cases: readonly Case[],
  options: BenchOptions,
  max: number,
): Promise<BenchRow> {
  const [small, large] = cases;
  if (small === undefined || large === undefined) throw new Error(`${name}: expected two cases`);
  const usual = roundLoad(options);
  // Holdings take several times as long as a balance.
  const load = { ...usual, ...(options.quick ? { requestCount: 500 } : { seconds: ROUND_SECONDS }) };
  for (const { server, requests } of cases) await warmUp(server, requests, options);
  const sideOf =
    ({ server, requests }: Case): Side =>
    async () =>
      1e6 / (await takeSample(server, requests, load)).perCpuSecond;
  return compare(
    `${name}, ${large.name} over ${small.name}`,
    { ours: sideOf(large), base: sideOf(small) },
    { unit: UNIT, target: { max }, headline: true, budget: GROWTH_BUDGET },
  );
}
