// The check of a whole store: finds nothing in sound stores and every single damaged row in others.

import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberKey } from "../../src/base/bytes.ts";
import { silentLogger } from "../../src/base/log.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { coinAsset } from "../../src/ledger/balances/asset.ts";
import { stateKeyHashOfBcs } from "../../src/ledger/formats/state-key.ts";
import type { Position } from "../../src/ledger/position.ts";
import { structTagCodec } from "../../src/move/type-tag.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import { checkData } from "../../src/node/tools/store-tools.ts";
import { INDEX_REACH_KEYS } from "../../src/store/index-reach.ts";
import { type Environment, openEnvironment } from "../../src/store/lmdb/environment.ts";
import { decodePosition, encodePosition } from "../../src/store/lmdb/position-row.ts";
import { getRow, putRow, SUMS_BYTES } from "../../src/store/lmdb/sealed-rows.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { META, STALE_BYTES, type Table, type Tables } from "../../src/store/lmdb/tables.ts";
import { Committer } from "../../src/sync/committer.ts";
import { assertHead } from "../../src/sync/maintenance/check/head-check.ts";
import { earliestAccumulator } from "../../src/sync/maintenance/check/record-check.ts";
import { INDEX_REACH } from "../../src/sync/side-rows.ts";
import { pruneTo } from "../store/contract.ts";
import { ChainRun } from "../support/chain-run.ts";
import { RUNS } from "../support/property.ts";
import { RandomHistory } from "../support/random-history.ts";

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

/** The finding for a list of superseded values with too many entries. */
const DIFFERENT_NUMBER = /^list of superseded values: expected \d+, found \d+$/;

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
const COVERED = ["items", "stale", "blocks", "records", "tree", "index"] as const;

type Covered = (typeof COVERED)[number];

/** A table that every new store has. */
function tableOf(tables: Tables, name: Covered | "side"): Table {
  return tables[name] ?? expect.unreachable(`no table of ${name} rows`);
}

/** Older values of before the oldest version may be under no kept root: that of their block is pruned. */
const isUnderRoot =
  (table: Covered, oldestVersion: bigint) =>
  (key: Buffer): boolean => {
    if (table !== "items") return true;
    const place = key.readBigUInt64BE(key.length - 8);
    return place === 0n || 2n ** 64n - 1n - place >= oldestVersion;
  };

