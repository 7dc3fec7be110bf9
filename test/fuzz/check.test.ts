// The check of a whole store: finds nothing in sound stores and every single damaged row in others.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import type { Position } from "../../src/ledger/position.ts";
import { checkData } from "../../src/node/store-tools.ts";
import { type Environment, openEnvironment } from "../../src/store/lmdb/environment.ts";
import { decodePosition } from "../../src/store/lmdb/position-row.ts";
import { getRow, putRow, SUMS_BYTES } from "../../src/store/lmdb/sealed-rows.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { META, numberKey, type Table, type Tables } from "../../src/store/lmdb/tables.ts";
import { assertHead } from "../../src/sync/check/head-check.ts";
import { earliestAccumulator } from "../../src/sync/check/record-check.ts";
import { pruneTo } from "../store/contract.ts";
import { ChainRun } from "../support/chain-run.ts";
import { RUNS } from "../support/property.ts";

let folder = "";
let copies = 0;

/** Makes a store with some blocks, pruned up to the first version of the block that contains `floor`. */
async function makeStore(name: string, blocks: number, floor: bigint): Promise<void> {
  const store = await openLmdbStore({ path: join(folder, name) });
  const run = await new ChainRun(createLocalChain({ seed: "check" }), store).start();
  await run.steps(blocks);
  const view = await store.openView();
  const block = await view.getBlockByVersion(floor);
  view.release();
  await pruneTo(store, block?.firstVersion ?? 0n);
  await store.close();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sextant-check-"));
  await makeStore("whole", 28, 0n);
  await makeStore("pruned", 60, 200n);
});

afterAll(() => rm(folder, { recursive: true }));

/** Damages a copy of a store in one write and returns the path of the copy. */
async function damage(
  name: string,
  action: (tables: Tables, environment: Environment) => void,
): Promise<string> {
  const path = join(folder, `copy-${copies++}`);
  await cp(join(folder, name), path, { recursive: true });
  const environment = await openEnvironment({ path, readOnly: false });
  environment.root.transactionSync(() => action(environment.tables, environment));
  await environment.close();
  return path;
}

/** Rows of each table to damage; more with SEXTANT_RUNS. */
const ROWS = Math.max(3, Math.ceil(RUNS / 40));

/** The keys of a table; a sample if there are many. */
function someKeys(table: Table, isWanted: (key: Buffer) => boolean = () => true): Buffer[] {
  const keys = [...table.getKeys({})].map((key) => Buffer.from(key)).filter(isWanted);
  const step = Math.max(1, Math.floor(keys.length / ROWS));
  return keys.filter((_, i) => i % step === 0);
}

function readPosition({ tables }: Environment): Position {
  return decodePosition(getRow(tables.meta, META.position) ?? Buffer.alloc(0));
}

function flipped(row: Buffer, at: number): Buffer {
  const out = Buffer.from(row);
  out[at] = (out[at] ?? 0) ^ 0x10;
  return out;
}

async function findingsOf(path: string): Promise<string> {
  try {
    return (await checkData(path)).findings.join("\n");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Every table whose rows the check can prove. */
const COVERED = ["items", "stale", "blocks", "records", "tree"] as const;

describe.each(["whole", "pruned"])("a %s store", (name) => {
  it("is sound", async () => {
    const report = await checkData(join(folder, name));
    expect(report.findings).toEqual([]);
    expect(report.faults).toBe(0);
    expect(report.records).toBeGreaterThan(100);
    expect(report.writes).toBeGreaterThan(report.records);
    expect(report.treeNodes).toBeGreaterThan(45);
    if (name === "pruned") expect(report.oldestVersion).toBeGreaterThan(100n);
    else expect(report.recordsAnchored).toBe(report.records);
  });

  it.each(COVERED)("is damaged without one row of %s", async (table) => {
    const sound = await openEnvironment({ path: join(folder, name), readOnly: true });
    const keys = someKeys(sound.tables[table]);
    await sound.close();
    expect(keys.length).toBeGreaterThan(2);
    for (const key of keys) {
      const path = await damage(name, (tables) => tables[table].removeSync(key));
      expect(await findingsOf(path), key.toString("hex")).not.toBe("");
    }
  });

  it.each(COVERED)("is damaged with one bit of %s changed", async (table) => {
    const sound = await openEnvironment({ path: join(folder, name), readOnly: true });
    // Below this version nothing proves a pruned store's infos; see docs/reliability.md.
    const anchor = earliestAccumulator(readPosition(sound)).leafCount;
    const isCovered = (key: Buffer): boolean => table !== "records" || key.readBigUInt64BE() >= anchor;
    const covered = someKeys(sound.tables[table], isCovered);
    expect(covered.length).toBeGreaterThan(1);
    const rows = covered.map((key, i) => {
      const value = getRow(sound.tables[table], key) ?? Buffer.alloc(0);
      return { key, value, at: value.length === 0 ? -1 : (i * 7919) % value.length };
    });
    await sound.close();
    for (const { key, value, at } of rows) {
      if (at < 0) continue;
      // With the checksum of the changed value: the hashes of the ledger find it too.
      const path = await damage(name, (tables) => putRow(tables[table], key, flipped(value, at)));
      const findings = await findingsOf(path);
      expect(findings, `${key.toString("hex")} at ${at}`).not.toBe("");
      expect(findings).not.toContain("checksum");
    }
  });

  it.each([...COVERED, "side"] as const)(
    "names a row of %s that does not match its checksum",
    async (table) => {
      const path = await damage(name, (tables) =>
        putRow(tables.side, Buffer.from("a side row"), Buffer.from("value")),
      );
      const environment = await openEnvironment({ path, readOnly: false });
      const [key = Buffer.alloc(0)] = someKeys(environment.tables[table]);
      const row = environment.tables[table].get(key) ?? Buffer.alloc(0);
      environment.tables[table].putSync(key, flipped(row, (row.length - SUMS_BYTES) >> 1));
      await environment.close();
      expect(await findingsOf(path)).toContain(
        `table of ${table} rows: the row of key 0x${key.toString("hex")} does not match its checksum`,
      );
    },
  );
});

describe("the head", () => {
  it("is refused at once when it does not fit together", async () => {
    const sound = await openEnvironment({ path: join(folder, "whole"), readOnly: true });
    const { version } = readPosition(sound);
    await sound.close();
    const damages: [string, (tables: Tables) => void][] = [
      ["missing", (tables) => tables.records.removeSync(numberKey(version))],
      ["decode", (tables) => putRow(tables.records, numberKey(version), Buffer.alloc(50))],
      ["state tree", (tables) => tables.tree.removeSync(Buffer.from([0]))],
      ["state tree", (tables) => putRow(tables.tree, Buffer.from([0]), Buffer.alloc(3))],
      ["oldest block", (tables) => tables.blocks.removeSync(numberKey(0n))],
      ["position cannot be read", (tables) => putRow(tables.meta, META.position, Buffer.alloc(9))],
    ];
    for (const [text, action] of damages) {
      const store = await openLmdbStore({ path: await damage("whole", action) });
      await expect(assertHead(store), text).rejects.toMatchObject({
        code: "corrupt",
        message: expect.stringContaining(text),
      });
      await store.close();
    }
    const store = await openLmdbStore({ path: join(folder, "whole") });
    await assertHead(store);
    await store.close();
  });
});
