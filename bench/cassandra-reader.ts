// One reader process of the cluster's benchmark: reads when it is told to, and says how many in a second.
import { openCassandraStore } from "../src/store/cassandra/store.ts";
import { perSecond, type ReadTask } from "./cassandra.ts";
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
  const rate = await perSecond(task.reads, task.inFlight, async () => {
    const view = await store.openView();
    await view.getItems([makeKey(Math.floor(Math.random() * task.items))], view.position.version);
    view.release();
  });
  process.send?.(rate);
});
process.send?.("ready");
