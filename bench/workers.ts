// Two workers against one, and the memory of each worker. The workers and the load generator need a processor each to be
// judged by the wall clock. With fewer, the row compares processor time: requests per second of it, by all processes, must
// not drop with two workers.
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { copyDataSet, itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compare, median, toPlainRow } from "./harness.ts";
import { roundLoad, takeSample, warmUp } from "./http.ts";
import { latestBalances } from "./requests.ts";
import { anonymousBytes, type NodeServer, startStatic } from "./servers.ts";

const LIMIT_MIB = 50;
/** Processors that the wall clock needs: two workers and the load generator. */
const CLOCK_PROCESSORS = 3;
const CONNECTIONS = 64;

/** Rows of workers. */
export async function benchmarkWorkers(options: BenchOptions): Promise<readonly BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 1_000_000 * options.scale));
  const requests = latestBalances(set);
  const copy = await copyDataSet(set);
  const one = await startStatic(set, ["--workers", "1"]);
  const two = await startStatic(copy, ["--workers", "2"]);
  try {
    const load = roundLoad(options, CONNECTIONS);
    for (const server of [one, two]) await warmUp(server, requests, options);
    const rates = { one: [] as number[], two: [] as number[] };
    const byClock = availableParallelism() >= CLOCK_PROCESSORS;
    const side = (server: NodeServer, of: "one" | "two", workers: number) => async (): Promise<number> => {
      const { rate, perCpuSecond } = await takeSample(server, requests, load);
      rates[of].push(rate);
      // The rate of all workers if each has its own processor.
      return byClock ? rate : workers * perCpuSecond;
    };
    const row = await compare(
      `two workers over one, ${byClock ? "requests per second" : "requests per CPU second of each"}`,
      { ours: side(two, "two", 2), base: side(one, "one", 1) },
      {
        unit: byClock ? "requests/s" : "requests per CPU second of two / of one",
        ...(byClock ? { basis: "clock" } : {}),
        target: { min: 1.8 },
        headline: true,
      },
    );
    const wall = median(rates.two) / median(rates.one);
    const reason = `${availableParallelism()} processors cannot judge the wall clock, so this is CPU time; wall ${wall.toFixed(2)}`;
    const memory = await Promise.all((await workersOf(two)).map(anonymousBytes));
    return [
      byClock ? row : { ...row, note: reason },
      toPlainRow(
        `memory of a worker under load, over the limit of ${LIMIT_MIB} MiB`,
        Math.max(...memory) / 2 ** 20,
        LIMIT_MIB,
        {
          unit: "MiB anonymous",
          basis: "size",
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
