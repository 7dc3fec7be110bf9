// Copies of whole ledgers between data directories: full and pruned, interrupted anywhere, and into wrong targets. The
// full check verifies every copy.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { type CopyOptions, type CopyReport, checkData, copyData, createNode } from "../../src/node.ts";
import type { Store, StoreView } from "../../src/store/contract.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { openStoreWalk } from "../../src/store/lmdb/walk.ts";
import { Committer } from "../../src/sync/committer.ts";
import { checkCopy } from "../../src/sync/maintenance/copy/copy-check.ts";
import { pruneTo } from "../store/contract.ts";
import { ChainRun } from "../support/chain-run.ts";
import { RandomHistory } from "../support/random-history.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();
let count = 0;
const place = (): string => join(folder, `store-${count++}`);

/** A ledger of `blocks` blocks, pruned up to a block if one is given. */
async function ledgerAt(data: string, blocks: number, keepFrom?: bigint): Promise<void> {
  const store = await openLmdbStore({ path: data });
  const run = new ChainRun(createLocalChain({ seed: "copy" }), store);
  await run.start();
  const { blockHeight } = await run.position();
  await run.steps(blocks - Number(blockHeight));
  if (keepFrom !== undefined) {
    const view = await store.openView();
    const block = await view.getBlockByHeight(keepFrom);
    view.release();
    while (!(await store.prune(block?.firstVersion ?? 0n, 1000)).done);
  }
  await store.close();
}

function copy(from: string, to: string, more: Partial<CopyOptions> = {}): Promise<CopyReport> {
  return copyData({
    from: { engine: "lmdb", path: from },
    to: { engine: "lmdb", path: to },
    share: 1,
    onProgress: () => {},
    logger: silentLogger,
    sizes: { keys: 40, records: 7 },
    ...more,
  });
}

/** Interrupts a copy once a part has reached the given progress. */
function cutAt(
  part: string,
  done: number,
): { readonly options: Partial<CopyOptions>; readonly versions: () => number } {
  const stop = new AbortController();
  let copied = 0;
  const onProgress: CopyOptions["onProgress"] = (name, at) => {
    if (name === "versions") copied = at;
    if (name === part && at >= done) stop.abort(new Error("cut off"));
  };
  return {
    options: { signal: stop.signal, onProgress },
    versions: () => copied,
  };
}

async function expectSame(from: string, to: string): Promise<void> {
  const [source, target] = [await checkData(from), await checkData(to)];
  expect(target.findings).toEqual([]);
  // The two stores may differ in rows not pruned yet.
  const facts = ({ leftovers, values, recordsAnchored, ...others }: typeof source) => others;
  expect(facts(target)).toEqual(facts(source));
}

