// One reader process of the cluster's benchmark: reads when it is told to, and says how many in a second.
import { openCassandraStore } from "../src/store/cassandra/store.ts";
import { perSecond, type ReadFigures, type ReadTask } from "./cassandra.ts";
import { makeKey } from "./store-data.ts";

const HOSTS = (process.env.SEXTANT_CASSANDRA ?? "127.0.0.1").split(",");
const task = JSON.parse(process.argv[2] ?? "{}") as ReadTask;
const store = await openCassandraStore({
  hosts: HOSTS,
  keyspace: task.keyspace,
  ledger: "ours",
  readOnly: true,
});
process.on("message", async () => {
  const started = process.cpuUsage();
  let reads = 0;
  const rate = await perSecond(task.roundMs, task.inFlight, async () => {
    const view = await store.openView();
    await view.getItems([makeKey(Math.floor(Math.random() * task.items))], view.position.version);
    view.release();
    reads++;
  });
  const { user, system } = process.cpuUsage(started);
  const figures: ReadFigures = { rate, cost: (user + system) / reads };
  process.send?.(figures);
});
process.send?.("ready");
