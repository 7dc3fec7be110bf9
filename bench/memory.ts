// Anonymous memory of one process: idle, under full load of all questions for some time, and after it. The mapped
// store file does not count: the system may take those pages back at any moment.
import { setTimeout as sleep } from "node:timers/promises";
import { itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, toPlainRow } from "./harness.ts";
import { runLoad } from "./load.ts";
import { infos, latestBalances, type Question, rawItems, transfers, versionBalances } from "./questions.ts";
import { anonymousBytes, startStatic } from "./servers.ts";

const LIMIT_MIB = 200;
const MIB = 2 ** 20;
const FULL_SECONDS = 600;
const REST_MS = 5000;

/** All rows of memory. */
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
  const questions = Array.from({ length: 50_000 }, (_, i): Question => {
    const list = lists[i % lists.length] ?? [];
    return list[i % list.length] as Question;
  });
  const seconds = options.quick ? 3 : FULL_SECONDS;
  const node = await startStatic(set);
  try {
    const idle = (await anonymousBytes(node.pid)) / MIB;
    const during: number[] = [];
    let isRunning = true;
    const load = runLoad({ url: node.url, questions, connections: 32, seconds }).finally(() => {
      isRunning = false;
    });
    while (isRunning) {
      await Promise.race([sleep(Math.min(5000, seconds * 50)), load]);
      during.push((await anonymousBytes(node.pid)) / MIB);
    }
    const { requests } = await load;
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
        note: `${requests.toLocaleString("en-US")} requests`,
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
