// Verifying ahead of the store: the committer verifies a page while the store writes the one before.
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import type { Writes } from "../../src/ledger/write-set.ts";
import { parseAddress } from "../../src/move/address.ts";
import type { CommitBatch, Store } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { Follower } from "../../src/sync/follower.ts";
import { ProofHistory } from "../../src/sync/proof-history.ts";
import { parsePruneWindow } from "../../src/sync/prune-window.ts";
import { flipped, positionOf, readRecords, recordChain, recorded } from "../support/follow.ts";
import { BUILT_CHAIN_ID, LedgerBuilder, newBlock } from "../support/ledger-builder.ts";
import { until } from "../support/until.ts";

const chain = await recordChain(40);
const ends = [...chain.waypoints.keys()];

/** A commit that the store was asked for and that waits. */
interface Asked {
  readonly batch: CommitBatch;
  store(): Promise<void>;
  fail(error: Error): void;
}

/** A store in memory whose commits wait for the test. */
function createHeldStore(): { readonly store: Store; readonly asked: Asked[]; readonly memory: Store } {
  const memory = createMemoryStore();
  const asked: Asked[] = [];
  const store = new Proxy(memory, {
    get: (_, name: keyof Store) => {
      const member = memory[name];
      if (name !== "commit") return typeof member === "function" ? member.bind(memory) : member;
      return (batch: CommitBatch, identity: Parameters<Store["commit"]>[1]): Promise<void> =>
        new Promise((resolve, reject) => {
          asked.push({
            batch,
            store: async () => {
              await memory.commit(batch, identity);
              resolve();
            },
            fail: reject,
          });
        });
    },
  });
  return { store, asked, memory };
}

/** Lets everything run that waits for no event. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Compares without a difference to show, which takes seconds. */
async function expectRecords(store: Store, expected: readonly Uint8Array[]): Promise<void> {
  expect(isDeepStrictEqual(await readRecords(store), expected)).toBe(true);
}

/** Parts of a ledger: the records after each of the given block ends, up to the next. */
function pagesOf(records: readonly Uint8Array[], lasts: readonly bigint[]): Uint8Array[][] {
  return lasts.map((last, i) => records.slice(Number((lasts[i - 1] ?? -1n) + 1n), Number(last) + 1));
}

const [genesis, first, second] = pagesOf(chain.records, [ends[0]!, ends[8]!, ends[16]!]) as [
  Uint8Array[],
  Uint8Array[],
  Uint8Array[],
];

/** A committer at genesis. Without an index: for deletions it would read the page before, and wait for it. */
async function create() {
  const { store, asked, memory } = createHeldStore();
  const committer = new Committer({ store, index: false, logger: silentLogger });
  const begun = committer.append(genesis);
  await settled();
  await asked[0]?.store();
  await begun;
  asked.length = 0;
  return { asked, memory, committer };
}

