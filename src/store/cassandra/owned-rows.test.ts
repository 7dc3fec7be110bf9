// Removals in the index: an owner's rows go, and what is left of them is no burden to a reader.
import { expect, it } from "vitest";
import { FakeCassandra } from "../../../test/support/fake-cassandra.ts";
import { removeRows } from "../../../test/support/removed-rows.ts";

it("an owner whose rows were removed is listed, and a read meets one removal between two rows", async () => {
  const cluster = new FakeCassandra();
  // Cassandra's limit is 100,000, and test/cluster/ has an owner with more than that.
  cluster.maxRemovals = 200;
  const store = await cluster.openWriter();
  const { list, kept } = await removeRows(store, 800);
  cluster.mostRemovals = 0;
  expect(await list(store)).toEqual(kept);
  expect(kept.length).toBeGreaterThan(10);
  expect(cluster.mostRemovals).toBeLessThanOrEqual(kept.length + 1);
  await store.close();
});

it("a read that the nodes fail says so, at once, and not that they are out of reach", async () => {
  const cluster = new FakeCassandra();
  const store = await cluster.openWriter();
  const { list } = await removeRows(store, 10);
  cluster.maxRemovals = 0;
  cluster.takeCount();
  await expect(list(store)).rejects.toThrow("the storage is there, and fails to read this");
  expect(cluster.takeCount()).toBeLessThan(4);
  await store.close();
});
