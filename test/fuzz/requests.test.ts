import { Agent } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { hostilePipeline, sendPipeline } from "../support/hostile-pipelines.ts";
import { type Hostile, hostile, rawRequest, sendHostile } from "../support/hostile-requests.ts";
import { COIN, TIMESTAMP_USEC } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { RUNS } from "../support/property.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const REQUESTS = 12 * RUNS;
const BATCH = 4 * RUNS;
const RAW_REQUESTS = 2 * RUNS;
const PIPELINES = RUNS;
const CONCURRENCY = 32;
const TIMEOUT_MS = 600_000;
const MAX_GROWTH_BYTES = 24 * 1024 * 1024;
const BODY_LIMIT = 64 * 1024;

/** Heap in use after everything that can go is gone. */
async function settledHeap(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("hostile requests", () => {
  it(
    `${REQUESTS} generated ones: no 5xx, no dropped server, memory back where it was`,
    async () => {
      const errors: unknown[] = [];
      const server = await startServer({
        bodyLimitBytes: BODY_LIMIT,
        // A slow machine must not end requests early.
        headersTimeoutMs: 60_000,
        requestTimeoutMs: 60_000,
        keepAliveTimeoutMs: 600_000,
        // The ledger's own time, so that a health check has no reason to fail.
        clock: () => Number(TIMESTAMP_USEC / 1000n),
        logger: { debug: () => {}, info: () => {}, warn: () => {}, error: (fields) => errors.push(fields) },
      });
      const seed = Number(process.env.SEXTANT_SEED ?? "1");
      const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
      const counts = new Map<number | undefined, number>();
      const runBatch = async (batch: readonly Hostile[]): Promise<void> => {
        const queue = batch.values();
        const work = async (): Promise<void> => {
          for (const one of queue) {
            const status = await sendHostile(server.port, agent, one);
            counts.set(status, (counts.get(status) ?? 0) + 1);
            if (status !== undefined && status >= 500) throw new Error(`${status}: ${JSON.stringify(one)}`);
          }
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, work));
      };
      const started = performance.now();
      await runBatch(fc.sample(hostile, { numRuns: BATCH, seed }));
      const before = await settledHeap();
      for (let sent = BATCH; sent < REQUESTS; sent += BATCH) {
        await runBatch(fc.sample(hostile, { numRuns: BATCH, seed: seed + sent }));
      }
      const after = await settledHeap();
      const seconds = (performance.now() - started) / 1000;
      agent.destroy();
      console.info(
        `${REQUESTS} hostile requests in ${seconds.toFixed(1)} s, heap ${((after - before) / 1e6).toFixed(1)} MB; ` +
          [...counts].map(([status, count]) => `${status ?? "gone"}: ${count}`).join(", "),
      );
      expect(errors).toEqual([]);
      expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
      // Both good and bad requests must be among them, or this test tests nothing.
      for (const status of [200, 400, 404, 405, 410, 413, 415])
        expect(counts.get(status) ?? 0).toBeGreaterThan(0);
      expect(after - before).toBeLessThan(MAX_GROWTH_BYTES);
      expect((await fetch(`${server.url}/v1/accounts/0xc1/balance/${COIN}`)).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(`${RAW_REQUESTS} byte strings that are hardly HTTP: answered with 4xx or closed, never 5xx`, async () => {
    const server = await startServer({
      headersTimeoutMs: 1000,
      requestTimeoutMs: 1000,
      keepAliveTimeoutMs: 1000,
    });
    const queue = fc.sample(rawRequest, { numRuns: RAW_REQUESTS, seed: 7 }).values();
    const statuses = new Map<number, number>();
    const work = async (): Promise<void> => {
      for (const bytes of queue) {
        const answer = await sendRaw(server, [bytes], { waitMs: 60_000, end: true });
        for (const status of answer.statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 4 * CONCURRENCY }, work));
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(RAW_REQUESTS / 2);
    expect((await fetch(`${server.url}/v1/info`)).status).toBe(200);
  });

  const lanes = [
    ["the direct lane", {}],
    ["node:http alone", { isDirect: false }],
    ...(hasOpenssl ? ([["TLS", { tls: createCertificate(temporaryFolder(), "fuzz") }]] as const) : []),
  ] as const;

  it.each(lanes)(
    `${PIPELINES} pipelines of clients that leave, on %s: no process ends, answers in order, every place given back`,
    async (_, options) => {
      const errors: unknown[] = [];
      const server = await startServer({
        ...options,
        logger: { debug: () => {}, info: () => {}, warn: () => {}, error: (fields) => errors.push(fields) },
      });
      const isSecure = "tls" in options;
      const queue = fc.sample(hostilePipeline, { numRuns: PIPELINES, seed: 5 }).values();
      const work = async (): Promise<void> => {
        for (const one of queue) await sendPipeline({ ...server, isSecure }, one);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
      await until(() => server.figures().connections === 0);
      await until(() => server.figures().inFlight === 0);
      expect(errors).toEqual([]);
      expect(server.figures()).toMatchObject({ streams: 0, waiting: 0, answerBytes: 0, queued: 0 });
    },
  );
});