describe("a page staged while the store writes the one before", () => {
  it("is verified meanwhile, and written and visible only after it", async () => {
    const { asked, memory, committer } = await create();
    const verified: bigint[] = [];
    const note = async (blocks: readonly { position: { version: bigint } }[]): Promise<undefined> => {
      verified.push(blocks.at(-1)!.position.version);
    };
    const one = await committer.stage(first, { check: note });
    const staging = committer.stage(second, { check: note });
    await settled();
    expect(verified).toEqual([ends[8], ends[16]]);
    expect(asked.map(({ batch }) => batch.position.version)).toEqual([ends[8]]);
    expect((await positionOf(memory))?.version).toBe(0n);
    await asked[0]?.store();
    expect((await one.stored)?.version).toBe(ends[8]);
    const two = await staging;
    expect(asked.map(({ batch }) => batch.position.version)).toEqual([ends[8], ends[16]]);
    expect((await positionOf(memory))?.version).toBe(ends[8]);
    await asked[1]?.store();
    expect((await two.stored)?.version).toBe(ends[16]);
    await expectRecords(memory, chain.records.slice(0, Number(ends[16]) + 1));
  });

  it("is discarded if that write fails, and both can be committed again", async () => {
    const { asked, memory, committer } = await create();
    const one = await committer.stage(first);
    const staging = committer.stage(second);
    await settled();
    const full = new StoreError("full", "no space left");
    asked[0]?.fail(full);
    await expect(one.stored).rejects.toBe(full);
    await expect(staging).rejects.toBe(full);
    expect(asked).toHaveLength(1);
    expect((await positionOf(memory))?.version).toBe(0n);
    expect(await committer.nextVersion()).toBe(1n);
    const again = [committer.append(first), committer.append(second)];
    await settled();
    await asked[1]?.store();
    await settled();
    await asked[2]?.store();
    expect((await Promise.all(again)).map((position) => position?.version)).toEqual([ends[8], ends[16]]);
    await expectRecords(memory, chain.records.slice(0, Number(ends[16]) + 1));
  });

  it("is refused if it does not verify, which changes nothing for the one before", async () => {
    const { asked, memory, committer } = await create();
    const one = await committer.stage(first);
    const staging = committer.stage(second.map((record, i) => (i === 3 ? flipped(record, 700) : record)));
    const next = committer.nextVersion();
    await expect(staging).rejects.toMatchObject({ name: "LedgerError" });
    await asked[0]?.store();
    await one.stored;
    expect(await next).toBe(ends[8]! + 1n);
    const again = committer.append(second);
    await settled();
    await asked[1]?.store();
    expect((await again)?.version).toBe(ends[16]);
    expect((await positionOf(memory))?.version).toBe(ends[16]);
  });

  it("makes every other change wait", async () => {
    const { asked, memory, committer } = await create();
    const one = await committer.stage(first);
    const noting = committer.noteMatchedWaypoint(chain.genesisWaypoint);
    await settled();
    expect((await positionOf(memory))?.trust).toEqual([{ first: 0n, level: { kind: "trusted" } }]);
    await asked[0]?.store();
    await noting;
    await one.stored;
    expect((await positionOf(memory))?.trust[0]).toEqual({ first: 0n, level: { kind: "chained" } });
  });
});

/** The batches that a store gets of pages that are appended all at once, or one by one. */
async function batchesOf(
  pages: readonly (readonly Uint8Array[])[],
  isAhead: boolean,
  prepare: (store: Store) => Committer,
): Promise<readonly CommitBatch[]> {
  const { store, asked } = createHeldStore();
  const committer = prepare(store);
  const all: Promise<unknown>[] = [];
  for (const [i, page] of pages.entries()) {
    all.push(committer.append(page));
    if (isAhead && i + 1 < pages.length) continue;
    for (let done = isAhead ? 0 : i; done <= i; done++) {
      await until(() => asked.length > done);
      // The next page gets all the time it needs to be verified before this one is stored.
      await settled();
      await asked[done]?.store();
    }
    await Promise.all(all);
  }
  return asked.map(({ batch }) => batch);
}

/** A ledger whose one item is written and deleted in turn, a block each. */
function deletingLedger(): Uint8Array[] {
  const key = { kind: "accessPath", address: parseAddress("0x77"), path: Uint8Array.of(0, 1) } as const;
  const builder = new LedgerBuilder();
  builder.genesis();
  for (let height = 1n; height < 9n; height++) {
    const writes: Writes = [
      [
        key,
        height % 2n === 0n ? { kind: "deletion" } : { kind: "creation", data: Uint8Array.of(Number(height)) },
      ],
    ];
    builder.add({
      events: [newBlock(height, 1n, height)],
      changes: { kind: "v0", writes },
      checkpoint: true,
    });
  }
  return builder.records;
}

