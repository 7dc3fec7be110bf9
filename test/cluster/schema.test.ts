import { Client } from "cassandra-driver";
import { expect, it } from "vitest";
import { describeCluster } from "../support/cassandra.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";

describeCluster("tables of a store", ({ open, hosts, keyspace: shared }) => {
  it("are the same when several processes create them at once", async () => {
    const keyspace = `${shared}_created`;
    // A different host for each store, if there are several: requests to one node alone never conflict.
    const stores = await Promise.all(
      [0, 1, 2].map((at) =>
        open({ keyspace, ledger: "first", headMaxAgeMs: 0, hosts: [hosts[at % hosts.length] ?? ""] }),
      ),
    );
    const client = new Client({
      contactPoints: [...hosts],
      protocolOptions: { maxVersion: 4 },
      localDataCenter: "datacenter1",
    });
    const query = `SELECT table_name, id FROM system_schema.tables WHERE keyspace_name = '${keyspace}'`;
    const { rows } = await client.execute(query, [], { readTimeout: 60_000 });
    expect(rows).toHaveLength(9);
    // The mark of a given id, not one that a node chose.
    for (const { id } of rows) expect(String(id)).toMatch(/^.{14}4.{4}8/);

    const ledger = new SyntheticLedger(3, 12);
    const tokens = await Promise.all(stores.map((store) => store.lease.acquire()));
    const [writer] = stores.filter((_, at) => tokens[at] !== undefined);
    expect(tokens.filter((token) => token !== undefined)).toHaveLength(1);
    await writer?.commit(ledger.batch(undefined, 10n), SYNTHETIC_IDENTITY);
    for (const store of stores) {
      const view = await store.openView();
      expect(view.position.version).toBe(10n);
      view.release();
      await store.close();
    }
    await client.execute(`DROP KEYSPACE ${keyspace}`, [], { readTimeout: 120_000 });
    await client.shutdown();
  });
});
