// Two workers against one, and the memory of each worker. The workers and the load generator need a processor each to be
// judged by the wall clock. With fewer, the row compares requests per second of processor time of the busiest process: that
// is the rate if every process had a processor of its own, and it drops if one worker has most of the work, if the first
// process holds them up, or if a request costs more with two.
import { readdir, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { copyDataSet, itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compare, median, toPlainRow } from "./harness.ts";
import { roundLoad, warmUp } from "./http.ts";
import { runLoad } from "./load.ts";
import { type BenchRequest, latestBalances } from "./requests.ts";
import { anonymousBytes, type NodeServer, startStatic } from "./servers.ts";

const LIMIT_MIB = 50;
/** Processors that the wall clock needs: two workers and the load generator. */
const CLOCK_PROCESSORS = 3;
const CONNECTIONS = 64;
const MEMORY_SECONDS = 5;

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
    const shares: number[] = [];
    const byClock = availableParallelism() >= CLOCK_PROCESSORS;
    const side = (server: NodeServer, of: "one" | "two") => async (): Promise<number> => {
      const before = await cpuByProcess(server);
      const { requestCount, seconds } = await runLoad({ url: server.url, requests, ...load });
      const after = await cpuByProcess(server);
      rates[of].push(requestCount / seconds);
      const used = after.map((micros, place) => micros - (before[place] ?? 0));
      const busiest = Math.max(...used);
      if (of === "two") shares.push(busiest / used.reduce((sum, micros) => sum + micros, 0));
      return byClock ? requestCount / seconds : (1e6 * requestCount) / busiest;
    };
    const row = await compare(
      `two workers over one, ${byClock ? "requests per second" : "requests per CPU second of the busiest process"}`,
      { ours: side(two, "two"), base: side(one, "one") },
      {
        unit: byClock ? "requests/s" : "requests per CPU second of the busiest process",
        ...(byClock ? { basis: "clock" } : {}),
        target: { min: 1.8 },
        headline: true,
      },
    );
    const wall = (median(rates.two) / median(rates.one)).toFixed(2);
    const share = `the busiest process has ${(100 * median(shares)).toFixed(0)} % of the CPU time of two workers`;
    const reason = `${availableParallelism()} processors cannot judge the wall clock (${wall}), so this is CPU time; ${share}`;
    return [{ ...row, note: byClock ? share : reason }, await memoryRow(two, requests, options)];
  } finally {
    await one.stop();
    await two.stop();
  }
}

/** The most that a worker uses while it is under load. */
async function memoryRow(
  server: NodeServer,
  requests: readonly BenchRequest[],
  { quick }: BenchOptions,
): Promise<BenchRow> {
  const workers = await workersOf(server);
  const seconds = quick ? 1 : MEMORY_SECONDS;
  let isRunning = true;
  const load = runLoad({ url: server.url, requests, connections: CONNECTIONS, seconds }).finally(() => {
    isRunning = false;
  });
  let most = 0;
  while (isRunning) {
    most = Math.max(most, ...(await Promise.all(workers.map(anonymousBytes))));
    await Promise.race([sleep(100), load]);
  }
  const { requestCount } = await load;
  return toPlainRow(
    `memory of a worker under load, over the limit of ${LIMIT_MIB} MiB`,
    most / 2 ** 20,
    LIMIT_MIB,
    {
      unit: "MiB anonymous",
      basis: "size",
      target: { max: 1 },
      headline: true,
      note: `highest in ${seconds} s with ${requestCount.toLocaleString("en-US")} requests`,
    },
  );
}

async function workersOf({ pid }: NodeServer): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.trim().split(" ").map(Number);
}

/** Processor time in microseconds of the first process and of each worker. */
async function cpuByProcess(server: NodeServer): Promise<number[]> {
  const processes = [server.pid, ...(await workersOf(server))];
  return Promise.all(
    processes.map(async (pid) => {
      const threads = await readdir(`/proc/${pid}/task`);
      const texts = await Promise.all(
        // A thread that has ended since is not there.
        threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => "0")),
      );
      return texts.reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1000, 0);
    }),
  );
}
