// A view asks the cluster for no more than it gives: rows that nobody wants cost as much as others.
import { expect, it } from "vitest";
import { FakeCassandra } from "../../../test/support/fake-cassandra.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../../test/support/synthetic-ledger.ts";

async function filled() {
  const cluster = new FakeCassandra();
  const ledger = new SyntheticLedger(1, 12);
  const store = await cluster.openWriter({ headMaxAgeMs: 0 });
  await store.commit(ledger.batch(undefined, 120n), SYNTHETIC_IDENTITY);
  return { cluster, ledger, store };
}

it("asks for the versions of the wanted records alone", async () => {
  const { cluster, store } = await filled();
  const view = await store.openView();
  cluster.sent = [];
  for (const limit of [1, 3, 500]) await view.getRecords(7n, limit, 1_000_000);
  view.release();
  expect(cluster.sent.map(({ params }) => params.slice(2))).toEqual([
    [7n, 7n],
    [7n, 9n],
    [7n, 120n],
  ]);
});

it("reads a key's history with one request, and whether it is kept with another", async () => {
  const { cluster, ledger, store } = await filled();
  const view = await store.openView();
  cluster.takeCount();
  expect(await view.getHistory(ledger.keys[1]!, { from: 10n, to: 110n, limit: 2 })).toHaveLength(2);
  expect(cluster.takeCount()).toBe(2);
  view.release();
});

it("keeps the position of a head that it read again", async () => {
  const { cluster, store } = await filled();
  const first = await store.openView();
  await store.lease.renew();
  cluster.takeCount();
  const second = await store.openRawView();
  expect(cluster.takeCount()).toBe(1);
  expect(second.position).toBe(first.position);
  for (const view of [first, second]) view.release();
});
