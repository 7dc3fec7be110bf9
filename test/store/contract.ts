// The contract of every store engine as one test suite; each engine runs it with its own way to open an empty store.
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { LedgerError } from "../../src/ledger/errors.ts";
import { ALL_TRUSTED } from "../../src/ledger/trust.ts";
import type { CommitBatch, Store, StoreView } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import { INDEX_REACH } from "../../src/sync/side-rows.ts";
import { checkView, listPlaces, plain } from "../support/check-store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger, versions } from "../support/synthetic-ledger.ts";

/** How the suite opens stores of an engine. */
export interface StoreMaker {
  /** Opens an empty store. */
  open(): Promise<Store>;
  /** Frees the resources of a closed store; called once for each opened store. */
  dispose(store: Store): Promise<void>;
  /** Cases of the random history property. */
  readonly runs: number;
  /** Whole views are checked at the ends of their range and at every so manieth version between: for an engine over a network. */
  readonly stride?: bigint;
}

const coded = (code: string) => expect.objectContaining({ code });

/** Declares the suite for one engine. */
export function describeStoreContract(name: string, maker: StoreMaker): void {
  describe(`store contract: ${name}`, () => {
    const checkAll = (view: StoreView, ledger: SyntheticLedger, head: bigint): Promise<number> =>
      checkView(view, ledger, head, maker.stride);
    const checkHead = (store: Store, ledger: SyntheticLedger, head: bigint): Promise<void> =>
      checkLatest(store, ledger, head, maker.stride);
    const opened: Store[] = [];
    const open = async (): Promise<Store> => {
      const store = await maker.open();
      opened.push(store);
      return store;
    };
    const disposeAll = async (): Promise<void> => {
      for (const store of opened.splice(0)) {
        await store.close();
        await maker.dispose(store);
      }
    };
    afterEach(disposeAll);

    it("has no ledger before the first commit", async () => {
      const store = await open();
      expect(store.identity).toBeUndefined();
      await expect(async () => store.openView()).rejects.toThrow(LedgerError);
      await expect(async () => store.openView()).rejects.toEqual(coded("no_ledger"));
      await expect(store.prune(0n, 10)).rejects.toEqual(coded("no_ledger"));
    });

    it("keeps a ledger correct through random commits, prunings, rewinds and views held across them", async () => {
      const steps = fc.array(
        fc.oneof(
          fc.record({ kind: fc.constant("commit" as const), count: fc.integer({ min: 1, max: 25 }) }),
          fc.record({
            kind: fc.constant("prune" as const),
            part: fc.integer({ min: 0, max: 100 }),
            maxRows: fc.constantFrom(1, 3, 10, 100, 10_000),
          }),
          fc.record({ kind: fc.constant("hold" as const) }),
          fc.record({ kind: fc.constant("rewind" as const), part: fc.integer({ min: 0, max: 100 }) }),
        ),
        { maxLength: 16 },
      );
      await fc.assert(
        fc.asyncProperty(fc.integer(), steps, async (seed, plan) => {
          await runPlan(await open(), new SyntheticLedger(seed, 12), plan, maker.stride);
          await disposeAll();
        }),
        { numRuns: maker.runs },
      );
    });

    it("distinguishes a deleted item from one that was never written", async () => {
      const { store, ledger } = await filled(60n);
      const view = await store.openView();
      const seen = new Set<string>();
      for (let version = 0n; version <= 60n; version++) {
        for (const item of await view.getItems(ledger.keys, version)) {
          seen.add(item === undefined ? "absent" : item.value === undefined ? "deleted" : "there");
        }
      }
      view.release();
      expect([...seen].sort()).toEqual(["absent", "deleted", "there"]);
    });

    it("refuses versions outside the kept range, and never a kept one", async () => {
      const { store, ledger } = await filled(80n);
      await pruneTo(store, ledger.blockAt(40n, 80n).firstVersion);
      const view = await store.openView();
      const { oldestVersion } = view.position;
      expect(oldestVersion).toBe(ledger.blockAt(40n, 80n).firstVersion);
      const key = ledger.keys[0]!;
      await expect(async () => view.getItems([key], 81n)).rejects.toEqual(coded("version_not_found"));
      await expect(async () => view.getItems([key], oldestVersion - 1n)).rejects.toEqual(
        coded("version_pruned"),
      );
      await expect(view.getRecords(oldestVersion - 1n, 1, 1)).rejects.toEqual(coded("version_pruned"));
      await expect(view.getRecords(81n, 1, 1)).rejects.toEqual(coded("version_not_found"));
      const history = (from: bigint, to: bigint) => view.getHistory(key, { from, to, limit: 9 });
      await expect(history(oldestVersion - 1n, 80n)).rejects.toEqual(coded("version_pruned"));
      await expect(history(oldestVersion, 81n)).rejects.toEqual(coded("version_not_found"));
      expect(await view.getItems([], 80n)).toEqual([]);
      await checkAll(view, ledger, 80n);
      view.release();
    });

    it("walks a key's history in pages", async () => {
      const { store, ledger } = await filled(120n);
      const view = await store.openView();
      const expected = ledger.history(1, 10n, 110n).map(plain);
      const found: string[] = [];
      for (let from = 10n; from <= 110n; ) {
        const page = await view.getHistory(ledger.keys[1]!, { from, to: 110n, limit: 2 });
        if (page.length === 0) break;
        found.push(...page.map(plain));
        from = page.at(-1)!.version + 1n;
      }
      expect(found).toEqual(expected);
      expect(expected.length).toBeGreaterThan(4);
      expect(await view.getHistory(ledger.keys[1]!, { from: 50n, to: 40n, limit: 9 })).toEqual([]);
      expect(await view.getHistory(ledger.keys[1]!, { from: 0n, to: 120n, limit: 0 })).toEqual([]);
      view.release();
    });

    it("gives the views of one head the same position, and those after a commit another", async () => {
      const { store, ledger } = await filled(30n);
      const positionOf = async (opened: Promise<StoreView> | StoreView): Promise<StoreView["position"]> => {
        const view = await opened;
        view.release();
        return view.position;
      };
      const first = await positionOf(store.openView());
      expect(await positionOf(store.openRawView())).toBe(first);
      await store.commit(ledger.batch(30n, 31n));
      const second = await positionOf(store.openRawView());
      expect(second).not.toBe(first);
      expect(await positionOf(store.openView())).toBe(second);
    });

    it("bounds records by count and by bytes, and returns at least one", async () => {
      const { store, ledger } = await filled(30n);
      const view = await store.openView();
      expect((await view.getRecords(5n, 4, 1_000_000)).map((row) => row.version)).toEqual([5n, 6n, 7n, 8n]);
      expect((await view.getRecords(29n, 10, 1_000_000)).map((row) => row.version)).toEqual([29n, 30n]);
      expect((await view.getRecords(5n, 10, 1)).map((row) => row.version)).toEqual([5n]);
      const two = ledger.record(5n).length + ledger.record(6n).length;
      expect((await view.getRecords(5n, 10, two)).map((row) => row.version)).toEqual([5n, 6n]);
      view.release();
    });

    it("keeps the current tree nodes", async () => {
      const { store } = await filled(4n);
      const keys = [4, 0, 1].map((byte) => Buffer.from([byte]));
      const read = async () =>
        (await store.getTreeNodes(keys)).map((node) => node && Buffer.from(node).toString());
      expect(await read()).toEqual(["node 4", undefined, undefined]);
      const ledger = new SyntheticLedger(1, 12);
      await store.commit(ledger.batch(4n, 6n));
      expect(await read()).toEqual(["node 4", undefined, "node 6"]);
    });

    it("keeps side rows, written with and without a batch, through pruning", async () => {
      const store = await open();
      const [one, two] = [Buffer.from("one"), Buffer.from("two")];
      expect(await store.getSideRows([one, two])).toEqual([undefined, undefined]);
      await store.writeSide({ sideRows: [{ key: one, value: Uint8Array.of(1) }] });
      const ledger = new SyntheticLedger(11, 12);
      const sideRows = [
        { key: one, value: undefined },
        { key: two, value: Uint8Array.of(2, 3) },
      ];
      await store.commit({ ...ledger.batch(undefined, 40n), sideRows }, SYNTHETIC_IDENTITY);
      await expect(store.commit({ ...ledger.batch(undefined, 40n), sideRows: [] })).rejects.toThrow(
        StoreError,
      );
      const view = await store.openView();
      const block = await view.getBlockByVersion(30n);
      view.release();
      await store.prune(block?.firstVersion ?? 0n, 10_000);
      const rows = await store.getSideRows([two, one]);
      expect(rows.map((row) => row && [...row])).toEqual([[2, 3], undefined]);
    });

    it("accepts only a batch that follows the head, and changes nothing otherwise", async () => {
      const { store, ledger } = await filled(10n);
      const next = ledger.batch(10n, 20n);
      const key = ledger.keys[0]!;
      const value = Buffer.from([1]);
      const broken: Record<string, CommitBatch> = {
        "a gap": ledger.batch(11n, 20n),
        "a repeat": ledger.batch(9n, 20n),
        "a second first": ledger.batch(undefined, 20n),
        "no new version": { ...next, position: ledger.positionAt(10n), writes: [], blocks: [], records: [] },
        "a write below": { ...next, writes: [{ keyHash: key, version: 10n, value }] },
        "a write above": { ...next, writes: [{ keyHash: key, version: 21n, value }] },
        "writes out of order": {
          ...next,
          writes: [
            { keyHash: key, version: 13n, value },
            { keyHash: ledger.keys[1]!, version: 12n, value },
          ],
        },
        "two writes of one key": {
          ...next,
          writes: [
            { keyHash: ledger.keys[1]!, version: 13n, value },
            { keyHash: key, version: 13n, value },
            { keyHash: key, version: 13n, value: undefined },
          ],
        },
        "a missing block": { ...next, blocks: next.blocks.slice(1) },
        "a record twice": { ...next, records: [next.records[0]!, next.records[0]!] },
      };
      for (const [what, batch] of Object.entries(broken)) {
        await expect(store.commit(batch), what).rejects.toThrow(StoreError);
        await expect(store.commit(batch), what).rejects.toEqual(coded("order"));
      }
      const view = await store.openView();
      await checkAll(view, ledger, 10n);
      view.release();
      await store.commit(next);
      const after = await store.openView();
      await checkAll(after, ledger, 20n);
      after.release();
    });

    it("belongs to one chain from its first commit on", async () => {
      const store = await open();
      const ledger = new SyntheticLedger(1, 12);
      await expect(store.commit(ledger.batch(undefined, 3n))).rejects.toEqual(coded("identity"));
      const other = { ...SYNTHETIC_IDENTITY, chainId: 8 };
      await expect(store.commit(ledger.batch(undefined, 3n), other)).rejects.toEqual(coded("identity"));
      await store.commit(ledger.batch(undefined, 3n), SYNTHETIC_IDENTITY);
      expect(store.identity).toEqual(SYNTHETIC_IDENTITY);
      const otherGenesis = { ...SYNTHETIC_IDENTITY, genesisHash: new Uint8Array(32) };
      await expect(store.commit(ledger.batch(3n, 5n), otherGenesis)).rejects.toEqual(coded("identity"));
      const moved = ledger.batch(3n, 5n);
      const position = { ...moved.position, chainId: 8 };
      await expect(store.commit({ ...moved, position })).rejects.toEqual(coded("identity"));
      await store.commit(moved);
    });

    it("starts above version 0 on a preloaded base, which is invisible until the first commit", async () => {
      const store = await open();
      const ledger = new SyntheticLedger(5, 12);
      const first = ledger.blockAt(60n, 120n).firstVersion;
      const writes = ledger.keys.flatMap((keyHash, key) => {
        const item = ledger.itemAt(key, first);
        const isBase = item?.value !== undefined && item.version < first;
        return isBase ? [{ keyHash, version: item.version, value: item.value }] : [];
      });
      expect(writes.length).toBeGreaterThan(3);
      const treeNodes = [{ key: Buffer.from([9]), value: Buffer.from("base node") }];
      const row = Buffer.from("row");
      const index = ledger.indexRows(writes);
      await store.preload({ writes: writes.slice(0, 3), treeNodes: [], index, sideRows: [] });
      const rest = {
        writes: writes.slice(1),
        treeNodes,
        index,
        sideRows: [{ key: row, value: Uint8Array.of(7) }],
      };
      await store.preload(rest);
      await store.preload(rest);
      await expect(async () => store.openView()).rejects.toEqual(coded("no_ledger"));
      const [node] = await store.getTreeNodes([Buffer.from([9])]);
      expect(Buffer.from(node ?? []).toString()).toBe("base node");
      expect((await store.getSideRows([row])).map((value) => value && [...value])).toEqual([[7]]);

      const batch = { ...ledger.batch(first - 1n, 90n), previous: undefined };
      await store.commit(batch, SYNTHETIC_IDENTITY);
      await expect(store.preload(rest)).rejects.toEqual(coded("order"));
      await store.commit(ledger.batch(90n, 120n));
      const check = async (oldest: bigint): Promise<void> => {
        const view = await store.openView();
        expect(view.position.oldestVersion).toBe(oldest);
        await checkAll(view, ledger, 120n);
        view.release();
      };
      await check(first);
      const floor = ledger.blockAt(100n, 120n).firstVersion;
      await pruneTo(store, floor);
      await check(floor);
    });

    it("prunes to block starts only, in bounded steps", async () => {
      const { store, ledger } = await filled(100n);
      const floor = ledger.blockAt(70n, 100n).firstVersion;
      const inside = ledger.blocksOf(0n, 100n).every((block) => block.firstVersion !== floor + 1n);
      if (inside) await expect(store.prune(floor + 1n, 10)).rejects.toEqual(coded("order"));
      await expect(store.prune(101n, 10)).rejects.toEqual(coded("order"));
      let oldest = 0n;
      for (let steps = 0; ; steps++) {
        const step = await store.prune(floor, 5);
        expect(step.removed).toBeLessThanOrEqual(5 + 4);
        expect(step.oldestVersion).toBeGreaterThanOrEqual(oldest);
        oldest = step.oldestVersion;
        const view = await store.openView();
        expect(view.position.oldestVersion).toBe(oldest);
        // Checking everything at every step would take long for an engine over the network.
        if (steps % 4 === 0 || step.done) await checkAll(view, ledger, 100n);
        view.release();
        if (step.done) {
          expect(steps).toBeGreaterThan(10);
          break;
        }
      }
      expect(oldest).toBe(floor);
      expect(await store.prune(floor, 5)).toEqual({ oldestVersion: floor, removed: 0, done: true });
      expect(await store.prune(0n, 5)).toEqual({ oldestVersion: floor, removed: 0, done: true });
    });

    it("rewinds to the ends of kept blocks only, and takes other versions then", async () => {
      const { store, ledger } = await filled(100n);
      const ends = ledger.blockEnds(0n, 100n);
      const floor = ledger.blockAt(30n, 100n).firstVersion;
      await pruneTo(store, floor);
      const to = ends.find((end) => end > 50n)!;
      const inside = versions(50n, 99n).find((version) => !ends.includes(version))!;
      const below = ends.findLast((end) => end < floor)!;
      for (const version of [inside, below, 100n, 101n]) {
        const batch = { ...ledger.rewindBatch(100n, to), position: ledger.positionAt(version) };
        await expect(store.rewind(batch), `${version}`).rejects.toEqual(coded("order"));
      }
      const stale = { ...ledger.rewindBatch(100n, to), previous: 99n };
      await expect(store.rewind(stale)).rejects.toEqual(coded("order"));
      await checkHead(store, ledger, 100n);

      const before = await store.openView();
      await store.rewind(ledger.rewindBatch(100n, to));
      await checkHead(store, ledger, to);
      const node = Buffer.from([Number(to % 5n)]);
      const text = ([row]: readonly (Uint8Array | undefined)[]): string => Buffer.from(row ?? []).toString();
      expect(text(await store.getTreeNodes([node]))).toBe(`back at ${to}`);
      expect(text(await store.getSideRows([Buffer.from("rewound")]))).toBe(`${to}`);

      const fork = ledger.fork(to, 99);
      await store.commit(fork.batch(to, 120n));
      await checkHead(store, fork, 120n);
      await checkAll(before, ledger, 100n);
      before.release();
      // Twice over the same versions, the second time below the first fork.
      const lower = ends.find((end) => end > 40n)!;
      await store.rewind(fork.rewindBatch(120n, lower));
      const again = fork.fork(lower, 100);
      await store.commit(again.batch(lower, 130n));
      await checkHead(store, again, 130n);
      await pruneTo(store, again.blockAt(110n, 130n).firstVersion);
      await checkHead(store, again, 130n);
    });

    it("takes no commit while its history is refuted, and its raw view reads all of it", async () => {
      const { store, ledger } = await filled(50n);
      const refuted = { firstVersion: 40n, reason: "a waypoint says otherwise" };
      await store.writeSide({ trust: { ...ALL_TRUSTED, refuted }, sideRows: [] });
      await expect(store.commit(ledger.batch(50n, 60n))).rejects.toEqual(coded("order"));
      const raw = await store.openRawView();
      await checkAll(raw, ledger, 50n);
      raw.release();
      const to = ledger.blockEnds(0n, 50n).findLast((end) => end < 40n)!;
      await store.rewind(ledger.rewindBatch(50n, to));
      await store.commit(ledger.batch(to, 60n));
      await checkHead(store, ledger, 60n);
    });

    it("removes an index row when its item was deleted and that deletion is pruned, and not before", async () => {
      const { store, ledger } = await filled(100n);
      const seen = { pruned: 0, again: 0, later: 0 };
      let oldest = 0n;
      for (const target of [20n, 40n, 60n, 80n, 100n]) {
        const floor = ledger.blockAt(target, 100n).firstVersion;
        await pruneTo(store, floor);
        const view = await store.openView();
        for (const [number, owner] of ledger.owners.entries()) {
          const expected = ledger.keys.flatMap((_, key) => {
            if (!ledger.ownersOf(key).includes(number)) return [];
            const writes = ledger.history(key, 0n, 100n);
            const below = writes.filter(({ version }) => version < floor);
            const isGone = below.length > 0 && below.at(-1)!.value === undefined;
            const isLater = writes.length > below.length;
            if (writes.length === 0) return [];
            if (isGone) seen[isLater ? "again" : "pruned"]++;
            else if (writes.at(-1)!.value === undefined) seen.later++;
            return isGone && !isLater
              ? []
              : [Buffer.from(ledger.indexRow(key, number).place).toString("hex")];
          });
          expect(await listPlaces(view, owner, floor), `floor ${floor}`).toEqual(expected.sort());
        }
        view.release();
        expect(floor).toBeGreaterThanOrEqual(oldest);
        oldest = floor;
      }
      for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
      const view = await store.openView();
      const page = { after: undefined, limit: 9 };
      const list = async (version: bigint) => view.getOwnedKeys(ledger.owners[3]!, { version, ...page });
      await expect(list(oldest - 1n)).rejects.toEqual(coded("version_pruned"));
      await expect(list(101n)).rejects.toEqual(coded("version_not_found"));
      expect(await view.getOwnedKeys(new Uint8Array(33).fill(7), { version: 100n, ...page })).toEqual([]);
      view.release();
    });

    it("takes index rows of earlier versions, and tells how far the index reaches", async () => {
      const store = await open();
      const ledger = new SyntheticLedger(1, 12);
      const { index, ...batch } = ledger.batch(undefined, 30n);
      await store.commit(batch, SYNTHETIC_IDENTITY);
      const read = async () => {
        const view = await store.openView();
        try {
          const keys = await listPlaces(view, ledger.owners[3]!, 30n);
          return [await view.getIndexedTo(), keys.length];
        } finally {
          view.release();
        }
      };
      expect(await read()).toEqual([undefined, 0]);
      await store.writeSide({ index: index!.slice(0, 8), sideRows: [INDEX_REACH.items.row(3n)] });
      expect((await read())[0]).toBe(3n);
      await store.writeSide({ index: index!, sideRows: [INDEX_REACH.items.row(30n)] });
      const view = await store.openView();
      await checkAll(view, ledger, 30n);
      view.release();
      await store.commit({ ...ledger.batch(30n, 31n), sideRows: [INDEX_REACH.items.row(31n)] });
      expect((await read())[0]).toBe(31n);
    });

    it("returns bytes that do not change until release", async () => {
      const { store, ledger } = await filled(50n);
      const view = await store.openView();
      const first = await view.getItems(ledger.keys, 50n);
      const before = first.map(plain);
      const records = await view.getRecords(0n, 60, 1_000_000);
      const recordsBefore = records.map((row) => Buffer.from(row.bytes).toString("hex"));
      for (let version = 0n; version <= 50n; version++) await view.getItems(ledger.keys, version);
      await store.commit(ledger.batch(50n, 90n));
      await pruneTo(store, ledger.blockAt(85n, 90n).firstVersion);
      await store.commit(ledger.batch(90n, 130n));
      const later = await store.openView();
      await later.getItems(ledger.keys, 130n);
      expect(first.map(plain)).toEqual(before);
      expect(records.map((row) => Buffer.from(row.bytes).toString("hex"))).toEqual(recordsBefore);
      later.release();
      view.release();
      expect(() => view.release()).toThrow("released");
      await expect(async () => view.getItems(ledger.keys, 50n)).rejects.toThrow("released");
    });

    it("keeps values of every size intact through updates, newest and older", async () => {
      const store = await open();
      const ledger = new SyntheticLedger(1, 12);
      const sizes = [1, 100, 2000, 4096, 16_384, 32_768, 65_537, 1_000_000];
      const valueAt = (index: number, version: bigint) =>
        Buffer.alloc(sizes[(index + Number(version)) % sizes.length]!, Number(version) + index + 1);
      let previous: bigint | undefined;
      for (let version = 0n; version < 12n; version++) {
        const writes = sizes.map((_, index) => ({
          keyHash: ledger.keys[index]!,
          version,
          value: valueAt(index, version),
        }));
        const identity = previous === undefined ? SYNTHETIC_IDENTITY : undefined;
        await store.commit({ ...ledger.batch(previous, version), writes }, identity);
        previous = version;
      }
      const view = await store.openView();
      for (let version = 11n; version >= 0n; version--) {
        const items = await view.getItems(ledger.keys.slice(0, sizes.length), version);
        for (const [index, item] of items.entries()) {
          expect(item?.version).toBe(version);
          expect(valueAt(index, version).equals(item?.value ?? Buffer.alloc(0))).toBe(true);
        }
      }
      const history = await view.getHistory(ledger.keys[3]!, { from: 0n, to: 11n, limit: 99 });
      expect(history.map((item) => valueAt(3, item.version).equals(item.value!))).toEqual(
        Array(12).fill(true),
      );
      view.release();
    });

    it("does not keep the caller's arrays", async () => {
      const store = await open();
      const ledger = new SyntheticLedger(3, 12);
      const batch = ledger.batch(undefined, 20n);
      const writes = batch.writes.map((write) => ({
        ...write,
        value: write.value && new Uint8Array(write.value),
      }));
      const records = batch.records.map((row) => ({ ...row, bytes: new Uint8Array(row.bytes) }));
      const index = ledger.indexRows(batch.writes).map((row) => ({
        ...row,
        owner: new Uint8Array(row.owner),
        place: new Uint8Array(row.place),
        data: new Uint8Array(row.data),
      }));
      await store.commit({ ...batch, writes, records, index }, SYNTHETIC_IDENTITY);
      for (const { owner, place, data } of index) for (const bytes of [owner, place, data]) bytes.fill(0);
      for (const write of writes) write.value?.fill(0);
      for (const row of records) row.bytes.fill(0);
      const view = await store.openView();
      await checkAll(view, ledger, 20n);
      view.release();
    });

    async function filled(head: bigint): Promise<{ store: Store; ledger: SyntheticLedger }> {
      const store = await open();
      const ledger = new SyntheticLedger(1, 12);
      await store.commit(ledger.batch(undefined, 0n), SYNTHETIC_IDENTITY);
      await store.commit(ledger.batch(0n, head));
      return { store, ledger };
    }
  });
}

