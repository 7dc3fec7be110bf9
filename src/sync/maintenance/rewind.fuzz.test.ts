import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pruneTo } from "../../../test/store/contract.ts";
import { ENGINES } from "../../../test/support/booked-ledger.ts";
import { BUILT_CHAIN_ID } from "../../../test/support/ledger-builder.ts";
import { RUNS } from "../../../test/support/property.ts";
import { HISTORY_HANDLE, HISTORY_KEYS, RandomHistory } from "../../../test/support/random-history.ts";
import { silentLogger } from "../../base/log.ts";
import { ownerOf } from "../../ledger/indexes/owned-keys.ts";
import { StateTree } from "../../ledger/state-tree/update.ts";
import { ANCHORED, CHAINED, LOCAL } from "../../ledger/trust.ts";
import type { Store, StoreView } from "../../store/contract.ts";
import { createMemoryStore } from "../../store/memory/store.ts";
import { Committer } from "../committer.ts";
import { loadPosition } from "../reading.ts";
import { assertNotHalfRewound, DELETED_ITEM, INDEX_REACH } from "../side-rows.ts";
import { loadMatchedWaypoints } from "../waypoints.ts";
import { assertHead } from "./check/head-check.ts";
import { keepAccumulator } from "./kept-accumulator.ts";
import { rewindLedger } from "./rewind.ts";

const forever = new AbortController().signal;
const coded = (code: string) => expect.objectContaining({ code });

async function commit(store: Store, history: RandomHistory, page = 20): Promise<void> {
  const committer = new Committer({ store, logger: silentLogger });
  for (let next = Number(await committer.nextVersion()); next < history.records.length; next += page) {
    await committer.append(history.records.slice(next, next + page));
  }
}

function rewind(store: Store, to: bigint, stepWrites?: number, signal = forever, onProgress = () => {}) {
  return rewindLedger({ store, to, signal, onProgress, ...(stepWrites === undefined ? {} : { stepWrites }) });
}

async function withView<T>(store: Store, read: (view: StoreView) => Promise<T>): Promise<T> {
  const view = await store.openView();
  try {
    return await read(view);
  } finally {
    view.release();
  }
}

/** Compares every key at every kept version with the history. */
async function expectStates(store: Store, history: RandomHistory): Promise<void> {
  await withView(store, async (view) => {
    const { oldestVersion, version } = view.position;
    for (let at = oldestVersion; at <= version; at++) {
      const items = await view.getItems(HISTORY_KEYS, at);
      expect(items.map((item) => item?.value && Buffer.from(item.value).toString())).toEqual(
        history.states[Number(at)]?.map((value) => value && Buffer.from(value).toString()),
      );
    }
    const records = await view.getRecords(oldestVersion, 10_000, 1e9);
    expect(records.map(({ bytes }) => Buffer.from(bytes).toString("hex"))).toEqual(
      history.records
        .slice(Number(oldestVersion), Number(version) + 1)
        .map((bytes) => Buffer.from(bytes).toString("hex")),
    );
  });
}

/** Compares the position and the whole state tree with those of a store that only ever had this history. */
async function expectSame(store: Store, history: RandomHistory, head: bigint): Promise<void> {
  const fresh = createMemoryStore();
  const committer = new Committer({ store: fresh, logger: silentLogger });
  await committer.append(history.records.slice(0, Number(head) + 1));
  const [found, expected] = [await loadPosition(store), await loadPosition(fresh)];
  const { oldestVersion, oldestBlockHeight } = found!;
  expect(found).toEqual({ ...expected, oldestVersion, oldestBlockHeight });
  await assertHead(store);
  expect(await INDEX_REACH.items.load(store)).toBe(head);
  // The pruner removes rows of deleted items too, which the other store keeps.
  if (oldestVersion === 0n) expect(await ownedPlaces(store)).toEqual(await ownedPlaces(fresh));
  const tree = new StateTree(async (keys) => {
    const [own, other] = [await store.getTreeNodes(keys), await fresh.getTreeNodes(keys)];
    expect(own.map((node) => node && Buffer.from(node).toString("hex"))).toEqual(
      other.map((node) => node && Buffer.from(node).toString("hex")),
    );
    return own;
  });
  // Touches the path of every key.
  await tree.apply(HISTORY_KEYS.map((keyHash) => ({ keyHash, valueHash: new Uint8Array(32) })));
}

