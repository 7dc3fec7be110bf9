// The index of a store that was written without one: built from its records, resumed, refused where records are missing.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { numberKey } from "../../src/base/bytes.ts";
import { silentLogger } from "../../src/base/log.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { assertIndexed } from "../../src/ledger/items/owned-items.ts";
import { backupData, checkData, createNode } from "../../src/node.ts";
import type { Store } from "../../src/store/contract.ts";
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { openStoreWalk } from "../../src/store/lmdb/walk.ts";
import { Committer } from "../../src/sync/committer.ts";
import { keepAccumulator } from "../../src/sync/maintenance/kept-accumulator.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { pruneTo } from "../store/contract.ts";
import { recordChain } from "../support/follow.ts";
import { RandomHistory } from "../support/random-history.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const SEED = "index";
const folder = temporaryFolder();
let count = 0;
const place = (): string => join(folder, `store-${count++}`);
const { records } = await recordChain(40, SEED);

/** Commits records up to a version that ends a block, with or without an index. */
async function append(store: Store, index: boolean, upTo = BigInt(records.length) - 1n): Promise<Committer> {
  const committer = new Committer({ store, logger: silentLogger, index });
  if (store.identity === undefined) {
    await committer.commitGenesis(checkGenesis(createLocalChain({ seed: SEED }).genesisBlob()));
  }
  const next = Number(await committer.nextVersion());
  for (let at = next; at <= Number(upTo); at += 50) {
    await committer.append(records.slice(at, Math.min(at + 50, Number(upTo) + 1)));
  }
  return committer;
}

async function rowsOf(path: string): Promise<string[]> {
  const walk = await openStoreWalk(path);
  const rows = [...walk.indexRows()].map((row) =>
    [row.owner, row.place, row.data].map((bytes) => Buffer.from(bytes).toString("hex")).join(" "),
  );
  await walk.close();
  return rows;
}

async function refusal(store: Store): Promise<string> {
  const view = await store.openView();
  try {
    await assertIndexed(view);
    return "none";
  } catch (error) {
    return String(Reflect.get(Object(error), "code"));
  } finally {
    view.release();
  }
}

async function prune(store: Store, height: bigint): Promise<void> {
  const view = await store.openView();
  const block = await view.getBlockByHeight(height);
  view.release();
  while (!(await store.prune(block?.firstVersion ?? 0n, 1000)).done);
}