describe("pages verified ahead of the store", () => {
  const lasts = ends.filter((_, i) => i % 4 === 0);
  const plain = (store: Store): Committer => new Committer({ store, logger: silentLogger });
  const withProofs =
    (window: string) =>
    (store: Store): Committer =>
      new Committer({
        store,
        logger: silentLogger,
        history: new ProofHistory(store, parsePruneWindow(window)),
      });

  it.each([
    ["plain", plain],
    ["with a proof window", withProofs("20")],
  ])("lead to the same writes as one by one: %s", async (_, prepare) => {
    const pages = pagesOf(chain.records, lasts);
    const expected = await batchesOf(pages, false, prepare);
    expect(expected).toHaveLength(pages.length);
    expect(isDeepStrictEqual(await batchesOf(pages, true, prepare), expected)).toBe(true);
  });

  it("lead to the same writes as one by one: from the middle, with an item deleted twice", async () => {
    const records = deletingLedger();
    // The second page deletes the item, and the third one again.
    const pages = [records.slice(3, 4), records.slice(4, 5), records.slice(5, 7), records.slice(7)];
    const prepare = (store: Store): Committer => {
      const committer = plain(store);
      committer.startAt({ chainId: BUILT_CHAIN_ID, version: 3n });
      return committer;
    };
    const expected = await batchesOf(pages, false, prepare);
    expect(expected.flatMap(({ sideRows = [] }) => sideRows.filter(({ key }) => key[0] === 3))).toHaveLength(
      1,
    );
    expect(isDeepStrictEqual(await batchesOf(pages, true, prepare), expected)).toBe(true);
  });
});

describe("a follower whose store fails while the next page is verified", () => {
  const begin = (
    held: ReturnType<typeof createHeldStore>,
    mayPass = false,
    upstream = recorded(chain.records),
  ): Follower => {
    const committer = new Committer({ store: held.store, index: false, logger: silentLogger });
    return new Follower({
      upstreams: [upstream],
      committer,
      ledger: held.store,
      logger: silentLogger,
      mayPass: () => mayPass,
      pace: { pageLimit: 20, retry: { baseMs: 2, maxMs: 10 } },
    });
  };

  /** Stores all but the last of `count` commits. */
  async function storeUpTo(held: ReturnType<typeof createHeldStore>, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await until(() => held.asked.length > i);
      await settled();
      if (i + 1 < count) await held.asked[i]?.store();
    }
  }

  it("stops, with nothing stored after the last good write", async () => {
    const held = createHeldStore();
    const follower = begin(held);
    await storeUpTo(held, 4);
    const before = await positionOf(held.memory);
    held.asked[3]?.fail(new StoreError("corrupt", "the disk is broken"));
    expect((await follower.faulted).message).toBe("the disk is broken");
    expect(await positionOf(held.memory)).toEqual(before);
    expect(held.asked).toHaveLength(4);
    await follower.close();
  });

  it("stops also if that page does not verify", async () => {
    const held = createHeldStore();
    const forged = chain.records.map((record, version) => (version === 85 ? flipped(record, 700) : record));
    const follower = begin(held, false, recorded(forged));
    await storeUpTo(held, 4);
    await until(() => follower.status().upstreams[0]?.fault ?? held.asked.length > 3);
    held.asked[3]?.fail(new StoreError("corrupt", "the disk is broken"));
    expect((await follower.faulted).message).toBe("the disk is broken");
    await follower.close();
  });

  it("tries again what was discarded, after a transient fault", async () => {
    const held = createHeldStore();
    const follower = begin(held, true);
    await storeUpTo(held, 4);
    const failed = held.asked[3];
    failed?.fail(new StoreError("full", "no space left"));
    await until(() => held.asked.length > 4);
    expect(held.asked[4]?.batch.previous).toBe(failed?.batch.previous);
    for (let i = 4; (await positionOf(held.memory))?.version !== ends.at(-1); i++) {
      await until(() => held.asked.length > i);
      await held.asked[i]?.store();
    }
    await expectRecords(held.memory, chain.records);
    await follower.close();
  });

  it("closes only when the write under way has ended, and reports it", async () => {
    const held = createHeldStore();
    const follower = begin(held);
    await storeUpTo(held, 3);
    let isClosed = false;
    const closing = follower.close().then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    // What was verified meanwhile may still be written.
    for (let i = 2; !isClosed; i++) {
      await until(() => isClosed || held.asked.length > i);
      await held.asked[i]?.store();
      await settled();
    }
    await closing;
    expect(follower.status().records).toBe(
      held.asked.reduce((sum, { batch }) => sum + batch.records.length, 0),
    );
  });
});
