// Many balances, and many table items, in one request against one request for each: the server's own processor time for
// each of them.
import { balancesRoute, rawItemsRoute } from "../src/interface/routes.ts";
import { formatAddressLong } from "../src/move/address.ts";
import { COIN, itemsDataSet, TABLE } from "./data-set.ts";
import { type BenchOptions, type BenchRow, type RowOptions, toRow } from "./harness.ts";
import { CONNECTIONS, takeSample, warmUp } from "./http.ts";
import { type BenchRequest, latestBalances, rawItems } from "./requests.ts";
import { type BenchServer, startStatic } from "./servers.ts";

const BATCH = 100;
const ITEMS = 1_000_000;

/** The same requests, a hundred in each request. */
function inBatches(
  singles: readonly BenchRequest[],
  path: string,
  query: (single: BenchRequest) => object,
): BenchRequest[] {
  const batches: BenchRequest[] = [];
  for (let start = 0; start + BATCH <= singles.length; start += BATCH) {
    const queries = singles.slice(start, start + BATCH).map(query);
    const headers = { "Content-Type": "application/json" };
    batches.push({ method: "POST", path, headers, body: JSON.stringify({ queries }) });
  }
  return batches;
}

/** Rows of batches. */
export async function benchmarkBatch(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, ITEMS * options.scale));
  const node = await startStatic(set);
  try {
    const balances = latestBalances(set);
    const items = rawItems(set, "json");
    const ofBalances = inBatches(balances, balancesRoute.path, ({ path }) => ({
      address: path.split("/")[3],
      asset_type: COIN,
    }));
    const ofItems = inBatches(items, rawItemsRoute.path, ({ body }) => ({
      table_handle: formatAddressLong(TABLE),
      ...(JSON.parse(body ?? "") as { readonly key: string }),
    }));
    return [
      await compareBatches(
        node,
        `${BATCH} balances in one request over one each`,
        balances,
        ofBalances,
        options,
        {
          target: { max: 0.4 },
          headline: true,
        },
      ),
      await compareBatches(
        node,
        `${BATCH} raw items in one request over one each`,
        items,
        ofItems,
        options,
        {},
      ),
    ];
  } finally {
    await node.stop();
  }
}

async function compareBatches(
  node: BenchServer,
  name: string,
  singles: readonly BenchRequest[],
  batches: readonly BenchRequest[],
  options: BenchOptions,
  judged: Pick<RowOptions, "target" | "headline">,
): Promise<BenchRow> {
  if (!options.quick) await warmUp(node, singles);
  const load = { connections: CONNECTIONS, seconds: options.quick ? 1 : 3 };
  const ours: number[] = [];
  const base: number[] = [];
  for (let round = -1; round < (options.quick ? 1 : 7); round++) {
    const single = await takeSample(node, singles, load);
    const batch = await takeSample(node, batches, load);
    if (round < 0) continue;
    base.push(1e6 / single.perCpuSecond);
    ours.push(1e6 / (batch.perCpuSecond * BATCH));
  }
  return toRow(name, { ours, base }, { unit: "µs CPU for each", ...judged });
}
