// Two workers against one: requests per second of processor time of all processes must not drop with two workers;
// and the memory of each worker. The note has requests per second of the wall clock, which depend on the number of
// processors.
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { copyDataSet, itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, median, toPlainRow, toRow } from "./harness.ts";
import { takeSample } from "./http.ts";
import { latestBalances } from "./requests.ts";
import { anonymousBytes, type NodeServer, startStatic } from "./servers.ts";

const LIMIT_MIB = 120;
const CONNECTIONS = 64;

/** Rows of workers. */
export async function benchmarkWorkers(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 1_000_000 * options.scale));
  const requests = latestBalances(set);
  const copy = await copyDataSet(set);
  const one = await startStatic(set, ["--workers", "1"]);
  const two = await startStatic(copy, ["--workers", "2"]);
  try {
    const load = { connections: CONNECTIONS, seconds: options.quick ? 1 : 3 };
    const ours: number[] = [];
    const base: number[] = [];
    const rates: number[] = [];
    for (let round = options.quick ? 0 : -1; round < (options.quick ? 1 : 7); round++) {
      const alone = await takeSample(one, requests, load);
      const both = await takeSample(two, requests, load);
      if (round < 0) continue;
      base.push(alone.perCpuSecond);
      // The rate of both if each has its own processor.
      ours.push(2 * both.perCpuSecond);
      rates.push(both.rate / alone.rate);
    }
    const memory = await Promise.all((await workersOf(two)).map(anonymousBytes));
    return [
      toRow(
        "two workers over one, requests per CPU second of each",
        { ours, base },
        {
          unit: "requests per CPU second of two / of one",
          target: { min: 1.7 },
          headline: true,
          note: `wall ${median(rates).toFixed(2)} on ${availableParallelism()} processors shared with the load`,
        },
      ),
      toPlainRow(
        `memory of a worker under load, over the limit of ${LIMIT_MIB} MiB`,
        Math.max(...memory) / 2 ** 20,
        LIMIT_MIB,
        {
          unit: "MiB anonymous",
          target: { max: 1 },
          headline: true,
        },
      ),
    ];
  } finally {
    await one.stop();
    await two.stop();
  }
}

async function workersOf({ pid }: NodeServer): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.trim().split(" ").map(Number);
}
