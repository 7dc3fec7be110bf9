// Many balances, and many table items, in one request against one request for each: the server's own processor time for
// each of them, also as the batch grows.
import { balancesRoute, rawItemsRoute } from "../src/interface/routes.ts";
import { formatAddressLong } from "../src/move/address.ts";
import { COIN, itemsDataSet, TABLE } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compareAll } from "./harness.ts";
import { CONNECTIONS, roundLoad, takeSample, warmUp } from "./http.ts";
import { type BenchRequest, latestBalances, rawItems } from "./requests.ts";
import { type BenchServer, startStatic } from "./servers.ts";

const BATCH = 100;
/** Most queries that a request may have. */
const LARGE_BATCH = 1000;
const ITEMS = 1_000_000;
/** Requests that warm up the code. */
const WARM_UP = 20_000;
const UNIT = "µs CPU for each";
const QUICK_BALANCES = 3000;

/** The same requests, `size` in each request. */
function inBatches(
  singles: readonly BenchRequest[],
  size: number,
  path: string,
  query: (single: BenchRequest) => object,
): BenchRequest[] {
  const batches: BenchRequest[] = [];
  for (let start = 0; start + size <= singles.length; start += size) {
    const queries = singles.slice(start, start + size).map(query);
    const headers = { "Content-Type": "application/json" };
    batches.push({ method: "POST", path, headers, body: JSON.stringify({ queries }) });
  }
  return batches;
}

/** The same balances, `size` in each request. */
export function balanceBatches(singles: readonly BenchRequest[], size = BATCH): BenchRequest[] {
  return inBatches(singles, size, balancesRoute.path, ({ path }) => ({
    address: path.split("/")[3],
    asset_type: COIN,
  }));
}

/** Rows of batches. */
export async function benchmarkBatch(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, ITEMS * options.scale));
  const node = await startStatic(set);
  try {
    const balances = await compareBatches(node, "balances", latestBalances(set), options, balanceBatches);
    const items = await compareBatches(node, "raw items", rawItems(set, "json"), options, (singles, size) =>
      inBatches(singles, size, rawItemsRoute.path, ({ body }) => ({
        table_handle: formatAddressLong(TABLE),
        ...(JSON.parse(body ?? "") as { readonly key: string }),
      })),
    );
    return [...balances, ...items];
  } finally {
    await node.stop();
  }
}

async function compareBatches(
  node: BenchServer,
  what: string,
  singles: readonly BenchRequest[],
  options: BenchOptions,
  batchesOf: (singles: readonly BenchRequest[], size: number) => BenchRequest[],
): Promise<BenchRow[]> {
  await warmUp(node, singles.slice(0, WARM_UP), options);
  const usual = roundLoad(options);
  const side = (requests: readonly BenchRequest[], size: number) => {
    // A quick round asks for about as many balances in each form.
    const requestCount = Math.max(CONNECTIONS, QUICK_BALANCES / size);
    const load = options.quick ? { ...usual, requestCount } : usual;
    return async (): Promise<number> => 1e6 / ((await takeSample(node, requests, load)).perCpuSecond * size);
  };
  const judged = what === "balances" ? { target: { max: 0.4 }, headline: true } : {};
  return compareAll(
    {
      single: side(singles, 1),
      batch: side(batchesOf(singles, BATCH), BATCH),
      large: side(batchesOf(singles, LARGE_BATCH), LARGE_BATCH),
    },
    [
      {
        name: `${BATCH} ${what} in one request over one each`,
        ours: "batch",
        base: "single",
        unit: UNIT,
        ...judged,
      },
      {
        name: `each of ${LARGE_BATCH} ${what} in one request, over each of ${BATCH}`,
        ours: "large",
        base: "batch",
        unit: UNIT,
        target: { max: 1.15 },
      },
    ],
  );
}