describe("a copy of a ledger", () => {
  it("has all history of the source, and follows it later", async () => {
    const [from, to] = [place(), place()];
    await ledgerAt(from, 60);
    const report = await copy(from, to);
    expect(report).toMatchObject({ baseKeys: 0, oldestVersion: 0n, check: { faults: 0, findings: [] } });
    expect(report.versions).toBe(Number(report.version) + 1);
    expect(report.check.records).toBe(report.versions);
    expect(report.check.items).toBeGreaterThan(100);
    await expectSame(from, to);
    expect((await copy(from, to)).versions).toBe(0);
    await ledgerAt(from, 75);
    const later = await copy(from, to);
    expect(later.versions).toBe(Number(later.version - report.version));
    await expectSame(from, to);
    // The copy is an ordinary ledger: it accepts more blocks.
    await ledgerAt(to, 80);
    expect((await checkData(to)).findings).toEqual([]);
    await expect(copy(from, to)).rejects.toMatchObject({ code: "order" });
  });

  it("of a pruned source has all that the source still has, and follows it later", async () => {
    const [from, to] = [place(), place()];
    await ledgerAt(from, 60, 30n);
    const report = await copy(from, to);
    expect(report.check).toMatchObject({ faults: 0, findings: [] });
    expect(report.baseKeys).toBeGreaterThan(100);
    expect(report.oldestVersion).toBeGreaterThan(0n);
    await expectSame(from, to);
    await ledgerAt(from, 70, 40n);
    await copy(from, to);
    expect((await checkData(to)).findings).toEqual([]);
    await ledgerAt(to, 75, 60n);
    expect((await checkData(to)).findings).toEqual([]);
  });

  it.each([1, 4, 9, 16])("of a source whose pruner stopped after %i steps is sound", async (steps) => {
    const [from, to] = [place(), place()];
    const history = new RandomHistory(8).grow(90);
    const store = await openLmdbStore({ path: from });
    await new Committer({ store, logger: silentLogger }).append(history.records);
    const floor = (history.blockEnds.find((end) => end > 50n) ?? 0n) + 1n;
    for (let i = 0; i < steps; i++) expect((await store.prune(floor, 1)).done).toBe(false);
    await store.close();
    expect((await copy(from, to)).check).toMatchObject({ faults: 0, findings: [] });
    expect((await checkData(to)).findings).toEqual([]);
    const target = await openLmdbStore({ path: to });
    await pruneTo(target, (history.blockEnds.find((end) => end > 70n) ?? 0n) + 1n);
    await target.close();
    expect((await checkData(to)).findings).toEqual([]);
  });

  it("of a refuted source is refused at once, with the reason", async () => {
    const [from, to] = [place(), place()];
    await ledgerAt(from, 20);
    const store = await openLmdbStore({ path: from });
    const reason = "a waypoint differs";
    await new Committer({ store, logger: silentLogger }).refute({ firstVersion: 30n, reason });
    await store.close();
    // A retry would be told, and would not end within the patience.
    const retries: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, text: string) => void retries.push(text) };
    const patience = { logger, patienceMs: { open: 1, copy: 1 } };
    const refusal = await copy(from, to, patience).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "format", message: expect.stringContaining(reason) });
    expect(refusal).toMatchObject({ message: expect.stringContaining("Rewind the source below version 30") });
    expect(retries).toEqual([]);
  });

  it("works from a source that keeps only one block", async () => {
    const [from, to] = [place(), place()];
    await ledgerAt(from, 20, 20n);
    expect((await copy(from, to)).check.faults).toBe(0);
    await expectSame(from, to);
  });

  it.each([
    ["all history", undefined, [["versions", 1]]],
    ["a pruned source, in its base", 30n, [["items", 400]]],
    ["a pruned source, in its records", 30n, [["versions", 1]]],
    [
      "a pruned source, again and again",
      30n,
      [
        ["items", 300],
        ["items", 300],
        ["versions", 1],
        ["versions", 1],
        ["compared", 1],
      ],
    ],
  ] as const)("goes on where it was cut off: %s", async (_, keepFrom, cuts) => {
    const [from, to] = [place(), place()];
    await ledgerAt(from, 100, keepFrom);
    let copied = 0;
    for (const [part, done] of cuts) {
      const cut = cutAt(part, done);
      await expect(copy(from, to, cut.options)).rejects.toThrow("cut off");
      copied += cut.versions();
    }
    const report = await copy(from, to);
    expect(report.check).toMatchObject({ faults: 0, findings: [] });
    // Only the block in progress at an interruption is copied twice.
    expect(report.versions).toBeLessThan(report.check.records - copied + 20 * cuts.length);
    if (cuts[0]?.[0] === "items") expect(report.baseKeys).toBeLessThan(report.check.items - 40);
    await expectSame(from, to);
  });

  it("that is not finished refuses other writers", async () => {
    const [from, to] = [place(), place()];
    await ledgerAt(from, 60, 30n);
    await expect(copy(from, to, cutAt("versions", 1).options)).rejects.toThrow("cut off");
    const localChain = { seed: "copy" };
    await expect(createNode({ data: to, localChain })).rejects.toThrow("a copy that is not finished");
    await copy(from, to);
    const node = await createNode({ data: to, localChain, pruneWindow: "off" });
    await node.produceBlock();
    await node.close();
  });

  it("is refused into another ledger and across a gap", async () => {
    const [from, other, to] = [place(), place(), place()];
    await ledgerAt(from, 10);
    const store = await openLmdbStore({ path: other });
    await new ChainRun(createLocalChain({ seed: "another" }), store).start();
    await store.close();
    await expect(copy(from, other)).rejects.toMatchObject({ code: "identity" });
    await copy(from, to);
    await ledgerAt(from, 40, 35n);
    await expect(copy(from, to)).rejects.toThrow("copy into an empty target");
    await rm(to, { recursive: true });
    expect((await copy(from, to)).check.faults).toBe(0);
  });

  it("reports rows that the target returns changed", async () => {
    const [from, to] = [place(), place()];
    await ledgerAt(from, 30);
    await copy(from, to);
    const source = await openStoreWalk(from);
    const target = await openLmdbStore({ path: to });
    const wrong: Store = Object.assign(Object.create(target) as Store, {
      openView: async (): Promise<StoreView> => {
        const view = await target.openView();
        return {
          position: view.position,
          getItems: (keys, version) => view.getItems(keys, version),
          getHistory: async (key, range) => {
            const history = await view.getHistory(key, range);
            return (key[0] ?? 0) < 16 ? history.slice(1) : history;
          },
          getOwnedKeys: (owner, page) => view.getOwnedKeys(owner, page),
          getIndexedTo: () => view.getIndexedTo(),
          getBlockByHeight: (height) => view.getBlockByHeight(height === 3n ? 4n : height),
          getBlockByVersion: (version) => view.getBlockByVersion(version),
          getBlockAtTime: (time) => view.getBlockAtTime(time),
          getRecords: async (start, limit, maxBytes) =>
            (await view.getRecords(start, limit, maxBytes)).map(({ version, bytes }) => {
              const copied = new Uint8Array(bytes);
              if (version === 5n) copied[3] = (copied[3] ?? 0) ^ 1;
              return { version, bytes: copied };
            }),
          release: () => view.release(),
        };
      },
    });
    const options = { source, share: 1, onProgress: () => {}, signal: new AbortController().signal };
    const right = await checkCopy({ ...options, target });
    const report = await checkCopy({ ...options, target: wrong });
    await target.close();
    await source.close();
    expect(right.faults).toBe(0);
    expect(report.findings).toContain("record of version 5 differs from the source's");
    expect(report.findings).toContain("block 3 differs from the source's");
    expect(report.findings.some((text) => text.startsWith("item 0"))).toBe(true);
    expect(report.faults).toBeGreaterThan(2);
  });
});
