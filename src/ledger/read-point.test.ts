import fc from "fast-check";
import { expect, it } from "vitest";
import { CountingLedger, createLedgerOfBlocks } from "../../test/support/long-history.ts";
import { BlockFinder } from "./read-point.ts";

it("finds what halving finds, whatever the sizes of the blocks and the order of the questions", async () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2000 })), {
    minLength: 1,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), async (blocks, places) => {
      const view = await (await createLedgerOfBlocks(blocks)).openView();
      const finder = new BlockFinder(view);
      for (const place of places) {
        const version = BigInt(Math.floor(place * Number(view.position.version)));
        expect(await finder.find(version)).toEqual(await view.getBlockByVersion(version));
      }
      view.release();
    }),
    { numRuns: 200 },
  );
});

it("needs a read or two for each of many versions of a steady ledger", async () => {
  const ledger = new CountingLedger(
    await createLedgerOfBlocks(Array.from({ length: 5000 }, (_, i) => 9 + (i % 3))),
  );
  const view = await ledger.openView();
  const finder = new BlockFinder(view);
  for (let version = 0n; version <= view.position.version; version += 97n) await finder.find(version);
  const versions = Number(view.position.version / 97n);
  expect(ledger.reads).toBeLessThan(2 * versions);
  view.release();
});
