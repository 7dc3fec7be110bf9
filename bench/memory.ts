// Anonymous memory of one process: idle, under full load with all kinds of requests, and afterwards. The mapped
// store file does not count, because the system may reclaim its pages at any time.
import { setTimeout as sleep } from "node:timers/promises";
import { itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, toPlainRow } from "./harness.ts";
import { runLoad } from "./load.ts";
import {
  type BenchRequest,
  infos,
  latestBalances,
  rawItems,
  transfers,
  versionBalances,
} from "./requests.ts";
import { anonymousBytes, startStatic } from "./servers.ts";

const LIMIT_MIB = 200;
const MIB = 2 ** 20;
const FULL_SECONDS = 600;
const REST_MS = 5000;

/** Rows of memory. */
export async function benchmarkMemory(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 10_000_000 * options.scale));
  const lists = [
    latestBalances(set),
    versionBalances(set),
    rawItems(set, "bcs"),
    rawItems(set, "json"),
    transfers(),
    infos(),
  ];
  const requests = Array.from({ length: 50_000 }, (_, i): BenchRequest => {
    const list = lists[i % lists.length] ?? [];
    return list[i % list.length] as BenchRequest;
  });
  const seconds = options.quick ? 3 : FULL_SECONDS;
  const node = await startStatic(set);
  try {
    const idle = (await anonymousBytes(node.pid)) / MIB;
    const during: number[] = [];
    let isRunning = true;
    const load = runLoad({ url: node.url, requests, connections: 32, seconds }).finally(() => {
      isRunning = false;
    });
    while (isRunning) {
      await Promise.race([sleep(Math.min(5000, seconds * 50)), load]);
      during.push((await anonymousBytes(node.pid)) / MIB);
    }
    const { requestCount } = await load;
    await sleep(options.quick ? 500 : REST_MS);
    const after = (await anonymousBytes(node.pid)) / MIB;
    const highest = Math.max(...during);
    // The first tenth is warming up.
    const settled = during.slice(Math.floor(during.length / 10));
    const half = Math.floor(settled.length / 2);
    const [first, last] = [settled.slice(0, half), settled.slice(half)];
    const unit = "MiB anonymous";
    const of = `limit of ${LIMIT_MIB} MiB`;
    return [
      toPlainRow(`memory idle, over the ${of}`, idle, LIMIT_MIB, { unit }),
      toPlainRow(`memory highest in ${seconds} s at full load, over the ${of}`, highest, LIMIT_MIB, {
        unit,
        target: { max: 1 },
        headline: true,
        note: `${requestCount.toLocaleString("en-US")} requests`,
      }),
      toPlainRow(`memory after load, over the ${of}`, after, LIMIT_MIB, { unit, target: { max: 1 } }),
      toPlainRow(
        "memory, highest of the second half of the load over the first",
        Math.max(...last),
        Math.max(...first),
        {
          unit,
          target: { max: 1.1 },
        },
      ),
    ];
  } finally {
    await node.stop();
  }
}
