// A process reads the ledger that it opened, and no other that took its place in the cluster.
import { expect, it } from "vitest";
import { FakeCassandra } from "../../../test/support/fake-cassandra.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../../test/support/synthetic-ledger.ts";

const REPLACED = expect.objectContaining({ code: "replaced" });
const ALWAYS_FRESH = { readOnly: true, headMaxAgeMs: 0 };

async function write(cluster: FakeCassandra, ledger: SyntheticLedger, from: bigint | undefined, to: bigint) {
  const store = await cluster.openWriter();
  await store.commit(ledger.batch(from, to), from === undefined ? SYNTHETIC_IDENTITY : undefined);
  await store.close();
}

it("a reader refuses a keyspace that was dropped and created again, empty or with another ledger", async () => {
  const cluster = new FakeCassandra();
  const ledger = new SyntheticLedger(1, 12);
  await write(cluster, ledger, undefined, 40n);
  const reader = await cluster.open(ALWAYS_FRESH);
  const held = await reader.openView();
  cluster.drop();
  const other = await cluster.openWriter();
  await expect(async () => reader.openView()).rejects.toEqual(REPLACED);
  await expect(async () => held.getItems(ledger.keys, 40n)).rejects.toEqual(REPLACED);
  await other.commit(new SyntheticLedger(2, 12).batch(undefined, 60n), SYNTHETIC_IDENTITY);
  await expect(async () => reader.openView()).rejects.toEqual(REPLACED);
  // Rows of the other ledger have the same keys, versions and term.
  for (const key of ledger.keys)
    await expect(async () => held.getItems([key], 40n)).rejects.toEqual(REPLACED);
  await expect(held.getRecords(3n, 1, 1)).rejects.toEqual(REPLACED);
  const fresh = await cluster.open(ALWAYS_FRESH);
  (await fresh.openView()).release();
});

it("a reader refuses an older snapshot of its ledger, and what is written on top of that", async () => {
  const cluster = new FakeCassandra();
  const ledger = new SyntheticLedger(1, 12);
  await write(cluster, ledger, undefined, 20n);
  const restore = cluster.snapshot();
  await write(cluster, ledger, 20n, 40n);
  const [reader, sleeper] = [await cluster.open(ALWAYS_FRESH), await cluster.open(ALWAYS_FRESH)];
  const held = await reader.openView();
  restore();
  await expect(async () => reader.openView()).rejects.toEqual(REPLACED);
  await expect(held.getHistory(ledger.keys[0]!, { from: 0n, to: 40n, limit: 9 })).rejects.toEqual(REPLACED);
  const other = await cluster.openWriter();
  for (let to = 21n; to < 60n; to++) await other.commit(ledger.batch(to - 1n, to));
  for (const one of [reader, sleeper]) await expect(async () => one.openView()).rejects.toEqual(REPLACED);
});

it("a writer whose ledger was dropped writes nothing into the one that took its place", async () => {
  const cluster = new FakeCassandra();
  const ledger = new SyntheticLedger(1, 12);
  const store = await cluster.openWriter();
  await store.commit(ledger.batch(undefined, 20n), SYNTHETIC_IDENTITY);
  cluster.drop();
  const other = await cluster.openWriter();
  await expect(store.commit(ledger.batch(20n, 30n))).rejects.toEqual(REPLACED);
  await other.commit(ledger.batch(undefined, 10n), SYNTHETIC_IDENTITY);
  await expect(store.commit(ledger.batch(20n, 30n))).rejects.toThrow();
  const view = await other.openView();
  expect(view.position.version).toBe(10n);
  view.release();
});

it("a reader goes on when the writer changes, rewinds, or has a write that fails", async () => {
  const cluster = new FakeCassandra();
  const ledger = new SyntheticLedger(1, 12);
  await write(cluster, ledger, undefined, 20n);
  const reader = await cluster.open(ALWAYS_FRESH);
  for (let head = 20n; head < 50n; head += 10n) {
    (await reader.openView()).release();
    await write(cluster, ledger, head, head + 10n);
  }
  const store = await cluster.openWriter();
  const end = ledger.blockEnds(30n, 50n)[0]!;
  await store.rewind(ledger.rewindBatch(50n, end));
  const view = await reader.openView();
  expect(view.position.version).toBe(end);
  view.release();
});
