// Accounts and resources against balances of the same accounts on the same node: reads that decode by the modules on chain
// must cost little more than the balance rule.
import { createLocalChain } from "../src/chain/local-chain.ts";
import { pathTo } from "../src/interface/route.ts";
import { accountResourceRoute, accountRoute, balanceRoute } from "../src/interface/routes.ts";
import { formatAddressLong } from "../src/move/address.ts";
import { accountAddress, COIN, type DataSet, itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compare } from "./harness.ts";
import { CONNECTIONS, roundLoad, takeSample, warmUp } from "./http.ts";
import type { BenchRequest } from "./requests.ts";
import { type BenchServer, startStatic } from "./servers.ts";

/** CPU time of a read: at most 1.5 times that of a balance. */
const MIN = 1 / 1.5;
const RESOURCES = 2000;
const COIN_STORE = `0x1::coin::CoinStore<${COIN}>`;

function get(path: string): BenchRequest {
  return { method: "GET", path, headers: {} };
}

/** Every fourth item is a CoinStore; only some demo accounts of the genesis have an Account. */
function holdersOf({ items }: DataSet): string[] {
  return Array.from({ length: Math.min(RESOURCES, items / 4) }, (_, i) =>
    formatAddressLong(accountAddress(4 * ((i * 7919) % Math.floor(items / 4)))),
  );
}

/** Resources of accounts. */
export function resourceReads(set: DataSet): BenchRequest[] {
  return holdersOf(set).map((address) =>
    get(pathTo(accountResourceRoute, { address, resource_type: COIN_STORE })),
  );
}

/** Rows of accounts and resources. */
export async function benchmarkReads(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 1_000_000 * options.scale));
  const holders = holdersOf(set);
  const balances = (addresses: readonly string[]): BenchRequest[] =>
    addresses.map((address) => get(pathTo(balanceRoute, { address, asset_type: COIN })));
  const node = await startStatic(set);
  try {
    const owners: string[] = [];
    for (const { address } of createLocalChain({ seed: "bench" }).guide().accounts) {
      if ((await fetch(node.url + pathTo(accountRoute, { address }))).ok) owners.push(address);
    }
    return [
      await compareReads(
        "account",
        node,
        owners.map((address) => get(pathTo(accountRoute, { address }))),
        balances(owners),
        options,
      ),
      await compareReads("resource", node, resourceReads(set), balances(holders), options),
    ];
  } finally {
    await node.stop();
  }
}

async function compareReads(
  name: string,
  node: BenchServer,
  reads: readonly BenchRequest[],
  balances: readonly BenchRequest[],
  options: BenchOptions,
): Promise<BenchRow> {
  for (const requests of [balances, reads]) await warmUp(node, requests, options);
  const load = roundLoad(options);
  const side = (requests: readonly BenchRequest[]) => async (): Promise<number> =>
    (await takeSample(node, requests, load)).perCpuSecond;
  return compare(
    `${name} against the same accounts' balances, ${CONNECTIONS} connections`,
    { ours: side(reads), base: side(balances) },
    { unit: "requests per CPU second", target: { min: MIN } },
  );
}
