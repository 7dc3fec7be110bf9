// How the cost of a request grows with the number of items and with the versions of one key. Measured in the server's
// processor time.
import { type DataSet, itemsDataSet, versionsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, type RowOptions, toRow } from "./harness.ts";
import { CONNECTIONS, takeSample } from "./http.ts";
import { type BenchRequest, hotBalances, latestBalances, versionBalances } from "./requests.ts";
import { type BenchServer, startStatic } from "./servers.ts";

interface Case {
  readonly name: string;
  readonly server: BenchServer;
  readonly requests: readonly BenchRequest[];
}

const UNIT = "µs CPU per request";
const SMALL_ITEMS = 10_000;

/** Rows of growth. */
export async function benchmarkGrowth(options: BenchOptions): Promise<readonly BenchRow[]> {
  return [...(await growItems(options)), ...(await growVersions(options))];
}

async function growItems(options: BenchOptions): Promise<BenchRow[]> {
  const sizes = [SMALL_ITEMS, 1_000_000 * options.scale, 10_000_000 * options.scale].filter(
    (size, place, all) => place === 0 || size > (all[0] ?? 0),
  );
  const sets: DataSet[] = [];
  for (const size of sizes) sets.push(await itemsDataSet(size));
  const servers: BenchServer[] = [];
  try {
    for (const set of sets) servers.push(await startStatic(set));
    const rows: BenchRow[] = [];
    const series: readonly (readonly [string, (set: DataSet) => BenchRequest[]])[] = [
      ["balance, latest", latestBalances],
      ["balance, random version", versionBalances],
    ];
    for (const [name, makeRequests] of series) {
      const cases = sets.map((set, place) => ({
        name: `${set.items.toLocaleString("en-US")} items`,
        server: servers[place] as BenchServer,
        // The same number of different requests for every size, so that caches are equally warm.
        requests: makeRequests(set).slice(0, 5000),
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
      requests: hotBalances(set, place as 0 | 1 | 2).slice(0, 5000),
    }));
    return await compareCases("balance, random version", cases, options, 1.3);
  } finally {
    await server.stop();
  }
}

/** Compares every case with the first, all measured in turn. */
async function compareCases(
  name: string,
  cases: readonly Case[],
  options: BenchOptions,
  max: number,
): Promise<BenchRow[]> {
  const load = { connections: CONNECTIONS, seconds: options.quick ? 1 : 3 };
  const costs = cases.map((): number[] => []);
  for (let round = options.quick ? 0 : -1; round < (options.quick ? 1 : 7); round++) {
    for (const [place, { server, requests }] of cases.entries()) {
      const { perCpuSecond } = await takeSample(server, requests, load);
      if (round >= 0) costs[place]?.push(1e6 / perCpuSecond);
    }
  }
  const [base = []] = costs;
  return cases.slice(1).map((one, place): BenchRow => {
    const isLast = place === cases.length - 2;
    const judged: Partial<RowOptions> = isLast ? { target: { max }, headline: true } : {};
    return toRow(
      `${name}, ${one.name} over ${cases[0]?.name}`,
      { ours: costs[place + 1] ?? [], base },
      { unit: UNIT, ...judged },
    );
  });
}
