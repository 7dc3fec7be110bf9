// An owner in the index of a real cluster whose rows were removed: a few thousand, or as many as SEXTANT_REMOVALS says.
// Cassandra ends a read that meets 100,000 removals.
import { Client } from "cassandra-driver";
import { expect, it } from "vitest";
import { describeCluster } from "../support/cassandra.ts";
import { removeRows } from "../support/removed-rows.ts";
import { until } from "../support/until.ts";

const REMOVALS = Number(process.env.SEXTANT_REMOVALS ?? 3000);

describeCluster("removed rows of an owner", (cluster) => {
  const timeout = 600_000 + 20 * REMOVALS;
  it(`are no burden to a reader: ${REMOVALS} of them`, { timeout }, async () => {
    const store = await cluster.openWriter({ ledger: "removals" });
    const { owner, list, kept } = await removeRows(store, REMOVALS);
    expect(await list(store)).toEqual(kept);
    const removals = await removalsMet(cluster, owner);
    expect(removals).toBeLessThanOrEqual(2 * (kept.length + 1));
    await store.close();
  });
});

/** The removals that one read of the owner's partition meets, by Cassandra's own trace. */
async function removalsMet(
  { hosts, keyspace }: { readonly hosts: readonly string[]; readonly keyspace: string },
  owner: Uint8Array,
): Promise<number> {
  const client = new Client({
    contactPoints: [...hosts],
    protocolOptions: { maxVersion: 4 },
    localDataCenter: "datacenter1",
  });
  try {
    const { rows } = await client.execute(`SELECT birth FROM ${keyspace}.heads WHERE ledger = 'removals'`);
    const { info } = await client.execute(
      `SELECT place FROM ${keyspace}.owned WHERE ledger = ? AND owner = ? LIMIT 100000`,
      [`removals ${rows[0]?.birth}`, Buffer.from(owner)],
      { prepare: true, traceQuery: true, fetchSize: 100_000 },
    );
    return await until(async () => {
      const { rows: events } = await client.execute(
        "SELECT activity FROM system_traces.events WHERE session_id = ?",
        [info.traceId],
        { prepare: true },
      );
      const told = events.map(({ activity }) => /and (\d+) tombstone cells/.exec(String(activity))?.[1]);
      const counts = told.filter((count) => count !== undefined).map(Number);
      return counts.length > 0 && Math.max(...counts);
    });
  } finally {
    await client.shutdown();
  }
}
