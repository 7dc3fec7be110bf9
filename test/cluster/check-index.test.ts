// The check of the index in a real cluster: finds nothing in a sound one, and names a row that is missing or too much.
import { Client } from "cassandra-driver";
import { expect, it } from "vitest";
import { stateKeyHash } from "../../src/ledger/formats/state-key.ts";
import { mayOutliveItem } from "../../src/ledger/indexes/owned-keys.ts";
import { addressFromBytes } from "../../src/move/address.ts";
import type { CassandraStore } from "../../src/store/cassandra/store.ts";
import { checkClusterIndex } from "../../src/sync/maintenance/check/cluster-index.ts";
import { BookedLedger } from "../support/booked-ledger.ts";
import { describeCluster } from "../support/cassandra.ts";
import { runCommand } from "../support/command.ts";

describeCluster("the check of the index in a cluster", (cluster) => {
  it("finds nothing in a sound one, before and after pruning, and names missing rows and rows too much", async () => {
    const name = "checked";
    const store: CassandraStore = await cluster.openWriter({ ledger: name });
    const ledger = await BookedLedger.create(store, 14);
    const whole = await checkClusterIndex(store);
    expect(whole).toMatchObject({ faults: 0, findings: [], withoutItem: 0 });
    expect(whole.indexRows).toBeGreaterThan(50);
    await ledger.prune(ledger.blocks[9]?.firstVersion ?? 0n);
    await ledger.steps(1);
    expect(await checkClusterIndex(store)).toMatchObject({ faults: 0, findings: [], withoutItem: 0 });

    const url = `cassandra://${cluster.hosts.join(",")}/${cluster.keyspace}/${name}`;
    const sound = await runCommand(["check", "--store-url", url]);
    expect([sound.stderr, sound.code, sound.stdout]).toEqual([
      "",
      0,
      expect.stringMatching(/^verdict +sound$/m),
    ]);

    const client = new Client({
      contactPoints: [...cluster.hosts],
      protocolOptions: { maxVersion: 4 },
      localDataCenter: "datacenter1",
      keyspace: cluster.keyspace,
    });
    try {
      const heads = await client.execute("SELECT birth FROM heads WHERE ledger = ?", [name], {
        prepare: true,
      });
      const key = `${name} ${heads.rows[0]?.birth}`;
      const rows: { owner: Buffer; place: Buffer; data: Buffer }[] = [];
      const walk = await store.openIndexWalk();
      for await (const { owner, place, data } of walk.rows()) {
        rows.push({ owner: Buffer.from(owner), place: Buffer.from(place), data: Buffer.from(data) });
      }
      const put = `INSERT INTO owned (ledger, owner, place, data) VALUES (?, ?, ?, ?)`;
      const drop = `DELETE FROM owned WHERE ledger = ? AND owner = ? AND place = ?`;
      for (const kind of [0, 1, 2, 3]) {
        let isFound = false;
        for (const row of rows.filter(({ owner }) => owner[0] === kind)) {
          await client.execute(drop, [key, row.owner, row.place], { prepare: true });
          const { findings } = await checkClusterIndex(store);
          await client.execute(put, [key, row.owner, row.place, row.data], { prepare: true });
          // The row of a store that its object has lost may stay, so nobody misses it.
          isFound = findings.length > 0 || !mayOutliveItem(row);
          if (!isFound) continue;
          const place = row.place.toString("hex");
          expect(findings[0]).toMatch(
            kind < 2
              ? new RegExp(`^item ${place} as of version \\d+: not in the index$`)
              : new RegExp(`^index row ${row.owner.toString("hex")} ${place}: is missing$`),
          );
          break;
        }
        expect(isFound, `a row of kind ${kind}`).toBe(true);
      }
      expect((await checkClusterIndex(store)).faults).toBe(0);

      // A row of a table item that was never written: its data are the length of the key, and the key.
      const handle = addressFromBytes(Buffer.alloc(32, 0xcc));
      const nobody = Buffer.concat([Uint8Array.of(1), handle]);
      const place = Buffer.from(stateKeyHash({ kind: "tableItem", handle, key: Buffer.of(7) }));
      await client.execute(put, [key, nobody, place, Buffer.of(1, 7)], { prepare: true });
      const rowName = `index row ${nobody.toString("hex")} ${place.toString("hex")}`;
      const named = `${rowName}: there is no item`;
      const extra = await checkClusterIndex(store);
      expect(extra).toMatchObject({
        faults: 0,
        withoutItem: 1,
        leftovers: [expect.stringContaining(named)],
      });
      const shown = await runCommand(["check", "--store-url", url]);
      expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining(`left over: ${named}`)]);
      await client.execute(put, [key, nobody, place, Buffer.alloc(3)], { prepare: true });
      expect((await checkClusterIndex(store)).findings).toEqual([`${rowName}: no item can have it`]);
    } finally {
      await client.shutdown();
      await store.close();
    }
  });
});
