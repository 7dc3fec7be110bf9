// A process of HTTP/2 clients that leave, for test/fuzz/requests.test.ts: `node --import tsx http2-clients.ts HOST PORT SEED COUNT`.
// Node 20 may corrupt the memory of such a client and end it, which says nothing about the server.
import fc from "fast-check";
import { hostilePipeline, sendPipeline } from "./hostile-pipelines.ts";

const CONCURRENCY = 32;
const [host = "", port, seed, count] = process.argv.slice(2);
const pipelines = fc.sample(hostilePipeline, { numRuns: Number(count), seed: Number(seed) });
const queue = pipelines.filter(({ isHttp2 }) => isHttp2).values();
await Promise.all(
  Array.from({ length: CONCURRENCY }, async () => {
    for (const one of queue) await sendPipeline({ host, port: Number(port) }, one);
  }),
);
