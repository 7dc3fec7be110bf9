// Older values that rest on newer ones: through commits, prunes and rewinds at every version, and in damaged rows.
import { describe, expect, it } from "vitest";
import { makeKey } from "../../../bench/store-data.ts";
import { createRandom, SYNTHETIC_IDENTITY } from "../../../test/support/synthetic-ledger.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import type { Position } from "../../ledger/position.ts";
import { ALL_TRUSTED } from "../../ledger/trust.ts";
import type { CommitBatch, Store, StoreView } from "../contract.ts";
import { openEnvironment } from "./environment.ts";
import { encodeOlder, type LinkedValue, MAX_LINKS, type NewerRow, openOlder } from "./older-values.ts";
import { getRow, putRow } from "./sealed-rows.ts";
import { openLmdbStore } from "./store.ts";
import { olderKey } from "./tables.ts";

const folder = temporaryFolder();

/** Rows of the values of a key, oldest first, as a commit writes them. */
function encodeAll(values: readonly Uint8Array[]): { content: Uint8Array; links: number }[] {
  let links = 0;
  return values.map((value, i) => {
    const older: LinkedValue = { version: BigInt(i), value, links };
    const next = values[i + 1];
    if (next === undefined)
      return { content: Buffer.concat([Buffer.alloc(8), Buffer.of(links), value]), links };
    const row = encodeOlder(older, { version: BigInt(i + 1), value: next });
    links = row.links;
    return { content: Buffer.concat([row.head ?? Buffer.alloc(0), row.rest]), links };
  });
}

function openAll(rows: readonly { content: Uint8Array }[]): Uint8Array[] {
  const last = rows.length - 1;
  const read = (version: bigint): NewerRow | undefined => {
    const content = rows[Number(version)]?.content;
    return content && { isNewest: Number(version) === last, content };
  };
  return rows.slice(0, last).map(({ content }, i) => openOlder(BigInt(i), content, read));
}

function hex(value: Uint8Array | undefined): string {
  return value === undefined ? "deleted" : Buffer.from(value).toString("hex");
}

describe("older values", () => {
  it("are the same after any changes of bytes and sizes", () => {
    const random = createRandom(7);
    for (let round = 0; round < 300; round++) {
      let value = Buffer.alloc(random() % 3000, round);
      const values: Uint8Array[] = [];
      for (let i = 0; i < 40; i++) {
        values.push(value);
        const size = random() % 3 === 0 ? Math.max(0, value.length + (random() % 41) - 20) : value.length;
        const next = Buffer.alloc(size, random());
        value.copy(next);
        for (let changes = random() % 6; changes > 0 && size > 0; changes--) next[random() % size] = random();
        value = random() % 12 === 0 ? Buffer.alloc(0) : next;
        if (value.length === 0 && random() % 2 === 0) value = Buffer.alloc(random() % 3000, random());
      }
      expect(openAll(encodeAll(values)).map(hex)).toEqual(values.slice(0, -1).map(hex));
    }
  });

  it("take few bytes, and rest on each other no further than the bound", () => {
    const valuesOf = (bytes: number): Uint8Array[] =>
      Array.from({ length: 40 }, (_, i) => Buffer.alloc(bytes, 7).fill(i, 10, 14));
    const small = encodeAll(valuesOf(300)).slice(0, -1);
    expect(small.map(({ content }) => content.length)).toEqual(small.map((_, i) => (i % 2 === 0 ? 9 : 301)));
    const large = encodeAll(valuesOf(2200)).slice(0, -1);
    const whole = large.filter(({ content }) => content.length > 2200);
    expect(whole.length).toBe(2);
    expect(Math.max(...large.map(({ links }) => links))).toBe(MAX_LINKS);
    const tiny = encodeAll(valuesOf(40)).slice(0, -1);
    expect(tiny.every(({ content }) => content.length === 41)).toBe(true);
  });

  it("do not decode beyond what is there", () => {
    const newer = Buffer.alloc(100, 1);
    const open = (...bytes: number[]): Uint8Array =>
      openOlder(0n, Buffer.from(bytes), (version) =>
        version === 1n ? { isNewest: false, content: Buffer.concat([Buffer.of(0), newer]) } : undefined,
      );
    expect([...open(1, 3, 1, 1, 9)]).toEqual([1, 9, 1]);
    expect(open(1, 101, 100, 1, 9)).toEqual(Buffer.concat([newer, Buffer.of(9)]));
    const damaged = [
      ["another version", [2, 100]],
      ["a size beyond the newer value", [1, 101]],
      ["a size beyond memory", [1, 0xff, 0xff, 0xff, 0x7f]],
      ["a change beyond the value", [1, 100, 99, 2, 5, 5]],
      ["a change beyond the row", [1, 100, 9, 4, 5, 5]],
      ["a gap behind the newer value", [1, 102, 101, 1, 5]],
      ["bytes missing at the end", [1, 103, 100, 2, 5, 5]],
    ] as const;
    for (const [name, bytes] of damaged) expect(() => open(...bytes), name).toThrow("does not fit");
    const circle = Buffer.of(1, 100);
    expect(() => openOlder(0n, circle, () => ({ isNewest: false, content: circle }))).toThrow("does not fit");
  });
});

