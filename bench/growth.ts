// How the cost of a request grows with the store: more items, more versions of one key. Counted in the server's
// own processor time.
import { type DataSet, itemsDataSet, versionsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, type RowOptions, toRow } from "./harness.ts";
import { CONNECTIONS, takeSample } from "./http.ts";
import { hotBalances, latestBalances, type Question, versionBalances } from "./questions.ts";
import { type BenchServer, startStatic } from "./servers.ts";

interface Case {
  readonly name: string;
  readonly server: BenchServer;
  readonly questions: readonly Question[];
}

const UNIT = "µs CPU per request";
const SMALL_ITEMS = 10_000;

/** All rows of growth. */
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
    const series: readonly (readonly [string, (set: DataSet) => Question[]])[] = [
      ["balance, latest", latestBalances],
      ["balance, random version", versionBalances],
    ];
    for (const [name, ask] of series) {
      const cases = sets.map((set, place) => ({
        name: `${set.items.toLocaleString("en-US")} items`,
        server: servers[place] as BenchServer,
        // As many different questions everywhere, so that caches are as warm everywhere.
        questions: ask(set).slice(0, 5000),
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
      questions: hotBalances(set, place as 0 | 1 | 2).slice(0, 5000),
    }));
    return await compareCases("balance, random version", cases, options, 1.3);
  } finally {
    await server.stop();
  }
}

/** Every case against the first one, all of them in turn. */
async function compareCases(
  name: string,
  cases: readonly Case[],
  options: BenchOptions,
  max: number,
): Promise<BenchRow[]> {
  const load = { connections: CONNECTIONS, seconds: options.quick ? 1 : 3 };
  const costs = cases.map((): number[] => []);
  for (let round = options.quick ? 0 : -1; round < (options.quick ? 1 : 7); round++) {
    for (const [place, { server, questions }] of cases.entries()) {
      const { perCpuSecond } = await takeSample(server, questions, load);
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
