// What checksums cost: the processor time of checking the rows of one balance, as a share of the server's processor time
// for that balance. The rows are those of an account with both a coin store and a primary store.
import { checkedBytes, putRow } from "../src/store/lmdb/sealed-rows.ts";
import { coinStore, primaryGroup, stateValue } from "../test/support/http-ledger.ts";
import { itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, cpuNanosecondsEach, toRow } from "./harness.ts";
import { CONNECTIONS, takeSample, warmUp } from "./http.ts";
import { latestBalances } from "./requests.ts";
import { startStatic } from "./servers.ts";
import { makeKey } from "./store-data.ts";

const ITEMS = 1_000_000;
const BALANCES = 100_000;

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
    if (!options.quick) await warmUp(node, balances);
    const load = { connections: CONNECTIONS, seconds: options.quick ? 1 : 3 };
    const ours: number[] = [];
    const base: number[] = [];
    for (let round = -1; round < (options.quick ? 3 : 7); round++) {
      const { perCpuSecond } = await takeSample(node, balances, load);
      const checks = measureChecks();
      if (round < 0) continue;
      base.push(1e9 / perCpuSecond);
      ours.push(checks);
    }
    const sizes = ROWS.map(({ row }) => row.length).join(" and ");
    const note = `rows of ${sizes} bytes`;
    return [
      toRow(
        "checksums of a balance, share of serving it",
        { ours, base },
        { unit: "ns CPU", target: { max: 0.03 }, note },
      ),
    ];
  } finally {
    await node.stop();
  }
}