const KEY = makeKey(1);
const COUNT = 55;
const DELETED = [10, 44];

/** Small and large values with few changes, which others replace at times. */
function valueAt(version: number): Uint8Array | undefined {
  if (DELETED.includes(version)) return undefined;
  const bytes = version < 40 ? 2200 : 300;
  return Buffer.alloc(bytes, version === 5 || version === 50 ? version : 3).fill(version, 20, 25);
}

/** Commits the versions up to a number, a block each. */
async function append(store: Store, first: number, end: number): Promise<void> {
  for (let at = first; at < end; at++) {
    const version = BigInt(at);
    const block = { height: version, firstVersion: version, timestampUsec: version, epoch: 0n };
    const batch: CommitBatch = {
      previous: at === 0 ? undefined : version - 1n,
      position: positionAt(version),
      writes: [{ keyHash: KEY, version, value: valueAt(at) }],
      blocks: [block],
      records: [],
      treeNodes: [],
    };
    await store.commit(batch, at === 0 ? SYNTHETIC_IDENTITY : undefined);
  }
}

function positionAt(version: bigint): Position {
  return {
    chainId: SYNTHETIC_IDENTITY.chainId,
    version,
    timestampUsec: version,
    epoch: 0n,
    blockHeight: version,
    oldestVersion: 0n,
    oldestBlockHeight: 0n,
    accumulator: { leafCount: version + 1n, frozen: [] },
    stateRoot: undefined,
    ...ALL_TRUSTED,
  };
}

async function filled(name: string): Promise<Store> {
  const store = await openLmdbStore({ path: `${folder}/${name}` });
  await append(store, 0, COUNT);
  return store;
}

async function expectValues(view: StoreView, first: number, last: number): Promise<void> {
  const versions = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const expected = versions.map((version) => `${version}: ${hex(valueAt(version))}`);
  const items = versions.map(async (version) => {
    const [item] = await view.getItems([KEY], BigInt(version));
    return `${item?.version}: ${hex(item?.value)}`;
  });
  expect(await Promise.all(items)).toEqual(expected);
  const history = await view.getHistory(KEY, { from: BigInt(first), to: BigInt(last), limit: 1000 });
  expect(history.map(({ version, value }) => `${version}: ${hex(value)}`)).toEqual(expected);
}

describe("a store with older values", () => {
  it("reads each of them, and after a prune to any version the rest", async () => {
    const store = await filled("pruned");
    for (let floor = 0; floor < COUNT; floor++) {
      await store.prune(BigInt(floor), 1000);
      const view = await store.openView();
      await expectValues(view, floor, COUNT - 1);
      view.release();
    }
    await store.close();
  });

  it("goes back to any version, and on from there", async () => {
    const store = await filled("rewound");
    for (const to of [53, 50, 49, 45, 44, 43, 39, 38, 32, 25, 24, 17, 11, 9, 4, 0]) {
      await store.rewind({
        previous: BigInt(COUNT - 1),
        position: positionAt(BigInt(to)),
        keyHashes: [KEY],
        index: [],
        treeNodes: [],
        sideRows: [],
      });
      const after = await store.openView();
      await expectValues(after, 0, to);
      after.release();
      await append(store, to + 1, COUNT);
      const whole = await store.openView();
      await expectValues(whole, 0, COUNT - 1);
      whole.release();
    }
    await store.close();
  });

  it("finds that a row is missing that others rest on, and that one is no difference", async () => {
    await (await filled("damaged")).close();
    const path = `${folder}/damaged`;
    const environment = await openEnvironment({ path, readOnly: false });
    const { items } = environment.tables;
    environment.root.transactionSync(() => {
      items.removeSync(olderKey(KEY, 30n));
      const row = Buffer.from(getRow(items, olderKey(KEY, 7n)) ?? []);
      putRow(items, olderKey(KEY, 7n), Buffer.concat([row.subarray(0, 1), Buffer.of(0x99, 0x40)]));
    });
    await environment.close();
    const store = await openLmdbStore({ path });
    const view = await store.openView();
    for (const version of [7, 29]) {
      await expect(async () => view.getItems([KEY], BigInt(version))).rejects.toThrow("does not fit");
    }
    await expectValues(view, 31, COUNT - 1);
    view.release();
    await store.close();
  });
});
