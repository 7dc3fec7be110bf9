// A node that reads a ledger whose keyspace is dropped and created again under it.
import { Client } from "cassandra-driver";
import { expect, it } from "vitest";
import { createNode, type Node } from "../../src/node.ts";
import { openCassandraStore } from "../../src/store/cassandra/store.ts";
import { describeCluster } from "../support/cassandra.ts";

const COIN = encodeURIComponent("0x1::aptos_coin::AptosCoin");

describeCluster("a keyspace that is dropped and created again", ({ hosts, keyspace: shared }) => {
  it("is not served by a reader of the old one: neither balances nor readiness", async () => {
    const keyspace = `${shared}_again`;
    const store = { engine: "cassandra", url: `cassandra://${hosts.join(",")}/${keyspace}` } as const;
    const http = { port: 0, maxWaitMs: 0 };
    const writer = await createNode({ localChain: { seed: "again" }, store, http });
    await writer.produceBlock();
    const [account] = writer.guide()?.accounts ?? [];
    await writer.close();
    const reader = await createNode({ store, readOnly: true, http });
    const client = new Client({
      contactPoints: [...hosts],
      protocolOptions: { maxVersion: 4 },
      localDataCenter: "datacenter1",
    });
    const drop = () => client.execute(`DROP KEYSPACE IF EXISTS ${keyspace}`, [], { readTimeout: 120_000 });
    try {
      const balance = `/accounts/${account?.address}/balance/${COIN}`;
      const before = await ask(reader, balance);
      expect([before.status, Number(before.text) > 0]).toEqual([200, true]);
      expect((await ask(reader, "/-/ready")).status).toBe(200);
      await drop();
      const created = await openCassandraStore({ hosts, keyspace });
      await created.lease.acquire();
      await created.close();
      for (const path of [balance, "/-/ready", "/-/healthy", "/"]) {
        const { status, text } = await ask(reader, path);
        expect([path, status]).toEqual([path, 503]);
        expect(text).toContain("no longer holds the ledger that this node opened");
      }
    } finally {
      await reader.close();
      await drop().catch(() => {});
      await client.shutdown();
    }
  });
});

async function ask({ url }: Node, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}${path}`);
  return { status: response.status, text: await response.text() };
}
