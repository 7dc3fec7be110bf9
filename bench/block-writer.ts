// A node in its own process that makes a block when the benchmark says so, and reports what the block cost: the processor
// time and the duration from its start to its commit, and the processor time of what follows before the next block.
import { setTimeout as sleep } from "node:timers/promises";

/** What one block cost. */
export interface BlockCost {
  readonly committingMicros: number;
  readonly committingMs: number;
  readonly afterwardsMicros: number;
}

/** Message of the process. */
export type WriterReport = { readonly url: string } | { readonly cost: BlockCost };

/** The streams have all events of a block when the process rests for this long, on a busy machine too. */
const REST_MS = 40;
/** Processor time of a rest: timers and this loop. */
const REST_MICROS = 500;

// The built program, because tsx slows down the source.
const { createNode } = (await import(
  new URL("../dist/index.js", import.meta.url).href
)) as typeof import("../src/index.ts");

const [data = "", maxStreams = ""] = process.argv.slice(2);
const node = await createNode({ data, http: { port: 0, maxWaitMs: 0, maxStreams: Number(maxStreams) } });

function micros(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

async function makeBlock(): Promise<BlockCost> {
  const [startedMs, started] = [performance.now(), process.cpuUsage()];
  await node.produceBlock();
  const [committingMs, committingMicros] = [performance.now() - startedMs, micros(started)];
  const committed = process.cpuUsage();
  for (let last = committed; ; ) {
    await sleep(REST_MS);
    if (micros(last) < REST_MICROS) break;
    last = process.cpuUsage();
  }
  return { committingMs, committingMicros, afterwardsMicros: micros(committed) };
}

// Without a benchmark nobody stops it.
process.once("disconnect", () => process.exit());
process.on("message", async () => {
  process.send?.({ cost: await makeBlock() } satisfies WriterReport);
});
process.send?.({ url: (node.url ?? "").replace(/\/v1$/, "") } satisfies WriterReport);
