// Data formats by number: newer ones are refused, format 1 is upgraded in bounded writes, others are refused.
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import type { StoreIdentity } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import { type Environment, openEnvironment } from "../../src/store/lmdb/environment.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { FORMAT, META } from "../../src/store/lmdb/tables.ts";
import { beginUpgrade, finishUpgrade } from "../../src/store/lmdb/upgrades.ts";
import { checkView } from "../support/check-store.ts";
import { toFormatOne } from "../support/format-one.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";

const HEAD = 60n;
const ledger = new SyntheticLedger(4, 12);
const SIDE_KEY = Buffer.from("side");
let folder = "";
let path = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sextant-upgrade-"));
  path = join(folder, "data");
  const store = await openLmdbStore({ path });
  const batch = ledger.batch(undefined, HEAD);
  await store.commit(
    { ...batch, sideRows: [{ key: SIDE_KEY, value: Buffer.from("row") }] },
    SYNTHETIC_IDENTITY,
  );
  await store.close();
  await toFormatOne(path);
});

afterEach(() => rm(folder, { recursive: true }));

function formatRow(format: number): Buffer {
  const row = Buffer.alloc(4);
  row.writeUInt32BE(format);
  return row;
}

/** Opens the files for writing, runs an action, and closes them. */
async function withFiles<T>(action: (environment: Environment) => T): Promise<Awaited<T>> {
  const environment = await openEnvironment({ path, readOnly: false });
  try {
    return await action(environment);
  } finally {
    await environment.close();
  }
}

/** Every row of every table, as text. */
function dump({ tables }: Environment): string {
  const rows = Object.entries(tables).flatMap(([name, table]) =>
    [...table.getRange({})].map(
      ({ key, value }) => `${name} ${Buffer.from(key).toString("hex")} ${value.toString("hex")}`,
    ),
  );
  return rows.join("\n");
}

/** Upgrades in writes of `writeRows` rows, and stops before write number `writes`. Returns whether it came to the end. */
async function upgrade(writeRows: number, writes: number): Promise<boolean> {
  return withFiles(async (environment) => {
    environment.transact(() => beginUpgrade(environment.tables, environment.format));
    let count = 0;
    const assertWriter = (): void => {
      if (count++ === writes) throw new Error("stopped by the test");
    };
    try {
      await finishUpgrade(environment, { logger: silentLogger, assertWriter, writeRows });
      return true;
    } catch (error) {
      if (error instanceof Error && error.message === "stopped by the test") return false;
      throw error;
    }
  });
}

/** A start sees the chain of the store before it changes anything. */
async function expectKnownChain(): Promise<void> {
  const before = await readFile(join(path, "data.mdb"));
  const seen: StoreIdentity[] = [];
  const checkIdentity = (identity: StoreIdentity): void => {
    seen.push(identity);
    throw new StoreError("identity", "refused by the test");
  };
  await expect(openLmdbStore({ path, checkIdentity })).rejects.toThrow("refused by the test");
  await expect(openLmdbStore({ path, readOnly: true, checkIdentity })).rejects.toThrow("refused by the test");
  expect(seen).toEqual([SYNTHETIC_IDENTITY, SYNTHETIC_IDENTITY]);
  expect((await readFile(join(path, "data.mdb"))).equals(before)).toBe(true);
}

async function checkWhole(): Promise<void> {
  const store = await openLmdbStore({ path });
  expect(store.identity).toEqual(SYNTHETIC_IDENTITY);
  const view = await store.openView();
  await checkView(view, ledger, HEAD);
  view.release();
  expect(await store.getSideRows([SIDE_KEY])).toEqual([Buffer.from("row")]);
  await store.commit(ledger.batch(HEAD, HEAD + 5n));
  const [next, later] = [await store.openView(), ledger];
  await checkView(next, later, HEAD + 5n);
  next.release();
  await store.close();
}

describe("a store of format 1", () => {
  it("is upgraded by its first writer, with a log line that counts rows", async () => {
    const lines: { readonly fields: object; readonly text: string }[] = [];
    const logger = { ...silentLogger, info: (fields: object, text: string) => lines.push({ fields, text }) };
    const dumped = (await withFiles(dump)).split("\n");
    // Rows of `index` have had checksums from the first.
    const rows = dumped.filter((row) => !row.startsWith("index ")).length;
    const store = await openLmdbStore({ path, logger });
    await store.close();
    // The rows of `meta` are not counted: format, identity, position.
    expect(lines).toContainEqual({
      text: "data format upgraded",
      fields: expect.objectContaining({ to: FORMAT, rows: rows - 3, total_rows: rows - 3 }),
    });
    await checkWhole();
  });

  it("is the same after an upgrade that stopped before any of its writes", async () => {
    const old = `${path}-old`;
    const made: string[] = [];
    await cp(path, old, { recursive: true });
    for (let writes = 0, isDone = false; !isDone; writes += 3) {
      await rm(path, { recursive: true });
      await cp(old, path, { recursive: true });
      isDone = await upgrade(7, writes);
      if (!isDone) {
        await expect(openLmdbStore({ path, readOnly: true })).rejects.toMatchObject({
          code: "format",
          message: expect.stringMatching("is being upgraded to format 2: wait for the node that does it"),
        });
        await expectKnownChain();
        // Stops once more on the way.
        await upgrade(5, 2);
        expect(await upgrade(1000, 1000)).toBe(true);
      }
      made.push(await withFiles(dump));
    }
    await rm(old, { recursive: true });
    expect(made.length).toBeGreaterThan(10);
    expect(new Set(made).size).toBe(1);
    await checkWhole();
  });

  it("is not opened for reading, and its chain is known all the same", async () => {
    await expect(openLmdbStore({ path, readOnly: true })).rejects.toMatchObject({
      code: "format",
      message: expect.stringMatching("has format 1, older than 2: start a node on it once"),
    });
    await expectKnownChain();
  });
});