describe("the index of a store written without one", () => {
  it("is built in steps, resumes after a restart, and equals the one written with the commits", async () => {
    const [path, other] = [place(), place()];
    const indexed = await openLmdbStore({ path: other });
    await append(indexed, true);
    expect(await refusal(indexed)).toBe("none");
    await indexed.close();

    let store = await openLmdbStore({ path });
    const head = BigInt(records.length) - 1n;
    await append(store, false, head / 2n);
    expect(await refusal(store)).toBe("unavailable");
    const first = new Committer({ store, logger: silentLogger });
    expect(await first.indexMore(10)).toMatchObject({ state: "building", done: 10n });
    expect(await first.indexMore(10)).toMatchObject({ state: "building", done: 20n });
    expect(await refusal(store)).toBe("unavailable");
    await store.close();
    store = await openLmdbStore({ path });
    const second = new Committer({ store, logger: silentLogger });
    expect(await second.indexMore(7)).toMatchObject({ state: "building", done: 27n });
    // Commits between the steps are not indexed until the build reaches them.
    const next = Number(await second.nextVersion());
    await second.append(records.slice(next));
    let progress = await second.indexMore(7);
    expect(progress).toMatchObject({ done: 34n, total: head + 1n });
    for (let done = progress.done; progress.state === "building"; done = progress.done) {
      progress = await second.indexMore(7);
      expect(progress.done).toBeGreaterThan(done);
    }
    expect(progress).toEqual({ state: "whole", done: head + 1n, total: head + 1n });
    expect(await refusal(store)).toBe("none");
    await store.close();
    const rows = await rowsOf(path);
    expect(rows.length).toBeGreaterThan(100);
    expect(rows).toEqual(await rowsOf(other));
  });

  it("is continued by the commits after the build, and not by commits without an index", async () => {
    const store = await openLmdbStore({ path: place() });
    const part = BigInt(records.length) / 3n;
    await append(store, false, part);
    const committer = new Committer({ store, logger: silentLogger });
    expect((await committer.indexMore()).state).toBe("whole");
    const next = Number(await committer.nextVersion());
    await committer.append(records.slice(next, 2 * next));
    expect(await refusal(store)).toBe("none");
    await append(store, false);
    expect(await refusal(store)).toBe("unavailable");
    expect((await new Committer({ store, logger: silentLogger }).indexMore()).state).toBe("whole");
    expect(await refusal(store)).toBe("none");
    await store.close();
  });

  it("cannot be built when records are pruned: never a partial list", async () => {
    const store = await openLmdbStore({ path: place() });
    await append(store, false);
    await prune(store, 20n);
    expect(await refusal(store)).toBe("not_indexed");
    const other = new Committer({ store, logger: silentLogger });
    expect((await other.indexMore()).state).toBe("impossible");
    expect(await refusal(store)).toBe("not_indexed");
    await store.close();

    // Switched off for a while, and pruned beyond that.
    const gap = await openLmdbStore({ path: place() });
    await append(gap, true, BigInt(records.length) / 4n);
    await append(gap, false);
    await prune(gap, 30n);
    expect((await new Committer({ store: gap, logger: silentLogger }).indexMore()).state).toBe("impossible");
    expect(await refusal(gap)).toBe("not_indexed");
    await gap.close();
  });

  it("is given up at a record that is missing, which a damaged store may lack", async () => {
    const path = place();
    const written = await openLmdbStore({ path });
    await append(written, false);
    await written.close();
    const environment = await openEnvironment({ path, readOnly: false });
    const groups = environment.tables.records;
    const [, second] = [...groups.getKeys({})];
    environment.root.transactionSync(() => groups.removeSync(second ?? numberKey(0n)));
    await environment.close();
    const store = await openLmdbStore({ path });
    const committer = new Committer({ store, logger: silentLogger });
    const states: string[] = [];
    for (let steps = 0; steps < 3; steps++) states.push((await committer.indexMore()).state);
    expect(states).toEqual(["building", "impossible", "impossible"]);
    expect(await refusal(store)).not.toBe("none");
    await store.close();
  });

  it("is built by a node at its start, which says so, and serves lists afterwards", async () => {
    const path = place();
    const store = await openLmdbStore({ path });
    await append(store, false);
    await store.close();
    const options = { data: path, localChain: { seed: SEED }, http: { port: 0, maxWaitMs: 0 } };
    // A process that only reads cannot build, and does not know whether the writer will.
    const reader = await createNode({ data: path, readOnly: true, http: options.http });
    const early = await fetch(`${reader.url}/accounts/0x1/balances`);
    expect(early.status).toBe(503);
    expect(JSON.parse(await early.text()).message).toContain("the index has 0 of");
    await reader.close();
    const node = await createNode({ ...options, pruneWindow: "5" });
    await until(async () => (await node.info()).index === "whole");
    const [account] = node.guide()?.accounts ?? [];
    const response = await fetch(`${node.url}/accounts/${account?.address}/balances`);
    expect([response.status, (JSON.parse(await response.text()) as unknown[]).length > 0]).toEqual([
      200,
      true,
    ]);
    await node.produceBlock();
    expect(await node.countTableItems(node.guide()?.tables[0]?.handle ?? "")).toBeGreaterThan(0n);
    // The pruner waited for the index.
    await until(async () => BigInt((await node.ledgerInfo()).oldest_ledger_version) > 0n);
    expect(await node.countTableItems(node.guide()?.tables[0]?.handle ?? "")).toBeGreaterThan(0n);
    await node.close();
  });

  it("is missing on a node of a pruned ledger, which answers 403", async () => {
    const path = place();
    const store = await openLmdbStore({ path });
    await append(store, false);
    await prune(store, 30n);
    await store.close();
    const node = await createNode({
      data: path,
      localChain: { seed: SEED },
      http: { port: 0, maxWaitMs: 0 },
    });
    await until(async () => (await node.info()).index === "none");
    for (const list of ["/accounts/0x1/balances", "/tables/0x1/items", "/tables/0x1/items/count"]) {
      const response = await fetch(`${node.url}${list}`);
      const body = JSON.parse(await response.text());
      expect([response.status, body.error_code]).toEqual([403, "api_disabled"]);
      expect(body.message).toContain("this node has no index");
    }
    await node.close();
  });
});

