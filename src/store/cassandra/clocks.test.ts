// Writers whose clocks differ: nothing that is stored depends on the time of day.
import fc from "fast-check";
import { expect, it } from "vitest";
import { FakeCassandra } from "../../../test/support/fake-cassandra.ts";
import { RUNS } from "../../../test/support/property.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../../test/support/synthetic-ledger.ts";
import { checkWritersInTurn } from "../../../test/support/writers-in-turn.ts";

it("keeps a deleted item deleted after pruning when the first writer's clock was two hours ahead", async () => {
  const cluster = new FakeCassandra();
  await checkWritersInTurn([2, 0, -2], (offMs) => cluster.openWriter({}, () => Date.now() + offMs));
});

it("keeps a ledger right whatever the clocks of its writers say, also with split keys", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: -48, max: 48 }), { minLength: 2, maxLength: 5 }),
      fc.integer(),
      fc.constantFrom(3, 32_768),
      async (hours, seed, splitRows) => {
        const cluster = new FakeCassandra();
        const open = (offMs: number) => cluster.openWriter({ splitRows }, () => Date.now() + offMs);
        await checkWritersInTurn(hours, open, seed);
      },
    ),
    { numRuns: Math.ceil(RUNS / 6) },
  );
});

it("gives every row and every removal a timestamp that no clock made", async () => {
  const cluster = new FakeCassandra();
  const store = await cluster.openWriter({ splitRows: 3 });
  cluster.sent = [];
  const ledger = new SyntheticLedger(3, 12);
  await store.commit(ledger.batch(undefined, 60n), SYNTHETIC_IDENTITY);
  await store.writeSide({ sideRows: [{ key: Buffer.from("a"), value: Buffer.from("b") }] });
  const { firstVersion: floor } = ledger.blockAt(40n, 60n);
  for (let isDone = false; !isDone; ) isDone = (await store.prune(floor, 20)).done;
  const writes = cluster.sent.filter(
    ({ query }) => /^(INSERT|DELETE)/.test(query) && !query.includes("TIMESTAMP"),
  );
  expect(writes.length).toBeGreaterThan(100);
  // The clock would give microseconds since 1970.
  const clocked = writes.filter(({ timestamp }) => timestamp > 10n ** 15n);
  expect(clocked.map(({ query }) => query)).toEqual([]);
  await store.close();
});
