// Reads old versions through views that overlap, outlive a turn of the event loop and end in any order, with commits in
// between.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Feeder, makeKey, makeValue } from "../../../bench/store-data.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { openLmdbStore } from "./store.ts";

const KEYS = 20;
const folder = temporaryFolder();

describe("old versions, through views of any age", () => {
  it("are the values visible at the version", async () => {
    const store = await openLmdbStore({ path: `${folder}/cursor` });
    const feeder = new Feeder(store);
    const commit = async (): Promise<void> => {
      const version = feeder.next;
      // Each key is written in every third version.
      const indexes = Array.from({ length: KEYS }, (_, index) => index).filter(
        (index) => (BigInt(index) + version) % 3n === 0n,
      );
      const writes = indexes.map((index) => ({
        keyHash: makeKey(index),
        version,
        value: makeValue(index, Number(version)),
      }));
      await feeder.commit(version, writes);
    };
    for (let i = 0; i < 50; i++) await commit();
    let reads = 0;
    let random = 1;
    const below = (bound: number): number => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      return (random >>> 8) % bound;
    };
    const readSome = async (): Promise<void> => {
      for (let turn = 0; turn < 60; turn++) {
        const view = await store.openView();
        const head = view.position.version;
        for (let i = below(4); i >= 0; i--) {
          const index = below(KEYS);
          const version = 3n + BigInt(below(Number(head - 3n)));
          const written = version - ((BigInt(index) + version) % 3n);
          const [item] = await view.getItems([makeKey(index)], version);
          expect(item?.version).toBe(written);
          expect(item?.value).toEqual(makeValue(index, Number(written)));
          reads++;
          if (below(3) === 0) await sleep(below(3));
          else if (below(2) === 0) await new Promise(setImmediate);
        }
        view.release();
      }
    };
    let isReading = true;
    const writing = (async () => {
      while (isReading) {
        await commit();
        await sleep(2);
      }
    })();
    await Promise.all(Array.from({ length: 16 }, readSome));
    isReading = false;
    await writing;
    expect(reads).toBeGreaterThan(1000);
    const left = await store.openView();
    await left.getItems([makeKey(1)], 10n);
    // Closing ends views that nobody released.
    await store.close();
    expect(() => left.getItems([makeKey(1)], 10n)).toThrow("released");
    expect(() => left.release()).toThrow("released");
  });
});

describe("a store that closes", () => {
  it("opens no view from the first moment on", async () => {
    const store = await openLmdbStore({ path: `${folder}/closing` });
    await new Feeder(store).commit(0n, [{ keyHash: makeKey(0), version: 0n, value: makeValue(0, 0) }]);
    const open = async () => store.openView();
    const openRaw = async () => store.openRawView();
    (await open()).release();
    const closing = store.close();
    const openings = [...(await Promise.allSettled([open(), openRaw()]))];
    await closing;
    openings.push(...(await Promise.allSettled([open()])));
    const refusal = { code: "unavailable", message: "the store is closed" };
    for (const opening of openings) expect(opening).toMatchObject({ status: "rejected", reason: refusal });
  });
});
