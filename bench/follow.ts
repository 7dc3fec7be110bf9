// Following a node on the same machine from genesis to its head, against a replay of the same pages from memory. The
// node runs in a process of its own, so the two share the machine's cores. The row counts versions a second by the
// clock; its note has the ratio of processor time in this process, which does not depend on other programs. A second row
// is what clients of the follower wait for: the longest turn of its event loop meanwhile.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { createMemoryStore } from "../src/store/memory/store.ts";
import { createRestUpstream, parseUpstreamUrl } from "../src/sync/upstream/rest-upstream.ts";
import type { Upstream } from "../src/sync/upstream/upstream.ts";
import { ChainRun } from "../test/support/chain-run.ts";
import { readRecords } from "../test/support/follow.ts";
import { turnsMs } from "../test/support/loop-meter.ts";
import { type BenchOptions, type BenchRow, compare, median, quantile, withDirectory } from "./harness.ts";
import { recordedUpstream, replicate } from "./replication.ts";
import { startNode } from "./servers.ts";

const TURN_MS = 20;
/** Shorter turns did little but turn. */
const BUSY_TURN_MS = 1;

/** The rows of following. */
export async function benchmarkFollow({ quick, scale }: BenchOptions): Promise<readonly BenchRow[]> {
  const blocks = quick ? 60 : Math.max(60, Math.round(1500 * scale));
  const chain = createLocalChain({ seed: "replication" });
  const run = await new ChainRun(chain, createMemoryStore()).start();
  await run.steps(blocks);
  const records = await readRecords(run.store);
  return withDirectory(async (folder) => {
    const genesis = join(folder, "genesis.blob");
    await writeFile(genesis, chain.genesisBlob());
    const data = join(folder, "origin");
    const origin = await openLmdbStore({ path: data });
    await replicate(origin, recordedUpstream(records), records.length);
    await origin.close();
    const node = await startNode(["--data", data, "--genesis", genesis, "--prune-window", "off"]);
    let turn = 0;
    const cpu: Record<"ours" | "base", number[]> = { ours: [], base: [] };
    const side = (name: "ours" | "base", connect: () => Upstream) => async (): Promise<number> => {
      const store = await openLmdbStore({ path: join(folder, `follower-${turn++}`) });
      const [started, used] = [performance.now(), process.cpuUsage()];
      await replicate(store, connect(), records.length);
      const { user, system } = process.cpuUsage(used);
      cpu[name].push(user + system);
      const rate = (1000 * records.length) / (performance.now() - started);
      await store.close();
      return rate;
    };
    const overHttp = (): Upstream => createRestUpstream(parseUpstreamUrl(node.url, "upstream"));
    const busyTurns: number[] = [];
    const longestTurn = async (): Promise<number> => {
      const store = await openLmdbStore({ path: join(folder, `follower-${turn++}`) });
      const turns = await turnsMs(() => replicate(store, overHttp(), records.length));
      await store.close();
      const busy = turns.filter((ms) => ms >= BUSY_TURN_MS);
      busyTurns.push(...busy);
      return busy.reduce((longest, ms) => Math.max(longest, ms), 0);
    };
    try {
      const row = await compare(
        "following a node on the same machine, over a replay from memory",
        {
          ours: side("ours", overHttp),
          base: side("base", () => recordedUpstream(records)),
        },
        { unit: "versions/s", basis: "clock", target: { min: 0.7 } },
      );
      const cost = median(cpu.base.map((base, i) => base / (cpu.ours[i] ?? Number.NaN)));
      const held = await compare(
        `longest turn of the event loop while a follower catches up, over ${TURN_MS} ms`,
        { ours: longestTurn, base: () => TURN_MS },
        { unit: "ms CPU" },
      );
      const [half, most] = [quantile(busyTurns, 0.5), quantile(busyTurns, 0.99)];
      return [
        { ...row, note: `${records.length} versions; by processor time ${cost.toFixed(2)}` },
        {
          ...held,
          note: `of turns with ${BUSY_TURN_MS} ms or more, p50 ${half.toFixed(1)}, p99 ${most.toFixed(1)} ms`,
        },
      ];
    } finally {
      await node.stop();
    }
  });
}
