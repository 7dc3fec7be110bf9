import { describeStoreContract } from "../store/contract.ts";
import { describeCluster } from "../support/cassandra.ts";
import { RUNS } from "../support/property.ts";

describeCluster("Cassandra engine", (cluster) => {
  // Keys with few writes are not split. src/store/cassandra/store.test.ts has both ways in all versions.
  describeStoreContract("cassandra, with keys split after a few writes", {
    open: () => cluster.openWriter({ splitRows: 3 }),
    dispose: async () => {},
    stride: 7n,
    runs: Math.max(2, Math.ceil(RUNS / 16)),
  });
});
