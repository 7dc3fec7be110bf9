import { describe, expect, it } from "vitest";
import { sha3 } from "../../base/sha3.ts";
import type { SideRow } from "../../store/contract.ts";
import { AbsentItems } from "./absent-items.ts";

const hashOf = (n: number): Uint8Array => sha3(Buffer.from(`absent ${n}`));

function createRows() {
  const rows = new Map<string, Uint8Array>();
  const nameOf = (key: Uint8Array): string => Buffer.from(key).toString("hex");
  return {
    rows,
    getSideRows: async (keys: readonly Uint8Array[]) => keys.map((key) => rows.get(nameOf(key))),
    put: (written: readonly SideRow[]) => {
      for (const { key, value } of written) if (value !== undefined) rows.set(nameOf(key), value);
    },
  };
}

describe("items that a network does not have", () => {
  it("are remembered through a restart", async () => {
    const store = createRows();
    const items = new AbsentItems(store);
    const [one, two] = [hashOf(1), hashOf(2)];
    expect(await items.find([one, two])).toEqual([false, false]);
    items.add(one);
    expect(await items.find([one, two])).toEqual([true, false]);
    store.put(items.takeRows());
    expect(items.takeRows()).toEqual([]);
    const restarted = new AbsentItems(store);
    expect(await restarted.find([two, one])).toEqual([false, true]);
  });

  it("take bounded space, however many addresses someone makes up, and the latest stay", async () => {
    const store = createRows();
    const items = new AbsentItems(store);
    // The first two bytes choose the slot: these are all in one.
    const inOneSlot = (n: number): Uint8Array => {
      const hash = new Uint8Array(hashOf(n));
      hash.set([7, 7]);
      return hash;
    };
    for (let n = 0; n < 100; n++) {
      await items.find([inOneSlot(n)]);
      items.add(inOneSlot(n));
    }
    store.put(items.takeRows());
    expect(store.rows.size).toBe(1);
    expect([...store.rows.values()][0]).toHaveLength(1 + 32 * 32);
    const found = await new AbsentItems(store).find(Array.from({ length: 100 }, (_, n) => inOneSlot(n)));
    expect(found.filter(Boolean)).toHaveLength(32);
    expect(found.slice(-32).every(Boolean)).toBe(true);
  });
});