describe("the index of a ledger that changed its course", () => {
  it("is missing where the ledger started in the middle: 403, not a part of the list", async () => {
    const origin = await createNode({
      localChain: { seed: SEED },
      pruneWindow: "off",
      http: { port: 0, maxWaitMs: 0 },
    });
    for (let i = 0; i < 5; i++) await origin.produceBlock();
    const follow = { upstreams: [origin.url ?? ""], startVersion: "latest", pollTimeMs: 5 };
    const node = await createNode({ follow, http: { port: 0, maxWaitMs: 0 } });
    await node.untilReady();
    const [account] = origin.guide()?.accounts ?? [];
    for (const list of [`/accounts/${account?.address}/balances`, "/tables/0x1/items"]) {
      const response = await fetch(`${node.url}${list}`);
      const body = JSON.parse(await response.text());
      expect([response.status, body.error_code]).toEqual([403, "api_disabled"]);
    }
    await node.close();
    await origin.close();
  });

  it("reaches no further than the version that the ledger is rewound to", async () => {
    const store = await openLmdbStore({ path: place() });
    await append(store, true);
    const view = await store.openView();
    const block = await view.getBlockByHeight(20n);
    view.release();
    const to = block?.lastVersion ?? 0n;
    await rewindLedger({ store, to, onProgress: () => {}, signal: new AbortController().signal });
    const rewound = await store.openView();
    expect([rewound.position.version, await rewound.getIndexedTo()]).toEqual([to, to]);
    rewound.release();
    expect(await refusal(store)).toBe("none");
    // Commits without an index must not be covered by what the index had before.
    await append(store, false, to + 20n);
    expect(await refusal(store)).toBe("unavailable");
    await store.close();
  });
});

// Items are deleted and written again; two have keys of neither address nor table, one is an object that may lose its store.
describe.each([1, 2, 3])("the index of a store with deletions (history %i)", (seed) => {
  const history = new RandomHistory(seed).grow(120);
  const signal = new AbortController().signal;
  const endAfter = (version: bigint): bigint => history.blockEnds.find((end) => end > version) ?? 0n;
  const [early, middle, late] = [endAfter(40n), endAfter(70n), endAfter(100n)];
  const commit = async (store: Store, upTo: bigint, index = true): Promise<Committer> => {
    const committer = new Committer({ store, logger: silentLogger, index });
    await committer.append(history.records.slice(Number(await committer.nextVersion()), Number(upTo) + 1));
    return committer;
  };

  it("that was switched off is no damage when the pruner passes it: check and backup take the store", async () => {
    const path = place();
    const store = await openLmdbStore({ path });
    await commit(store, early);
    await commit(store, late, false);
    await pruneTo(store, middle + 1n);
    await store.close();
    expect((await checkData(path)).findings).toEqual([]);
    expect((await backupData(path, place())).version).toBe(`${late}`);
    const again = await openLmdbStore({ path });
    expect((await (await commit(again, history.head)).indexMore()).state).toBe("impossible");
    expect(await refusal(again)).toBe("not_indexed");
    await again.close();
    expect((await checkData(path)).findings).toEqual([]);
  });

  it("is whole again when it was off for a while and the pruner did not pass it", async () => {
    const path = place();
    const store = await openLmdbStore({ path });
    await commit(store, middle);
    await commit(store, late, false);
    await pruneTo(store, early + 1n);
    expect((await (await commit(store, late)).indexMore()).state).toBe("whole");
    await commit(store, history.head);
    await pruneTo(store, late + 1n);
    expect(await refusal(store)).toBe("none");
    await store.close();
    expect((await checkData(path)).findings).toEqual([]);
  });

  it("has every item, whatever its key, and the check takes an object that lost its store", async () => {
    const path = place();
    for (const floor of [0n, middle + 1n, history.blockEnds.at(-2) ?? 0n]) {
      const store = await openLmdbStore({ path });
      await commit(store, history.head);
      await pruneTo(store, floor === 0n ? 0n : endAfter(floor - 2n) + 1n);
      await store.close();
      expect((await checkData(path)).findings).toEqual([]);
    }
  });

  it("keeps the rows of items that a rewind leaves as deletions to be pruned", async () => {
    for (const steps of [4, 19, 34, 49]) {
      const path = place();
      const store = await openLmdbStore({ path });
      await commit(store, history.head);
      await keepAccumulator(store, middle + 1n, signal);
      for (let i = 0; i < steps; i++) await store.prune(middle + 1n, 1);
      await rewindLedger({ store, to: endAfter(middle), onProgress: () => {}, signal });
      await store.close();
      expect((await checkData(path)).findings).toEqual([]);
    }
  });
});
