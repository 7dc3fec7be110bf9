// Sends the program ten times the load that it can serve, from clients that never wait. The program must serve
// accepted requests within bounds, shed the rest quickly with 503 and Retry-After, keep making blocks, and return
// to normal latency within seconds. The run first measures what is normal, so that a slow or busy machine is no
// failure. Exits 1 if one of these fails.
//   npx tsx scripts/flood.ts [--seconds 20] [--connections 4000] [--factor 10] [--max-wait 500ms]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startProgram } from "../test/support/program.ts";
import { Latencies } from "./load/latencies.ts";
import { createMix, createRandom } from "./load/mix.ts";
import { cpuSeconds, processFigures, readMetrics } from "./load/process-figures.ts";
import { RawClient } from "./load/raw-client.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    connections: { type: "string", default: "4000" },
    factor: { type: "string", default: "10" },
    "max-wait": { type: "string", default: "500ms" },
  },
});
const [seconds, connections, factor] = [values.seconds, values.connections, values.factor].map(Number) as [
  number,
  number,
  number,
];
const CHAIN_SEED = "flood";
const BLOCK_MS = 500;
const NORMAL_CONNECTIONS = 32;
const PROBE_PER_SECOND = 50;
const TICK_MS = 5;
/** Limit on the p99 of responses: the larger of this and this many times the p99 at full load. */
const MAX_P99_MS = 2000;
const MAX_P99_FACTOR = 20;
const MAX_RECOVERY_MS = 5000;
/** Smallest block rate, relative to the rate before. */
const MIN_BLOCK_PACE = 0.5;
/** Smallest number of requests served per processor time, relative to full load: shedding is cheap but not free. */
const MIN_SERVED = 0.05;
/** Normal again: 90 % of the requests within this factor of the earlier latency, or below a noticeable delay. */
const NORMAL_SHARE = 0.9;
const NORMAL_FACTOR = 3;
const UNNOTICED_MS = 50;

const wrong: string[] = [];
const mix = createMix(CHAIN_SEED, createRandom(1), { latest: 1n, oldest: 1n });
const next = () => {
  // Versions are pruned too fast here for requests by version.
  for (;;) {
    const one = mix();
    if (["balance", "raw_item", "encode", "info"].includes(one.kind) && !one.path.includes("?")) return one;
  }
};

interface Tally {
  readonly served: Latencies;
  readonly shed: Latencies;
  readonly failures: Map<string, number>;
  unsent: number;
}

function createTally(): Tally {
  return { served: new Latencies(), shed: new Latencies(), failures: new Map(), unsent: 0 };
}

function send(client: RawClient, tally: Tally): void {
  const one = next();
  client.send(one, (outcome, ms, hasRetryAfter) => {
    if (outcome === 503 && hasRetryAfter) tally.shed.add(ms);
    else if (typeof outcome === "number" && one.expected.includes(outcome)) tally.served.add(ms);
    else tally.failures.set(`${outcome}`, (tally.failures.get(`${outcome}`) ?? 0) + 1);
  });
}

/** Every connection sends its next request as soon as it has a response. */
async function saturate(url: URL, forMs: number): Promise<Tally> {
  const tally = createTally();
  const clients = await RawClient.open(url, NORMAL_CONNECTIONS);
  const until = performance.now() + forMs;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        await new Promise<void>((resolve) => {
          client.onFree = resolve;
          send(client, tally);
        });
      }
    }),
  );
  for (const client of clients) client.close();
  return tally;
}

/** Sends requests at a fixed rate, each on a free connection; counts it as unsent if there is none. */
async function pace(
  clients: readonly RawClient[],
  perSecond: number,
  forMs: number,
  tally: Tally,
): Promise<void> {
  const free = clients.filter((client) => client.isFree);
  for (const client of clients) client.onFree = () => free.push(client);
  const started = performance.now();
  for (let made = 0; performance.now() - started < forMs; ) {
    const due = (perSecond * (performance.now() - started)) / 1000;
    for (; made < due; made++) {
      const client = free.pop();
      if (client === undefined) tally.unsent++;
      else send(client, tally);
    }
    await sleep(TICK_MS);
  }
}

const folder = mkdtempSync(join(tmpdir(), "sextant-flood-"));
const node = await startProgram([
  ...["--data", join(folder, "data"), "--seed", CHAIN_SEED, "--block-time", `${BLOCK_MS}ms`],
  ...["--log-level", "warn", "--max-wait", values["max-wait"]],
]);
const url = new URL(node.url);
const pid = node.child.pid ?? 0;
const blocks = async (): Promise<number> => (await readMetrics(url.origin)).get("sextant_commits_total") ?? 0;

