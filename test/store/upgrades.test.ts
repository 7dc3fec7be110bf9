// Data formats by number: newer ones are refused, older ones upgraded step by step or refused.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { FORMAT, META } from "../../src/store/lmdb/tables.ts";
import { type Upgrade, upgradeTables } from "../../src/store/lmdb/upgrades.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";

let path = "";

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "sextant-upgrade-"));
  const store = await openLmdbStore({ path });
  await store.commit(new SyntheticLedger(4, 12).batch(undefined, 9n), SYNTHETIC_IDENTITY);
  await store.close();
});

afterEach(() => rm(path, { recursive: true }));

function formatRow(format: number): Buffer {
  const row = Buffer.alloc(4);
  row.writeUInt32BE(format);
  return row;
}

/** Opens the files for writing, runs an action in one write, and closes them. */
async function inOneWrite(action: (environment: Awaited<ReturnType<typeof openEnvironment>>) => void) {
  const environment = await openEnvironment({ path, readOnly: false });
  try {
    environment.root.transactionSync(() => action(environment));
  } finally {
    await environment.close();
  }
}

async function readMeta(key: string): Promise<string | undefined> {
  const environment = await openEnvironment({ path, readOnly: false });
  const row = environment.tables.meta.get(Buffer.from(key));
  await environment.close();
  return row?.toString("hex");
}

describe("data format", () => {
  it("is upgraded one step at a time, in one write", async () => {
    await inOneWrite(({ tables }) => tables.meta.putSync(META.format, formatRow(FORMAT - 1)));
    const steps: number[] = [];
    const step =
      (from: number): Upgrade =>
      (_, tables) => {
        steps.push(from);
        tables.meta.putSync(Buffer.from(`step ${from}`), formatRow(from));
      };
    const upgrades = new Map([FORMAT - 1, FORMAT, FORMAT + 1].map((from) => [from, step(from)] as const));
    await inOneWrite(({ root, tables, format }) => {
      upgradeTables(root, tables, format, upgrades, FORMAT + 2);
      expect(tables.meta.get(META.format)).toEqual(formatRow(FORMAT + 2));
      tables.meta.putSync(META.format, formatRow(FORMAT));
    });
    expect(steps).toEqual([FORMAT - 1, FORMAT, FORMAT + 1]);
    expect(await readMeta(`step ${FORMAT + 1}`)).toBe(formatRow(FORMAT + 1).toString("hex"));
  });

  it("keeps nothing of an upgrade that fails half-way", async () => {
    await inOneWrite(({ tables }) => tables.meta.putSync(META.format, formatRow(FORMAT - 1)));
    const upgrades = new Map<number, Upgrade>([
      [FORMAT - 1, (_, tables) => tables.meta.putSync(Buffer.from("half"), formatRow(1))],
    ]);
    const upgrade = inOneWrite(({ root, tables, format }) => {
      upgradeTables(root, tables, format, upgrades, FORMAT + 1);
    });
    await expect(upgrade).rejects.toThrow(`format ${FORMAT}, which this version cannot upgrade`);
    expect(await readMeta("half")).toBeUndefined();
    expect(await readMeta("format")).toBe(formatRow(FORMAT - 1).toString("hex"));
  });

  it("refuses an older one that no step leads from, and tells a reader how to upgrade it", async () => {
    await inOneWrite(({ tables }) => tables.meta.putSync(META.format, formatRow(FORMAT - 1)));
    await expect(openLmdbStore({ path })).rejects.toMatchObject({ code: "format" });
    await expect(openLmdbStore({ path, readOnly: true })).rejects.toMatchObject({
      code: "format",
      message: expect.stringMatching("start a node on it once"),
    });
    await inOneWrite(({ tables }) => tables.meta.putSync(META.format, formatRow(FORMAT)));
    await (await openLmdbStore({ path })).close();
  });
});
