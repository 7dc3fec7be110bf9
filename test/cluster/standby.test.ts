// A standby that could not go on with the ledger of its store.
import { expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { describeCluster } from "../support/cassandra.ts";

describeCluster("a standby", ({ hosts, keyspace }) => {
  it("with a fork is refused at its start where the ledger is none, and not when it takes over", async () => {
    const store = { engine: "cassandra", url: `cassandra://${hosts.join(",")}/${keyspace}/standby` } as const;
    const writer = await createNode({ localChain: { seed: "standby" }, store });
    try {
      const standby = createNode({ fork: { url: "http://127.0.0.1:9" }, store, http: { port: 0 } });
      await expect(standby).rejects.toThrow("fork: the store holds a ledger that is no fork");
    } finally {
      await writer.close();
    }
  });
});
