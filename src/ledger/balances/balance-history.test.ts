import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  COIN,
  coinKey,
  coinStore,
  primaryGroup,
  stateValue,
  storeKey,
} from "../../../test/support/http-ledger.ts";
import { createLedgerOfWrites, createLongHistory, OWNER } from "../../../test/support/long-history.ts";
import { RUNS } from "../../../test/support/property.ts";
import { parseAddress } from "../../move/address.ts";
import type { LedgerView } from "../view.ts";
import { parseAsset } from "./asset.ts";
import { readBalance } from "./balance.ts";
import { readHistoryPage, sampleHistory, walkHistory } from "./balance-history.ts";

const owner = parseAddress(OWNER);
const asset = parseAsset(COIN);

type Point = readonly [version: bigint, before: bigint, after: bigint];

/** The changes, by reading every version. */
async function naive(view: LedgerView, from: bigint, to: bigint): Promise<Point[]> {
  const points: Point[] = [];
  let before = from === 0n ? 0n : await readBalance(view, owner, asset, from - 1n);
  for (let version = from; version <= to; version++) {
    const after = await readBalance(view, owner, asset, version);
    if (after !== before) points.push([version, before, after]);
    before = after;
  }
  return points;
}

/** Many writes of both stores, often of one only, often without a change of the amount. */
const history = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 1, max: 3 }),
      coin: fc.option(fc.bigInt({ min: 0n, max: 3n }), { freq: 8 }),
      store: fc.option(fc.bigInt({ min: 0n, max: 3n }), { freq: 1 }),
    }),
    { minLength: 1, maxLength: 400, size: "max" },
  )
  .map((steps) => {
    let version = -1n;
    return steps.flatMap(({ gap, coin, store }) => {
      version += BigInt(gap);
      const writes = [];
      if (coin !== null) {
        const value = coin === 0n ? undefined : stateValue(coinStore(coin));
        writes.push({ version, keyHash: coinKey(OWNER), value });
      }
      if (store !== null)
        writes.push({ version, keyHash: storeKey(OWNER), value: stateValue(primaryGroup(store)) });
      return writes;
    });
  })
  .filter((writes) => writes.length > 0);

describe("the history of a balance", () => {
  it("is what reading every version finds, in pages of any size, in pieces, from any version on", async () => {
    const place = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.integer({ min: 1, max: 150 }),
        place,
        place,
        async (writes, limit, a, b) => {
          const ledger = await createLedgerOfWrites(writes);
          const view = await ledger.openView();
          const at = (part: number): bigint => BigInt(Math.floor(part * Number(view.position.version)));
          const [from, to] = a < b ? [at(a), at(b)] : [at(b), at(a)];
          const expected = await naive(view, from, to);
          const paged: Point[] = [];
          let next: bigint | undefined = from;
          while (next !== undefined) {
            const page = await readHistoryPage(view, { owner, asset, from: next, to }, limit);
            expect(page.changes.length).toBeLessThanOrEqual(limit);
            for (const { version, before, after } of page.changes) paged.push([version, before, after]);
            next = page.next;
          }
          expect(paged).toEqual(expected);
          const walked: Point[] = [];
          for await (const some of walkHistory(() => ledger.openView(), { owner, asset, from, to })) {
            for (const { version, before, after } of some) walked.push([version, before, after]);
          }
          expect(walked).toEqual(expected);
          view.release();
        },
      ),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });

  it("lets the event loop turn after each piece", async () => {
    const ledger = await createLongHistory(20_000, 1);
    const view = await ledger.openView();
    const query = { owner, asset, from: 0n, to: view.position.version };
    /** Turns of the event loop while something runs. */
    const turnsOf = async (run: () => Promise<unknown>): Promise<number> => {
      let turns = 0;
      let isOver = false;
      const count = (): void => {
        turns++;
        if (!isOver) setImmediate(count);
      };
      setImmediate(count);
      await run();
      isOver = true;
      return turns;
    };
    let pieces = 0;
    const walk = async (): Promise<void> => {
      for await (const _ of walkHistory(() => ledger.openView(), query)) pieces++;
    };
    expect(await turnsOf(walk)).toBeGreaterThanOrEqual(pieces);
    expect(pieces).toBeGreaterThan(100);
    const sampling = { points: 8, isGone: () => false };
    expect(await turnsOf(() => sampleHistory(view, query, sampling))).toBeGreaterThan(30);
    expect(await turnsOf(() => readHistoryPage(view, query, 5000))).toBeGreaterThanOrEqual(9);
    const gone = await sampleHistory(view, query, { points: 8, isGone: () => true });
    expect([gone.changes, gone.next]).toEqual([[], 0n]);
    view.release();
  });
});