type PlanStep =
  | { readonly kind: "commit"; readonly count: number }
  | { readonly kind: "prune"; readonly part: number; readonly maxRows: number }
  | { readonly kind: "hold" }
  | { readonly kind: "rewind"; readonly part: number };

async function runPlan(
  store: Store,
  first: SyntheticLedger,
  plan: readonly PlanStep[],
  stride: bigint | undefined,
): Promise<void> {
  let ledger = first;
  await store.commit(ledger.batch(undefined, 0n), SYNTHETIC_IDENTITY);
  let head = 0n;
  let oldest = 0n;
  const held: { view: StoreView; ledger: SyntheticLedger; head: bigint }[] = [];
  for (const step of plan) {
    if (step.kind === "commit") {
      const next = head + BigInt(step.count);
      await store.commit(ledger.batch(head, next));
      head = next;
    } else if (step.kind === "prune") {
      const floor = ledger.blockAt((head * BigInt(step.part)) / 100n, head).firstVersion;
      const { oldestVersion, done } = await store.prune(floor, step.maxRows);
      if (done) expect(oldestVersion).toBeGreaterThanOrEqual(floor);
      oldest = oldestVersion;
    } else if (step.kind === "rewind") {
      const ends = ledger.blockEnds(oldest, head);
      const to = ends[Math.floor(((ends.length - 1) * step.part) / 100)];
      if (to === undefined) continue;
      await store.rewind(ledger.rewindBatch(head, to));
      ledger = ledger.fork(to, step.part);
      head = to;
      await checkLatest(store, ledger, head, stride);
    } else {
      held.push({ view: await store.openView(), ledger, head });
    }
  }
  held.push({ view: await store.openView(), ledger, head });
  for (const { view, ledger: seen, head: at } of held) {
    await checkView(view, seen, at, stride);
    view.release();
  }
}

async function checkLatest(
  store: Store,
  ledger: SyntheticLedger,
  head: bigint,
  stride: bigint | undefined,
): Promise<void> {
  const view = await store.openView();
  await checkView(view, ledger, head, stride);
  view.release();
}

/** Prunes until the floor is reached. */
export async function pruneTo(store: Store, floor: bigint): Promise<void> {
  while (!(await store.prune(floor, 1000)).done);
}
