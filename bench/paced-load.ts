// An open-loop load in its own process: requests are due at random times with a given mean rate, independent of earlier
// responses, and wait for a free connection if all are in use. Latency counts from the due time to the end of the
// response. The process sleeps in between, so that it takes little processor time from the server.
import { closeSync, openSync, readSync } from "node:fs";
import { LoadClient, requestBytes } from "./load-client.ts";
import { sharedNow, startPacer } from "./pacer.ts";
import type { BenchRequest } from "./requests.ts";
import { quantile } from "./statistics.ts";

/** What to send. */
export interface PacedLoad {
  readonly url: string;
  readonly requests: readonly BenchRequest[];
  readonly connections: number;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  /**
   * A thread of the server whose processor time is counted from each due request to its response. This process and that thread
   * must share one processor: the kernel's figure of a thread that runs elsewhere is as old as its last tick.
   */
  readonly threadId?: number;
}

/** Result of a load; times in microseconds. */
export interface PacedResult {
  readonly p50: number;
  readonly p99: number;
  readonly rate: number;
  readonly failures: number;
  /** How late requests were sent although a connection was free: the generator's share of the latency. */
  readonly late50: number;
  readonly late99: number;
  /** Average number of processors that this process used. */
  readonly processors: number;
  /** Processor time of the thread during a request that was not sent late; NaN if none was asked for. */
  readonly thread99: number;
}

/** Requests that were sent later arrive together and wait for each other, which is the generator's doing. */
const MAX_LATE_MICROS = 1000;
/** Time before the first request, for the pacer to start. */
const LEAD_MS = 300;

/** Random due times with the given mean rate, as of independent clients. */
function randomDueTimes(startMs: number, { rate, seconds }: PacedLoad): Float64Array {
  const dueTimes: number[] = [];
  const endMs = startMs + 1000 * seconds;
  for (let at = startMs; at < endMs; at += (1000 / rate) * -Math.log(1 - Math.random())) dueTimes.push(at);
  return Float64Array.from(dueTimes);
}

/** Reads the processor time of a thread of another process, in microseconds. */
function threadClock(threadId: number | undefined): { read(): number; close(): void } {
  if (threadId === undefined) return { read: () => Number.NaN, close: () => {} };
  const file = openSync(`/proc/${threadId}/task/${threadId}/schedstat`, "r");
  const buffer = Buffer.alloc(128);
  return {
    read: () => {
      const length = readSync(file, buffer, 0, buffer.length, 0);
      return Number.parseInt(buffer.toString("latin1", 0, length), 10) / 1000;
    },
    close: () => closeSync(file),
  };
}

async function run(load: PacedLoad): Promise<PacedResult> {
  const target = new URL(load.url);
  const clock = threadClock(load.threadId);
  const requests = load.requests.map((request) => requestBytes(request, target.host));
  const free: LoadClient[] = [];
  let failures = 0;
  let sent = 0;
  let done = 0;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let noticed = 0;
  const sendDue = (isFirst: boolean): void => {
    const now = sharedNow();
    if ((due[noticed] ?? Infinity) <= now) {
      const usedMicros = clock.read();
      // A request that waits for a connection counts from here, too.
      while ((due[noticed] ?? Infinity) <= now) usedBefore[noticed++] = usedMicros;
    }
    for (let dueMs = due[sent] ?? Infinity; dueMs <= now; dueMs = due[sent] ?? Infinity) {
      const client = free.pop();
      const request = requests[sent % requests.length];
      if (client === undefined || request === undefined) return;
      late[sent] = isFirst ? 1000 * (now - dueMs) : 0;
      indexes.set(client, sent++);
      client.send(request, dueMs);
    }
  };
  const onDone = (client: LoadClient, isGood: boolean): void => {
    const index = indexes.get(client) ?? -1;
    used[index] = clock.read() - (usedBefore[index] ?? Number.NaN);
    latencies[done++] = 1000 * (sharedNow() - client.dueMs);
    if (!isGood) failures++;
    const wasFull = free.length === 0;
    free.push(client);
    sendDue(!wasFull);
    if (done === due.length) finish();
  };
  const connecting = Array.from({ length: load.connections }, () =>
    new LoadClient(target, onDone).connected(),
  );
  free.push(...(await Promise.all(connecting)));
  const clients = [...free];
  const due = randomDueTimes(sharedNow() + LEAD_MS, load);
  const latencies = new Float64Array(due.length);
  const late = new Float64Array(due.length);
  const indexes = new Map<LoadClient, number>();
  const usedBefore = new Float64Array(due.length);
  const used = new Float64Array(due.length);
  const pacer = startPacer(due, () => sendDue(true));
  const before = process.cpuUsage();
  await finished;
  const { user, system } = process.cpuUsage(before);
  for (const client of clients) client.close();
  await pacer.stop();
  clock.close();
  const all = [...latencies];
  return {
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
    rate: done / load.seconds,
    failures,
    late50: quantile([...late], 0.5),
    late99: quantile([...late], 0.99),
    processors: (user + system) / 1e6 / load.seconds,
    thread99: quantile(
      [...used].filter((_, index) => (late[index] ?? Infinity) <= MAX_LATE_MICROS),
      0.99,
    ),
  };
}

process.on("message", async (load: PacedLoad) => {
  process.send?.(await run(load));
});