async function ownedPlaces(store: Store): Promise<string[]> {
  return withView(store, async (view) => {
    const page = { version: view.position.version, after: undefined, limit: 100 };
    const keys = await view.getOwnedKeys(ownerOf("table", HISTORY_HANDLE), page);
    return keys.map(({ place }) => Buffer.from(place).toString("hex"));
  });
}

function flipLast(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(bytes);
  const last = copy.length - 1;
  copy[last] = (copy[last] ?? 0) ^ 1;
  return copy;
}

/** The same object with some other methods. */
function replacing<T extends object>(whole: T, parts: Partial<T>): T {
  return new Proxy(whole, {
    get: (_, name) => {
      const member: unknown = Reflect.get(name in parts ? parts : whole, name);
      return typeof member === "function" ? member.bind(whole) : member;
    },
  });
}

const at = <T>(list: readonly T[], part: number): T => list[Math.floor(((list.length - 1) * part) / 100)]!;

for (const [engine, open] of Object.entries(ENGINES)) {
  describe(`a rewind on ${engine}`, () => {
    it("leaves the ledger that never had the removed blocks, and takes others on top", async () => {
      const part = fc.integer({ min: 0, max: 100 });
      const plan = fc.record({ seed: fc.nat(), oldest: part, to: part, again: part });
      const sizes = fc.record({
        page: fc.integer({ min: 1, max: 30 }),
        step: fc.integer({ min: 1, max: 60 }),
      });
      await fc.assert(
        fc.asyncProperty(plan, sizes, async ({ seed, oldest, to, again }, { page, step }) => {
          const store = await open();
          const history = new RandomHistory(seed).grow(60);
          await commit(store, history, page);
          const floor = at(history.blockEnds.slice(0, -1), oldest) + 1n;
          if (oldest % 2 === 0) {
            await keepAccumulator(store, floor, forever);
            await pruneTo(store, floor);
          }
          const first = oldest % 2 === 0 ? floor : 0n;
          const target = at(
            history.blockEnds.filter((end) => end >= first),
            to,
          );
          await rewind(store, target, step);
          await expectSame(store, history, target);
          await expectStates(store, history);

          const fork = history.fork(target, seed + 1).grow(40);
          await commit(store, fork, page);
          await expectSame(store, fork, fork.head);
          await expectStates(store, fork);
          // Also across the place of the first one.
          const lower = at(
            fork.blockEnds.filter((end) => end >= first),
            again,
          );
          await rewind(store, lower, step);
          await expectSame(store, fork, lower);
          await commit(store, fork, page);
          await expectSame(store, fork, fork.head);
          await expectStates(store, fork);
          await store.close();
        }),
        { numRuns: Math.max(3, Math.ceil(RUNS / (engine === "memory" ? 40 : 100))) },
      );
    });

    it("stops between two steps, lets nobody write, and goes on from there", async () => {
      const store = await open();
      const history = new RandomHistory(13).grow(80);
      await commit(store, history);
      const to = history.blockEnds.find((end) => end > 20n)!;
      const stop = new AbortController();
      let steps = 0;
      const onProgress = () => {
        if (++steps === 3) stop.abort(new Error("stopped here"));
      };
      await expect(rewind(store, to, 5, stop.signal, onProgress)).rejects.toThrow("stopped here");
      const { version, refuted } = (await loadPosition(store))!;
      expect(version).toBeLessThan(history.head);
      expect(version).toBeGreaterThan(to);
      expect(refuted).toEqual({ firstVersion: to + 1n, reason: expect.stringContaining(`--to ${to}`) });
      await assertHead(store);
      await expect(assertNotHalfRewound(store)).rejects.toThrow(`sextant rewind --to ${to}`);
      await expect(commit(store, history)).rejects.toEqual(coded("order"));
      await expect(rewind(store, version)).rejects.toThrow(`below ${to + 1n}`);

      await rewind(store, to, 5);
      await assertNotHalfRewound(store);
      await expectSame(store, history, to);
      await expectStates(store, history);
      await store.close();
    });
  });
}