/** Runs `work` and measures the program meanwhile. */
async function during(work: () => Promise<unknown>) {
  const [startedMs, cpuBefore, blocksBefore] = [performance.now(), cpuSeconds(pid), await blocks()];
  await work();
  const cpu = cpuSeconds(pid) - cpuBefore;
  const seconds = (performance.now() - startedMs) / 1000;
  return { seconds, cpu, blocksPerSecond: ((await blocks()) - blocksBefore) / seconds };
}

await saturate(url, 2000);
let capacity = createTally();
const full = await during(async () => {
  capacity = await saturate(url, 4000);
});
const perSecond = capacity.served.count / full.seconds;
const probes = await RawClient.open(url, 8);
const normal = createTally();
await pace(probes, PROBE_PER_SECOND, 3000, normal);
console.info(`capacity ${perSecond.toFixed(0)} requests per second; normal latency ${normal.served.text()}`);

const flood = createTally();
const clients = await RawClient.open(url, connections);
const flooded = await during(() => pace(clients, factor * perSecond, seconds * 1000, flood));
const floodSeconds = flooded.seconds;
const memory = processFigures(pid).anonymousBytes;
const metrics = await readMetrics(url.origin);
const answered = flood.served.count + flood.shed.count;
const stopped = performance.now();
for (const client of clients) client.onFree = () => {};

/** Probes second by second until one is normal again. */
async function recover(): Promise<number> {
  const limit = Math.max(NORMAL_FACTOR * normal.served.percentile(NORMAL_SHARE), UNNOTICED_MS);
  while (performance.now() - stopped < 2 * MAX_RECOVERY_MS) {
    const tally = createTally();
    await pace(probes, PROBE_PER_SECOND, 1000, tally);
    const isNormal =
      tally.shed.count === 0 && tally.served.count > 0 && tally.served.percentile(NORMAL_SHARE) <= limit;
    if (isNormal && tally.failures.size === 0) return performance.now() - stopped - 1000;
  }
  return Number.POSITIVE_INFINITY;
}
const recoveryMs = await recover();
for (const client of [...clients, ...probes]) client.close();
const ended = await node.stop();
rmSync(folder, { recursive: true, force: true });

const offered = answered + flood.unsent + [...flood.failures.values()].reduce((sum, count) => sum + count, 0);
const perCpu = capacity.served.count / full.cpu;
const servedShare = flood.served.count / flooded.cpu / perCpu;
console.info(
  [
    `${offered} requests in ${floodSeconds.toFixed(0)} s (${(offered / floodSeconds / perSecond).toFixed(1)} times the capacity) over ${connections} connections, ` +
      `${flood.unsent} of them still unsent in the clients for want of a free connection`,
    `served ${flood.served.count} (${(flood.served.count / floodSeconds).toFixed(0)} per second, ${(servedShare * 100).toFixed(0)} % of full load for the same processor time): ${flood.served.text()}`,
    `shed ${flood.shed.count} (${(flood.shed.count / floodSeconds).toFixed(0)} per second): ${flood.shed.text()}`,
    `other ${JSON.stringify([...flood.failures])}`,
    `blocks ${flooded.blocksPerSecond.toFixed(2)} per second, ${full.blocksPerSecond.toFixed(2)} before; event loop delay at most ${metrics.get("sextant_event_loop_delay_seconds")?.toFixed(3)} s; anonymous memory ${(memory / 1e6).toFixed(0)} MB`,
    `back to normal after ${(recoveryMs / 1000).toFixed(1)} s`,
  ].join("\n"),
);
if (flood.failures.size > 0) wrong.push("some requests got neither their response nor 503 with Retry-After");
if (!(servedShare >= MIN_SERVED)) wrong.push("hardly anything was served");
const maxP99 = Math.max(MAX_P99_MS, MAX_P99_FACTOR * capacity.served.percentile(0.99));
if (flood.served.percentile(0.99) > maxP99) wrong.push(`p99 over ${maxP99.toFixed(0)} ms`);
if (flood.shed.percentile(0.99) > maxP99) wrong.push(`shed slower than ${maxP99.toFixed(0)} ms`);
if (flooded.blocksPerSecond < MIN_BLOCK_PACE * full.blocksPerSecond) wrong.push("blocks fell behind");
if (recoveryMs > MAX_RECOVERY_MS) wrong.push(`not back to normal after ${MAX_RECOVERY_MS} ms`);
if (ended.code !== 0) wrong.push(`the program ended with ${ended.code}: ${ended.stderr}`);
for (const text of wrong) console.error(text);
process.exitCode = wrong.length === 0 ? 0 : 1;
