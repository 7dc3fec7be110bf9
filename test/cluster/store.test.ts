import { describeStoreContract } from "../store/contract.ts";
import { describeCluster } from "../support/cassandra.ts";
import { RUNS } from "../support/property.ts";

describeCluster("Cassandra engine", (cluster) => {
  describeStoreContract("cassandra", {
    open: () => cluster.openWriter(),
    dispose: async () => {},
    runs: Math.max(2, Math.ceil(RUNS / 16)),
  });

  describeStoreContract("cassandra, with keys split after a few writes", {
    open: () => cluster.openWriter({ splitRows: 3 }),
    dispose: async () => {},
    runs: Math.max(2, Math.ceil(RUNS / 16)),
  });
});