describe("a rewind", () => {
  async function filled() {
    const store = createMemoryStore();
    const history = new RandomHistory(3).grow(80);
    await commit(store, history);
    return { store, history };
  }

  it("takes the last version of a kept block below a refutation, and no other", async () => {
    const { store, history } = await filled();
    const { blockEnds, head } = history;
    const ends = blockEnds.filter((end) => end > 30n);
    const inside = [...Array(50).keys()]
      .map((i) => BigInt(i) + 30n)
      .find((version) => !blockEnds.includes(version))!;
    const floor = blockEnds.find((end) => end > 10n)! + 1n;
    await keepAccumulator(store, floor, forever);
    await pruneTo(store, floor);
    await new Committer({ store, logger: silentLogger }).refute({
      firstVersion: ends[3]! + 1n,
      reason: "a waypoint differs",
    });
    const before = await loadPosition(store);
    await expect(rewind(store, inside)).rejects.toThrow(
      /--to: expected the last version of a block, \d+ or \d+/,
    );
    await expect(rewind(store, floor - 2n)).rejects.toThrow(
      `--to: expected a kept version, ${floor} to ${head}`,
    );
    await expect(rewind(store, head + 1n)).rejects.toThrow("--to: expected a kept version");
    await expect(rewind(store, ends[4]!)).rejects.toThrow(`expected a version below ${ends[3]! + 1n}`);
    await expect(rewind(store, head)).rejects.toThrow("a waypoint differs");
    expect(await loadPosition(store)).toEqual(before);
    const report = await rewind(store, ends[3]!);
    expect(report).toMatchObject({ from: head, version: ends[3], cleared: "a waypoint differs" });
    await expectSame(store, history, ends[3]!);
  });

  it("to any kept version works while pruning is unfinished, and says so where pruning has only begun", async () => {
    for (const [engine, open] of Object.entries(ENGINES)) {
      const store = await open();
      const history = new RandomHistory(3).grow(80);
      await commit(store, history);
      const floor = history.blockEnds.find((end) => end > 40n)! + 1n;
      await keepAccumulator(store, floor, forever);
      const below = history.blockEnds.findLast((end) => end < floor - 1n)!;
      await store.prune(history.blockEnds.find((end) => end > 10n)! + 1n, 1);
      await expect(rewind(store, below), engine).rejects.toThrow(
        `--to: expected version ${floor - 1n} or later, because pruning up to version ${floor} has begun`,
      );
      expect((await store.prune(floor, 3)).done).toBe(false);
      const { oldestVersion } = (await loadPosition(store))!;
      const to = history.blockEnds.find((end) => end >= oldestVersion)!;
      await rewind(store, to);
      await expectSame(store, history, to);
      await expectStates(store, history);
      await store.close();
    }
  });

  it("cuts trust, and forgets the waypoints that matched above", async () => {
    const { store, history } = await filled();
    const committer = new Committer({ store, logger: silentLogger });
    const [low, high] = [20n, 50n].map((from) => history.blockEnds.find((end) => end > from)!) as [
      bigint,
      bigint,
    ];
    const hash = new Uint8Array(32).fill(1);
    await committer.noteMatchedWaypoint({ version: low, hash });
    await committer.noteMatchedWaypoint({ version: high, hash });
    const between = history.blockEnds.find((end) => end > 35n)!;
    await rewind(store, between);
    expect((await loadMatchedWaypoints(store)).map(({ version }) => version)).toEqual([low]);
    const { trust } = (await loadPosition(store))!;
    expect(trust).toEqual([{ first: 0n, level: ANCHORED }]);
    const lower = history.blockEnds.find((end) => end > 5n)!;
    await rewind(store, lower);
    expect(await loadMatchedWaypoints(store)).toEqual([]);

    // A fork earns its own level.
    const local = new Committer({ store, logger: silentLogger, level: LOCAL });
    await local.append(
      history
        .fork(lower, 9)
        .grow(10)
        .records.slice(Number(lower) + 1),
    );
    expect((await loadPosition(store))!.trust.map(({ level }) => level)).not.toContain(CHAINED);
  });

  it("clears a refutation above the head without removing anything", async () => {
    const { store, history } = await filled();
    const { head } = history;
    await new Committer({ store, logger: silentLogger }).refute({ firstVersion: head + 1n, reason: "later" });
    await rewind(store, head);
    await expectSame(store, history, head);
  });

  it("is refused in a store that was pruned before accumulators were kept, unless the head's subtrees suffice", async () => {
    const history = new RandomHistory(5).grow(140);
    const store = createMemoryStore();
    await commit(store, history);
    const floor = history.blockEnds.find((end) => end > 100n)! + 1n;
    await pruneTo(store, floor);
    // 128 leaves are one subtree of the head; a head below needs the leaves that are pruned.
    const below = history.blockEnds.findLast((end) => end < 127n)!;
    const above = history.blockEnds.find((end) => end >= 130n)!;
    expect(below).toBeGreaterThan(floor);
    const before = await loadPosition(store);
    await expect(rewind(store, below)).rejects.toThrow("fresh directory");
    await expect(rewind(store, below)).rejects.toEqual(coded("format"));
    expect(await loadPosition(store)).toEqual(before);
    await rewind(store, above);
    await expectSame(store, history, above);

    // From now on the pruner keeps one.
    await keepAccumulator(store, floor, forever);
    await commit(store, history.fork(above, 6).grow(300));
    const fork = history.fork(above, 6).grow(300);
    await keepAccumulator(store, floor + 1n, forever);
    const next = fork.blockEnds.find((end) => end > 250n)!;
    await rewind(store, next);
    await expectSame(store, fork, next);
  });

  it("finds damage in what it would return to", async () => {
    const { store, history } = await filled();
    const to = history.blockEnds.find((end) => end > 40n)!;
    const damaged = replacing(store, {
      openRawView: async () => {
        const view = await store.openRawView();
        const getItems: StoreView["getItems"] = async (keyHashes, version) => {
          const items = await view.getItems(keyHashes, version);
          return items.map((item) => item?.value && { ...item, value: flipLast(item.value) });
        };
        return replacing(view, { getItems });
      },
    });
    await expect(rewind(damaged, to)).rejects.toEqual(coded("corrupt"));
    // Nothing was removed: the store itself is sound.
    await rewind(store, to);
    await expectSame(store, history, to);
  });

  it("keeps the items of a ledger that started in the middle, without the deletions above", async () => {
    const history = new RandomHistory(11).grow(90);
    const store = createMemoryStore();
    const committer = new Committer({ store, logger: silentLogger });
    const first = history.blockEnds.find((end) => end > 20n)! + 1n;
    committer.startAt({ chainId: BUILT_CHAIN_ID, version: first });
    await committer.append(history.records.slice(Number(first)));
    const to = history.blockEnds.find((end) => end > 50n)!;
    const keys = HISTORY_KEYS.map((keyHash) => DELETED_ITEM.key(keyHash));
    const deletions = async () =>
      (await store.getSideRows(keys)).map((row) => row && DELETED_ITEM.decode(new Uint8Array(row)).version);
    const before = await deletions();
    expect(before.some((version) => version !== undefined && version > to)).toBe(true);
    expect(before.some((version) => version !== undefined && version <= to)).toBe(true);
    await rewind(store, to, 10);
    expect(await deletions()).toEqual(
      before.map((version) => (version !== undefined && version > to ? undefined : version)),
    );
    const position = (await loadPosition(store))!;
    expect(position).toMatchObject({ version: to, stateRoot: undefined, accumulator: { leafCount: 0n } });
    const fork = history.fork(to, 12).grow(30);
    await new Committer({ store, logger: silentLogger }).append(fork.records.slice(Number(to) + 1));
    await withView(store, async (view) => {
      const { version } = view.position;
      const items = await view.getItems(HISTORY_KEYS, version);
      for (const [i, item] of items.entries()) {
        if (item === undefined) continue;
        expect(item.value && Buffer.from(item.value).toString()).toBe(
          fork.states[Number(version)]?.[i] && Buffer.from(fork.states[Number(version)]![i]!).toString(),
        );
      }
    });
  });
});