describe("the backup before an upgrade", () => {
  const backup = (number = 1): string => join(path, `format-1${number === 1 ? "" : `-${number}`}`);

  /** Every row of the store in a directory, of any format. */
  async function dumpOf(directory: string): Promise<string> {
    const environment = await openEnvironment({ path: directory, readOnly: true, anyFormat: true });
    try {
      return dump(environment);
    } finally {
      await environment.close();
    }
  }

  it("is a data directory with the rows of the old store, for its owner only, and progress is told", async () => {
    const before = await dumpOf(path);
    const steps: { readonly step: string; readonly done: number; readonly total: number }[] = [];
    const store = await openLmdbStore({
      path,
      onUpgrade: (step, done, total) => steps.push({ step, done, total }),
    });
    await store.close();
    expect(await dumpOf(backup())).toBe(before);
    expect((await stat(backup())).mode & 0o777).toBe(0o700);
    expect((await stat(join(backup(), "data.mdb"))).mode & 0o777).toBe(0o600);
    for (const step of ["backup", "upgrade"]) {
      const last = steps.filter((told) => told.step === step).at(-1);
      expect(last?.total).toBeGreaterThan(0);
      expect(last?.done).toBe(last?.total);
    }
    // A later start finds nothing to do.
    await (await openLmdbStore({ path })).close();
    expect((await readdir(path)).sort()).toEqual(["data.mdb", "format-1", "lock.mdb"]);
    // The way back: the copy is the store.
    await rename(backup(), `${path}-back`);
    await rm(path, { recursive: true });
    await rename(`${path}-back`, path);
    await checkWhole();
  });

  it("is left out where the options say so", async () => {
    await (await openLmdbStore({ path, upgradeBackup: false })).close();
    expect(await readdir(path)).not.toContain("format-1");
    await checkWhole();
  });

  it("is kept by a second attempt on the same ledger, and never overwritten by another's", async () => {
    const old = `${path}-old`;
    await cp(path, old, { recursive: true });
    await (await openLmdbStore({ path })).close();
    const made = (await stat(join(backup(), "data.mdb"))).mtimeMs;
    // As after a kill between the copy and the first write of the upgrade.
    await cp(join(old, "data.mdb"), join(path, "data.mdb"));
    await (await openLmdbStore({ path })).close();
    expect((await stat(join(backup(), "data.mdb"))).mtimeMs).toBe(made);
    expect(await readdir(path)).not.toContain("format-1-2");
    // As after the older program wrote on.
    await rm(join(path, "data.mdb"));
    const longer = await openLmdbStore({ path });
    await longer.commit(ledger.batch(undefined, HEAD + 1n), SYNTHETIC_IDENTITY);
    await longer.close();
    await toFormatOne(path);
    await (await openLmdbStore({ path })).close();
    expect((await stat(join(backup(), "data.mdb"))).mtimeMs).toBe(made);
    expect(await readdir(backup(2))).toContain("data.mdb");
  });

  it("that was cut off is made again", async () => {
    await mkdir(`${backup()}.partial`);
    await writeFile(join(`${backup()}.partial`, "data.mdb"), "half");
    const before = await dumpOf(path);
    await (await openLmdbStore({ path })).close();
    expect((await readdir(path)).sort()).toEqual(["data.mdb", "format-1", "lock.mdb"]);
    expect(await dumpOf(backup())).toBe(before);
  });

  it("that the disk cannot take is refused, and the store stays as it is", async () => {
    const before = await dumpOf(path);
    // A sparse file: no disk takes a copy of it.
    await truncate(join(path, "data.mdb"), 2 ** 43);
    await expect(openLmdbStore({ path })).rejects.toMatchObject({
      code: "full",
      message: expect.stringMatching(
        /no space for a backup of it: .*needed.* start with --no-upgrade-backup/,
      ),
    });
    expect(await dumpOf(path)).toBe(before);
    expect(await readdir(path)).not.toContain("format-1");
    await (await openLmdbStore({ path, upgradeBackup: false })).close();
    await checkWhole();
  });
});

describe("the format row", () => {
  it("of a format that no upgrade leads from is refused", async () => {
    await withFiles(({ tables }) => tables.meta.putSync(META.format, formatRow(0)));
    await expect(openLmdbStore({ path })).rejects.toMatchObject({
      code: "format",
      message: expect.stringMatching("format 0, which this version cannot upgrade"),
    });
  });

  it("that contradicts the others is refused: a second upgrade would spoil every row", async () => {
    await (await openLmdbStore({ path })).close();
    await withFiles(({ tables }) => tables.meta.putSync(META.format, formatRow(1)));
    for (const readOnly of [false, true]) {
      await expect(openLmdbStore({ path, readOnly })).rejects.toMatchObject({
        code: "corrupt",
        message: expect.stringMatching("format rows contradict each other"),
      });
    }
  });

  it("that is missing from a store with a ledger is refused", async () => {
    await (await openLmdbStore({ path })).close();
    await withFiles(({ tables }) => tables.meta.removeSync(META.format));
    await expect(openLmdbStore({ path })).rejects.toMatchObject({ code: "format" });
  });
});
