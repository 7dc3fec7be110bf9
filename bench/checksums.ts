// What checksums cost: the processor time of checking the rows of one balance, as a share of the server's processor time
// for that balance. The rows are those of an account with both a coin store and a primary store.
import { checkedBytes, putRow } from "../src/store/lmdb/sealed-rows.ts";
import { coinStore, primaryGroup, stateValue } from "../test/support/http-ledger.ts";
import { itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compare, cpuNanosecondsEach } from "./harness.ts";
import { roundLoad, takeSample, warmUp } from "./http.ts";
import { latestBalances } from "./requests.ts";
import { startStatic } from "./servers.ts";
import { makeKey } from "./store-data.ts";

const ITEMS = 1_000_000;
const BALANCES = 100_000;
/** Requests that warm up the code. */
const WARM_UP = 10_000;

/** A newest row of the items table with its key. */
function makeRow(value: Uint8Array): { readonly key: Buffer; readonly row: Buffer } {
  const key = Buffer.concat([makeKey(7), Buffer.alloc(8)]);
  let row = Buffer.alloc(0);
  const table = {
    putSync: (_: Uint8Array, bytes: Uint8Array): void => {
      row = Buffer.from(bytes);
    },
  };
  putRow(table, key, value, Buffer.alloc(8, 1));
  return { key, row };
}

const ROWS = [makeRow(stateValue(coinStore(10n ** 15n))), makeRow(stateValue(primaryGroup(10n ** 15n)))];

/** Nanoseconds of processor time that the checks of one balance take. */
function measureChecks(): number {
  const started = process.cpuUsage();
  for (let i = 0; i < BALANCES; i++) {
    for (const { key, row } of ROWS) checkedBytes(key, row, row.length);
  }
  return cpuNanosecondsEach(started, BALANCES);
}

/** The row of checksums. */
export async function benchmarkChecksums(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, ITEMS * options.scale));
  const node = await startStatic(set);
  try {
    const balances = latestBalances(set);
    await warmUp(node, balances.slice(0, WARM_UP), options);
    const load = roundLoad(options);
    const sizes = ROWS.map(({ row }) => row.length).join(" and ");
    return [
      await compare(
        "checksums of a balance, share of serving it",
        {
          ours: measureChecks,
          base: async () => 1e9 / (await takeSample(node, balances, load)).perCpuSecond,
        },
        { unit: "ns CPU", target: { max: 0.03 }, note: `rows of ${sizes} bytes` },
      ),
    ];
  } finally {
    await node.stop();
  }
}