describe.each(["whole", "pruned"])("a %s store", (name) => {
  it("is sound", async () => {
    const report = await checkData(join(folder, name));
    expect(report.findings).toEqual([]);
    expect(report.faults).toBe(0);
    expect(report.records).toBeGreaterThan(100);
    expect(report.writes).toBeGreaterThan(report.records);
    expect(report.treeNodes).toBeGreaterThan(45);
    expect(report.indexRows).toBeGreaterThan(report.items);
    if (name === "pruned") expect(report.oldestVersion).toBeGreaterThan(100n);
    else expect(report.recordsAnchored).toBe(report.records);
  });

  it.each(COVERED)("is damaged without one row of %s", async (table) => {
    const sound = await openEnvironment({ path: join(folder, name), readOnly: true });
    const isCovered = isUnderRoot(table, readPosition(sound).oldestVersion);
    const keys = someKeys(tableOf(sound.tables, table), isCovered);
    await sound.close();
    expect(keys.length).toBeGreaterThan(2);
    for (const key of keys) {
      const path = await damage(name, (tables) => tableOf(tables, table).removeSync(key));
      expect(await findingsOf(path), key.toString("hex")).not.toBe("");
    }
  });

  it.each(COVERED)("is damaged with one bit of %s changed", async (table) => {
    const sound = await openEnvironment({ path: join(folder, name), readOnly: true });
    // Below this version nothing proves a pruned store's infos; see docs/reliability.md.
    const anchor = earliestAccumulator(readPosition(sound)).leafCount;
    const { oldestVersion } = readPosition(sound);
    const isRooted = isUnderRoot(table, oldestVersion);
    const isCovered = (key: Buffer): boolean =>
      table === "records" ? key.readBigUInt64BE() >= anchor : isRooted(key);
    const covered = someKeys(tableOf(sound.tables, table), isCovered);
    expect(covered.length).toBeGreaterThan(1);
    const rows = covered.map((key, i) => {
      const value = getRow(tableOf(sound.tables, table), key) ?? Buffer.alloc(0);
      const at = value.length === 0 ? -1 : (i * 7919) % value.length;
      // Nothing that is kept tells which version before the oldest one wrote a newest value: its number comes first.
      const isNewest = table === "items" && key.readBigUInt64BE(key.length - 8) === 0n;
      const isUnproven = isNewest && at < 8 && value.readBigUInt64BE() < oldestVersion;
      return { key, value, at: isUnproven ? 8 : at };
    });
    await sound.close();
    for (const { key, value, at } of rows) {
      if (at < 0) continue;
      // With the checksum of the changed value: the hashes of the ledger find it too.
      const path = await damage(name, (tables) => putRow(tableOf(tables, table), key, flipped(value, at)));
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
      const rows = tableOf(environment.tables, table);
      const [key = Buffer.alloc(0)] = someKeys(rows);
      const row = rows.get(key) ?? Buffer.alloc(0);
      rows.putSync(key, flipped(row, (row.length - SUMS_BYTES) >> 1));
      await environment.close();
      expect(await findingsOf(path)).toContain(
        `table of ${table} rows: the row of key 0x${key.toString("hex")} does not match its checksum`,
      );
    },
  );
});

describe("the index", () => {
  /** Rows by kind: of addresses, of tables, of primary stores, of coin stores. */
  it.each([0, 1, 2, 3])("without a row of kind %i is damaged, and the check names it", async (kind) => {
    const sound = await openEnvironment({ path: join(folder, "whole"), readOnly: true });
    const index = tableOf(sound.tables, "index");
    const [key = Buffer.alloc(0)] = someKeys(index, ([first]) => first === kind);
    const keyHash = key.subarray(33).toString("hex");
    await sound.close();
    const path = await damage("whole", (tables) => tableOf(tables, "index").removeSync(key));
    const owner = key.subarray(0, 33).toString("hex");
    const isOfItem = kind < 2;
    expect(await findingsOf(path)).toMatch(
      isOfItem
        ? new RegExp(`^item ${keyHash} as of version \\d+: not in the index$`)
        : new RegExp(`^(index row ${owner} ${keyHash}: is missing\n?)+$`),
    );
  });

  it("with a row too much is damaged, and the check names it", async () => {
    const owner = Uint8Array.from({ length: 32 }, () => 0xcc);
    const absent = createLocalChain({ seed: "check" }).items.demoAccounts.anna?.address ?? owner;
    const tableKey = Buffer.concat([Uint8Array.of(1), owner, Uint8Array.of(1, 7)]);
    const tag = encodeWith(structTagCodec, parseStructTag("0x1::none::Such"));
    const rows: [string, Buffer, Uint8Array][] = [
      [
        "there is no item",
        Buffer.concat([tableKey.subarray(0, 33), stateKeyHashOfBcs(tableKey)]),
        tableKey.subarray(33),
      ],
      [
        "there is no item",
        Buffer.concat([Uint8Array.of(3), absent, coinAsset(parseStructTag("0x1::none::Such")).metadata]),
        tag,
      ],
      ["no item can have it", Buffer.concat([Uint8Array.of(3), absent, owner]), tag],
      ["no item can have it", Buffer.concat([Uint8Array.of(2), absent, owner]), tag],
      ["no item can have it", Buffer.concat([Uint8Array.of(1), owner, owner]), tag],
      ["no item can have it", Buffer.concat([Uint8Array.of(9), owner, owner]), tag],
    ];
    for (const [text, key, data] of rows) {
      const path = await damage("whole", (tables) => putRow(tableOf(tables, "index"), key, data));
      const name = `index row ${key.subarray(0, 33).toString("hex")} ${key.subarray(33).toString("hex")}`;
      expect(await findingsOf(path)).toMatch(new RegExp(`^${name}: ${text}[^\n]*$`));
    }
  });

  it("that ends below the head, or is not there, is no damage", async () => {
    const reach = (version: bigint | undefined) => (tables: Tables) => {
      if (version === undefined) tables.side.removeSync(Buffer.from(INDEX_REACH_KEYS.items));
      else
        putRow(
          tables.side,
          Buffer.from(INDEX_REACH_KEYS.items),
          INDEX_REACH.items.row(version).value ?? Buffer.alloc(0),
        );
    };
    for (const version of [undefined, 0n, 40n]) {
      expect(await findingsOf(await damage("whole", reach(version)))).toBe("");
    }
  });
});

// These rows are counted, and looked at one by one only if their number is wrong.
describe("counted rows", () => {
  /** The first key that the store "whole" has in a table. */
  async function firstKey(table: Covered, isWanted: (key: Buffer, row: Buffer) => boolean): Promise<Buffer> {
    const sound = await openEnvironment({ path: join(folder, "whole"), readOnly: true });
    const rows = tableOf(sound.tables, table);
    const [key] = someKeys(rows, (one) => isWanted(one, getRow(rows, one) ?? Buffer.alloc(0)));
    await sound.close();
    return key ?? expect.unreachable(`no such row of ${table}`);
  }

  const absent = Buffer.concat([Buffer.alloc(32, 0xcc), numberKey(1n)]);

  it("of superseded values: an entry without a value is found, alone and in place of another", async () => {
    const key = await firstKey("stale", (_, row) => row.length >= STALE_BYTES);
    const added = await damage("whole", ({ stale }) =>
      putRow(stale, key, Buffer.concat([getRow(stale, key) ?? Buffer.alloc(0), absent])),
    );
    expect(await findingsOf(added)).toMatch(DIFFERENT_NUMBER);
    const exchanged = await damage("whole", ({ stale }) => {
      const row = getRow(stale, key) ?? Buffer.alloc(0);
      putRow(stale, key, Buffer.concat([absent, row.subarray(STALE_BYTES)]));
    });
    expect(await findingsOf(exchanged)).toMatch(/^list of superseded values: expected \d+, found others$/);
  });

  /** Rows by kind: of hashes, of sequence numbers. */
  it.each([4, 5])(
    "of transactions: a row of kind %i that no record has is named, alone and in place of another",
    async (kind) => {
      const key = await firstKey("index", (one) => one[0] === kind);
      const version = key.readBigUInt64BE(kind === 5 ? 33 + 8 : 33);
      const changed = flipped(key, 7);
      const nameOf = (row: Buffer): string =>
        `index row ${row.toString("hex", 0, 33)} ${row.toString("hex", 33)}`;
      const added = await damage("whole", (tables) =>
        putRow(tableOf(tables, "index"), changed, Buffer.alloc(0)),
      );
      expect(await findingsOf(added)).toBe(`${nameOf(changed)}: record ${version} has no such row`);
      const exchanged = await damage("whole", (tables) => {
        tableOf(tables, "index").removeSync(key);
        putRow(tableOf(tables, "index"), changed, Buffer.alloc(0));
      });
      expect((await findingsOf(exchanged)).split("\n")).toEqual([
        `${nameOf(key)}: is missing, but record ${version} has it`,
        `${nameOf(changed)}: record ${version} has no such row`,
      ]);
      const filled = await damage("whole", (tables) =>
        putRow(tableOf(tables, "index"), key, Buffer.alloc(1)),
      );
      expect((await findingsOf(filled)).split("\n")).toEqual([
        `${nameOf(key)}: is missing, but record ${version} has it`,
        `${nameOf(key)}: record ${version} has no such row`,
      ]);
    },
  );
});

// A store whose items are deleted and written again, with nothing pruned.
describe("what the pruner works by", () => {
  const history = new RandomHistory(8).grow(90);
  const floor = (history.blockEnds.find((end) => end > 60n) ?? 0n) + 1n;

  beforeAll(async () => {
    const store = await openLmdbStore({ path: join(folder, "deleting") });
    await new Committer({ store, logger: silentLogger }).append(history.records);
    await store.close();
    expect((await checkData(join(folder, "deleting"))).findings).toEqual([]);
  });

  /** The rows of a table of the sound store. */
  async function rowsOf(table: Covered): Promise<{ key: Buffer; value: Buffer }[]> {
    const sound = await openEnvironment({ path: join(folder, "deleting"), readOnly: true });
    const rows = [...tableOf(sound.tables, table).getKeys({})].map((key) => {
      const own = Buffer.from(key);
      return { key: own, value: Buffer.from(getRow(tableOf(sound.tables, table), own) ?? []) };
    });
    await sound.close();
    return rows;
  }

  /** Values that were superseded at or after the floor: readers see them there. */
  async function visible(): Promise<Buffer[]> {
    const rows = (await rowsOf("stale")).filter(({ key }) => key.readBigUInt64BE() > floor);
    const entries = rows.flatMap(({ value }) =>
      Array.from({ length: value.length / STALE_BYTES }, (_, i) =>
        value.subarray(i * STALE_BYTES, (i + 1) * STALE_BYTES),
      ),
    );
    const before = entries.filter((entry) => entry.readBigUInt64BE(32) < floor - 10n);
    expect(before.length).toBeGreaterThan(2);
    return before;
  }

  it("names a visible value: the check says so, and the pruner removes nothing", async () => {
    for (const entry of (await visible()).slice(0, 5)) {
      const version = entry.readBigUInt64BE(32);
      const [keyHash, name] = [
        entry.subarray(0, 32),
        `item ${entry.toString("hex", 0, 32)} as of version ${version}`,
      ];
      for (const since of [version, version + 1n, floor - 2n]) {
        const path = await damage("deleting", ({ stale }) => {
          const row = getRow(stale, numberKey(since)) ?? Buffer.alloc(0);
          putRow(stale, numberKey(since), Buffer.concat([row, entry]));
        });
        expect(await findingsOf(path)).toMatch(DIFFERENT_NUMBER);
        const store = await openLmdbStore({ path });
        await expect(pruneTo(store, floor)).rejects.toMatchObject({
          code: "corrupt",
          message: expect.stringContaining(`${name} is listed as superseded at version ${since}`),
        });
        const view = await store.openView();
        const [item] = await view.getItems([keyHash], floor);
        expect(item?.version).toBe(version);
        view.release();
        await store.close();
      }
    }
  });

  it("has an entry twice, or for a deletion that was none", async () => {
    const [row] = (await rowsOf("stale")).filter(({ value }) => value.length > 0);
    const { key, value } = row ?? expect.unreachable();
    const twice = await damage("deleting", ({ stale }) =>
      putRow(stale, key, Buffer.concat([value, value.subarray(0, STALE_BYTES)])),
    );
    expect(await findingsOf(twice)).toMatch(DIFFERENT_NUMBER);
  });

  it("lacks a deletion of the index, or has one too many", async () => {
    const lists = (await rowsOf("index")).filter(({ key }) => key[0] === 0xff);
    expect(lists.length).toBeGreaterThan(3);
    const [first, second] = lists as [(typeof lists)[0], (typeof lists)[0]];
    const missing = await damage("deleting", (tables) => tableOf(tables, "index").removeSync(first.key));
    const isFound = /^list of deleted rows of the index: expected \d+, found \d+$/;
    expect(await findingsOf(missing)).toMatch(isFound);
    // Of an item that is there at that version, and of one that never was in the place of its hash.
    const other = second.value.subarray(0, 97);
    const absent = Buffer.concat([other.subarray(0, 65), Buffer.alloc(32, 0xcc)]);
    for (const entry of [other, absent]) {
      const added = await damage("deleting", (tables) =>
        putRow(tableOf(tables, "index"), first.key, Buffer.concat([first.value, entry])),
      );
      expect(await findingsOf(added)).toMatch(isFound);
    }
  });
});

describe("the name and the reach", () => {
  it("of another chain or another genesis are found", async () => {
    const identity = (change: (row: Buffer) => void) => (tables: Tables) => {
      const row = Buffer.from(getRow(tables.meta, META.identity) ?? []);
      change(row);
      putRow(tables.meta, META.identity, row);
    };
    const other = await damage(
      "whole",
      identity((row) => row.fill(0xcc, 1)),
    );
    expect(await findingsOf(other)).toMatch(/^the store is named by the genesis (cc){32}, its own is \w+$/);
    // Also where the position says the same.
    for (const name of ["whole", "pruned"]) {
      const path = await damage(name, (tables) => {
        identity((row) => row.writeUInt8(77, 0))(tables);
        const position = decodePosition(getRow(tables.meta, META.position) ?? Buffer.alloc(0));
        putRow(tables.meta, META.position, encodePosition({ ...position, chainId: 77 }));
      });
      expect(await findingsOf(path)).toContain("the state belongs to chain 4, the store to chain 77");
    }
  });

  it.each(["items", "transactions"] as const)("of the index of %s above the head is found", async (index) => {
    const path = await damage("whole", (tables) => {
      const { key, value } = INDEX_REACH[index].row(1_000_000n);
      putRow(tables.side, Buffer.from(key), value ?? Buffer.alloc(0));
    });
    expect(await findingsOf(path)).toBe(`the index of ${index} reaches to version 1000000, above the head`);
  });
});

describe("a side row", () => {
  it.each([
    ["of no known kind", "side row ff01: of no known kind", Buffer.of(0xff, 1)],
    ["that does not decode", "side row 06 does not decode: ", Buffer.of(6)],
  ])("%s is found", async (_, finding, key) => {
    const path = await damage("whole", (tables) => putRow(tables.side, key, Buffer.from("damaged")));
    expect(await findingsOf(path)).toContain(finding);
  });
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
