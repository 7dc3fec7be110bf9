// The engine on a cluster in memory, which runs everywhere. test/cluster/ has the same against a real one.
import { describeStoreContract } from "../../../test/store/contract.ts";
import { FakeCassandra } from "../../../test/support/fake-cassandra.ts";
import { RUNS } from "../../../test/support/property.ts";

describeStoreContract("cassandra, on a cluster in memory", {
  open: () => new FakeCassandra().openWriter(),
  dispose: async () => {},
  runs: Math.ceil(RUNS / 3),
});

describeStoreContract("cassandra, with keys split after a few writes, on a cluster in memory", {
  open: () => new FakeCassandra().openWriter({ splitRows: 3 }),
  dispose: async () => {},
  runs: Math.ceil(RUNS / 3),
});
