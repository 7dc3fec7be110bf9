// One reader process of the cluster's benchmark: reads on command and reports the rate and the cost.
import { setTimeout as sleep } from "node:timers/promises";
import { openCassandraStore } from "../src/store/cassandra/store.ts";
import { perSecond, type ReadFigures, type ReadTask, type ReadTurn } from "./cassandra.ts";
import { makeKey } from "./store-data.ts";

const HOSTS = (process.env.SEXTANT_CASSANDRA ?? "127.0.0.1").split(",");
const task = JSON.parse(process.argv[2] ?? "{}") as ReadTask;
const store = await openCassandraStore({
  hosts: HOSTS,
  keyspace: task.keyspace,
  ledger: "ours",
  readOnly: true,
});

async function read({ roundMs, inFlight, share }: ReadTurn): Promise<ReadFigures> {
  const [used, started] = [process.cpuUsage(), performance.now()];
  const usedMs = (): number => {
    const { user, system } = process.cpuUsage(used);
    return (user + system) / 1000;
  };
  let reads = 0;
  const rate = await perSecond(roundMs, inFlight, async () => {
    const view = await store.openView();
    const [item] = await view.getItems(
      [makeKey(Math.floor(Math.random() * task.items))],
      view.position.version,
    );
    view.release();
    if (item?.value === undefined) throw new Error("an item is missing");
    reads++;
    if (share >= 1) return;
    // Sleep until the processor time used is within the share.
    const aheadMs = usedMs() / share - (performance.now() - started);
    if (aheadMs > 0) await sleep(aheadMs);
  });
  const ms = usedMs();
  return { rate, cost: (1000 * ms) / reads, share: ms / (performance.now() - started) };
}

process.on("message", async (turn: ReadTurn) => {
  process.send?.(await read(turn));
});
// End with the benchmark.
process.on("disconnect", () => process.exit());
process.send?.("ready");
