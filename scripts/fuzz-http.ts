// Hostile requests to a real server for as long as asked:
// no answer of 500 or above, none without the documented body, none that shows a path or a stack, none that another
// client asked for, and a server that still serves at the end. Clients that pipeline and leave get their answers in order,
// and every place they had is free at the end. A found
// case is printed with its seed. Exits 1 when there is one.
//   npx tsx scripts/fuzz-http.ts [--seconds 600] [--seed N]

import { Agent } from "node:http";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { createMachineSource } from "../src/chain/machine-source.ts";
import { createHttpServer, type HttpServerOptions, type HttpServices } from "../src/http/server.ts";
import { Reader } from "../src/node/api/reader.ts";
import { hostilePipeline, sendPipeline } from "../test/support/hostile-pipelines.ts";
import { type Hostile, hostile, rawRequest, sendHostile } from "../test/support/hostile-requests.ts";
import { COIN, createHttpLedger, TIMESTAMP_USEC } from "../test/support/http-ledger.ts";
import { sendRaw } from "../test/support/raw-socket.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "600" }, seed: { type: "string", default: "1" } },
});
const CONCURRENCY = 32;
const BATCH = 500;
const RAW_BATCH = 50;
const PIPELINE_BATCH = 50;
const PROGRESS_MS = 30_000;

const found: string[] = [];
const ledger = await createHttpLedger();
const reader = new Reader(ledger);
const settings: HttpServerOptions & HttpServices = {
  ledger,
  encoder: (body, view) => reader.encode(body, view),
  explainer: async (body, view) => JSON.stringify(await reader.explain(body, view)),
  machine: createMachineSource(),
  nodeInfo: () => ({ chain_id: "44" }),
  port: 0,
  bodyLimitBytes: 64 * 1024,
  // The client shares this process: what it takes must not count as load.
  maxWaitMs: 0,
  headersTimeoutMs: 1000,
  requestTimeoutMs: 2000,
  keepAliveTimeoutMs: 1000,
  // The ledger's own time, so that a health check has no reason to fail.
  clock: () => Number(TIMESTAMP_USEC / 1000n),
  logger: {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (fields) => found.push(`logged: ${String(fields.err)}`),
  },
};
const servers = [createHttpServer(settings)];
const addresses = await Promise.all(servers.map((server) => server.listen()));
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
const counts = new Map<string, number>();
let tried = 0;

function count(status: number | undefined): void {
  tried++;
  const name = `${status ?? "gone"}`;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

async function all<T>(items: readonly T[], handle: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) await handle(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

const firstSeed = Number(values.seed);
const until = performance.now() + Number(values.seconds) * 1000;
let reportedMs = performance.now();
for (let seed = firstSeed; performance.now() < until && found.length === 0; seed++) {
  const { host, port } = addresses[seed % addresses.length] ?? { host: "", port: 0 };
  await all(fc.sample(hostile, { numRuns: BATCH, seed }), async (one: Hostile) => {
    try {
      const status = await sendHostile(port, agent, one);
      count(status);
      if (status !== undefined && status >= 500)
        found.push(`seed ${seed}: ${status}: ${JSON.stringify(one)}`);
    } catch (error) {
      found.push(`seed ${seed}: ${String(error)}`);
    }
  });
  await all(fc.sample(rawRequest, { numRuns: RAW_BATCH, seed }), async (bytes) => {
    const { statuses } = await sendRaw({ host, port }, [bytes], { waitMs: 10_000, end: true });
    for (const status of statuses.length === 0 ? [undefined] : statuses) count(status);
    if (statuses.some((status) => status >= 500))
      found.push(`seed ${seed}: ${statuses}: ${bytes.toString("hex")}`);
  });
  await all(fc.sample(hostilePipeline, { numRuns: PIPELINE_BATCH, seed }), async (one) => {
    tried += one.requests.length;
    await sendPipeline({ host, port }, one).catch((error: unknown) =>
      found.push(`seed ${seed}: ${String(error)}`),
    );
  });
  if (performance.now() - reportedMs > PROGRESS_MS) {
    reportedMs = performance.now();
    console.info(
      `${tried} requests, seed ${seed}, heap ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB`,
    );
  }
}
agent.destroy();
for (const { host, port } of addresses) {
  const last = await fetch(`http://${host}:${port}/v1/accounts/0xc1/balance/${COIN}`);
  if (last.status !== 200) found.push(`at the end a good request got ${last.status}`);
}
for (const server of servers) {
  const { inFlight, streams, waiting } = server.figures();
  if (inFlight + streams + waiting > 0)
    found.push(`at the end ${inFlight} requests are in flight, ${streams} streams open, ${waiting} waiting`);
}
await Promise.all(servers.map((server) => server.close()));
console.info(`${tried} hostile requests: ${[...counts].map((entry) => entry.join(": ")).join(", ")}`);
for (const one of found.slice(0, 10)) console.error(one);
process.exitCode = found.length === 0 && tried > 0 ? 0 : 1;
