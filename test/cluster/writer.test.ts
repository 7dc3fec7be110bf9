// The writer's lease, and rows that other writers left behind.
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "cassandra-driver";
import { expect, it } from "vitest";
import type { CassandraStore } from "../../src/store/cassandra/store.ts";
import type { CommitBatch } from "../../src/store/contract.ts";
import { describeCluster } from "../support/cassandra.ts";
import { checkView } from "../support/check-store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";

const coded = (code: string) => expect.objectContaining({ code });

describeCluster("writers of a ledger in a cluster", (cluster) => {
  const [ttl, ledger] = [{ leaseTimeMs: 300 }, new SyntheticLedger(5, 12)];

  it("has one writer; the next one takes over when heartbeats stop", async () => {
    const named = { leaseTimeMs: 2000, ledger: "election" };
    const [first, second] = [await cluster.openWriter(named), await cluster.open(named)];
    for (let round = 0; round < 4; round++) {
      expect(await second.lease.acquire()).toBeUndefined();
      await sleep(100);
      await first.lease.renew();
    }
    await expect(second.commit(ledger.batch(undefined, 3n), SYNTHETIC_IDENTITY)).rejects.toEqual(
      coded("locked"),
    );
    const [before] = [first.lease.token!, await second.lease.acquire()];
    await sleep(2050);
    expect(await second.lease.acquire()).toBeGreaterThan(before);
    await expect(first.lease.renew()).rejects.toEqual(coded("locked"));
    expect(first.lease.token).toBeUndefined();
    await second.lease.release();
    expect(await first.lease.acquire()).toBeGreaterThan(before + 1n);
    await first.close();
    expect(await second.lease.acquire()).toBeGreaterThan(before + 2n);
    await second.close();
  });

  it("never shows rows of a fenced-out writer", async () => {
    const named = { ...ttl, ledger: "fenced" };
    const [first, second] = [await cluster.openWriter({ ...named, splitRows: 3 }), await cluster.open(named)];
    await first.commit(ledger.batch(undefined, 10n), SYNTHETIC_IDENTITY);
    await first.writeSide({ sideRows: [{ key: Buffer.from("row"), value: Buffer.from("good") }] });
    await second.lease.acquire();
    await sleep(350);
    expect(await second.lease.acquire()).toBeDefined();

    const junk = junkBatch(ledger.batch(10n, 40n));
    await expect(first.commit(junk)).rejects.toEqual(coded("locked"));
    await expect(first.commit(junk)).rejects.toEqual(coded("locked"));
    const read = async () =>
      (await second.getSideRows([Buffer.from("row")])).map((row) => Buffer.from(row ?? []).toString());
    expect(await read()).toEqual(["good"]);
    for (const [from, to] of [
      [10n, 14n],
      [14n, 30n],
      [30n, 60n],
    ] as const) {
      await second.commit(ledger.batch(from, to));
      const view = await second.openView();
      await checkView(view, ledger, to);
      view.release();
    }
    expect(await read()).toEqual(["good"]);
    const node = Number(60n % 5n);
    expect((await second.getTreeNodes([Buffer.from([node])])).map(String)).toEqual(["node 60"]);
    await second.prune(ledger.blockAt(45n, 60n).firstVersion, 10_000);
    const view = await second.openView();
    await checkView(view, ledger, 60n);
    view.release();
    await first.close();
    await second.close();
  });

  it("does not take a claim of its own, whose outcome it never learned, for another process", async () => {
    const writer = await cluster.openWriter({ ledger: "claimed", leaseTimeMs: 60_000 });
    await writer.commit(ledger.batch(undefined, 10n), SYNTHETIC_IDENTITY);
    const client = new Client({
      contactPoints: [...cluster.hosts],
      protocolOptions: { maxVersion: 4 },
      localDataCenter: "datacenter1",
      keyspace: cluster.keyspace,
    });
    const claim = async (owner?: string): Promise<void> => {
      const [row] = (await client.execute("SELECT term, owner FROM heads WHERE ledger = 'claimed'")).rows;
      const values = [row?.term + 1, owner ?? row?.owner, row?.term];
      const result = await client.execute(
        "UPDATE heads SET term = ?, owner = ? WHERE ledger = 'claimed' IF term = ?",
        values,
        { prepare: true },
      );
      expect(result.wasApplied()).toBe(true);
    };
    await claim();
    await writer.lease.renew();
    await expect(writer.commit(ledger.batch(10n, 20n))).rejects.toEqual(coded("unreachable"));
    await writer.commit(ledger.batch(10n, 20n));
    await claim();
    await writer.lease.renew();
    await expect(writer.writeSide({ sideRows: [] })).rejects.toEqual(coded("unreachable"));
    await writer.commit(ledger.batch(20n, 30n));
    const view = await writer.openView();
    await checkView(view, ledger, 30n);
    view.release();

    // Another process is named.
    await claim("elsewhere:42:1");
    await expect(writer.lease.renew()).rejects.toThrow("another process (process 42 on elsewhere) took over");
    expect(writer.lease.token).toBeUndefined();
    await writer.close();
    await client.shutdown();
  });

  it("is readable by other processes from the oldest version to the last commit", async () => {
    const named = { ledger: "readers", headMaxAgeMs: 0 };
    const writer = await cluster.openWriter(named);
    await writer.commit(ledger.batch(undefined, 50n), SYNTHETIC_IDENTITY);
    const reader = await cluster.open({ ...named, readOnly: true });
    expect(reader.identity).toEqual(SYNTHETIC_IDENTITY);
    const held = await reader.openView();
    await checkView(held, ledger, 50n);
    await writer.commit(ledger.batch(50n, 80n));
    const floor = ledger.blockAt(60n, 80n).firstVersion;
    while (!(await writer.prune(floor, 100)).done);
    const now = await reader.openView();
    await checkView(now, ledger, 80n);
    // A superseded value is reported as pruned; a value that is found is right.
    for (let version = 0n; version <= 50n; version++) {
      for (const [index, key] of ledger.keys.entries()) {
        const found = await Promise.resolve(held.getItems([key], version)).catch(
          (error: { code: string }) => error.code,
        );
        if (found !== "version_pruned") expect(found).toEqual([ledger.itemAt(index, version)].map(asBytes));
      }
    }
    await expect(held.getHistory(ledger.keys[0]!, { from: 0n, to: 50n, limit: 9 })).rejects.toEqual(
      coded("version_pruned"),
    );
    await expect(reader.commit(ledger.batch(80n, 90n))).rejects.toEqual(coded("locked"));
    await expect(reader.lease.acquire()).rejects.toEqual(coded("unwritable"));
    await reader.close();
    await writer.close();
  });

  it("shows a rewind to other processes, and what is committed after it", async () => {
    const named = { ledger: "rewound", headMaxAgeMs: 0, splitRows: 3 };
    const writer = await cluster.openWriter(named);
    const reader = await cluster.open({ ...named, readOnly: true });
    await writer.commit(ledger.batch(undefined, 20n), SYNTHETIC_IDENTITY);
    await writer.commit(ledger.batch(20n, 60n));
    const held = await reader.openView();
    // Also fills the reader's cache of blocks.
    await checkView(held, ledger, 60n);
    const to = ledger.blockEnds(0n, 60n).find((end) => end > 30n)!;
    await writer.rewind(ledger.rewindBatch(60n, to));
    const fork = ledger.fork(to, 77);
    const look = async (seen: SyntheticLedger, head: bigint, ...stores: CassandraStore[]): Promise<void> => {
      for (const store of stores) {
        const view = await store.openView();
        await checkView(view, seen, head);
        view.release();
      }
    };
    await look(ledger, to, reader, writer);
    await writer.commit(fork.batch(to, 70n));
    await look(fork, 70n, reader, writer);
    await checkView(held, ledger, 60n);
    held.release();
    await writer.lease.renew();
    await writer.close();

    // The next writer and the pruner take over.
    const next = await cluster.openWriter(named);
    await next.commit(fork.batch(70n, 90n));
    await look(fork, 90n, reader, next);
    while (!(await next.prune(fork.blockAt(75n, 90n).firstVersion, 100)).done);
    await look(fork, 90n, reader, next);
    await next.close();
    await reader.close();
  });

  it("preloads the state before the first version in parts, by several writers", async () => {
    const named = { ...ttl, ledger: "preload" };
    const [one, two] = ledger.keys as [Uint8Array, Uint8Array];
    const first = await cluster.openWriter(named);
    await first.preload({ writes: [{ keyHash: one, version: 3n, value: Buffer.from("a") }], treeNodes: [] });
    await first.close();
    const second = await cluster.openWriter(named);
    const node = { key: Buffer.from("n"), value: Buffer.from("node") };
    const sideRows = [{ key: Buffer.from("s"), value: Buffer.alloc(0) }];
    await second.preload({
      writes: [{ keyHash: two, version: 4n, value: Buffer.from("b") }],
      treeNodes: [node],
      sideRows,
    });
    await expect(async () => second.openView()).rejects.toEqual(coded("no_ledger"));
    const { blocks, ...batch } = ledger.batch(9n, 12n);
    const start = { ...blocks[0]!, height: 4n, firstVersion: 10n };
    const position = { ...batch.position, blockHeight: 4n };
    const base = { ...batch, previous: undefined, position, blocks: [start], writes: [], records: [] };
    await second.commit(base, SYNTHETIC_IDENTITY);
    await expect(second.preload({ writes: [], treeNodes: [] })).rejects.toEqual(coded("order"));
    const view = await second.openView();
    expect(view.position.oldestVersion).toBe(10n);
    const items = await view.getItems([one, two, ledger.keys[2]!], 12n);
    expect(items.map((item) => item && `${item.version} ${item.value}`)).toEqual(["3 a", "4 b", undefined]);
    expect((await second.getTreeNodes([node.key])).map(String)).toEqual(["node"]);
    expect((await second.getSideRows([sideRows[0]!.key])).map((row) => row?.length)).toEqual([0]);
    view.release();
    await second.close();
  });
});

const asBytes = (item: ReturnType<SyntheticLedger["itemAt"]>) =>
  item && { version: item.version, value: item.value && Buffer.from(item.value) };

/** A batch for the same versions with other contents: it writes every key at every version. */
function junkBatch(batch: CommitBatch): CommitBatch {
  const { keys } = new SyntheticLedger(5, 12);
  const junk = Buffer.from("junk");
  const versions = batch.records.map((record) => record.version);
  return {
    ...batch,
    writes: versions.flatMap((version) =>
      keys.map((keyHash, index) => ({ keyHash, version, value: index % 3 === 0 ? undefined : junk })),
    ),
    records: versions.map((version) => ({ version, bytes: junk })),
    blocks: batch.blocks.map((block) => ({ ...block, timestampUsec: 99n, epoch: 99n })),
    treeNodes: [0, 1, 2, 3, 4].map((byte) => ({ key: Buffer.from([byte]), value: junk })),
    sideRows: [{ key: Buffer.from("row"), value: junk }],
  };
}
