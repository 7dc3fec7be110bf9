import { existsSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../../test/support/synthetic-ledger.ts";
import { restoreData } from "../../node/tools/store-tools.ts";
import { openDraft } from "./backup.ts";
import { assertDiskSpace, assertLocalDisk, makeDirectory } from "./files.ts";
import { openLmdbStore } from "./store.ts";
import { FORMAT } from "./tables.ts";

let path = "";

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), "sextant-room-"));
});

afterAll(() => rm(path, { recursive: true }));

describe("disk space for a write", () => {
  it("suffices for small writes and not for more than any disk has", () => {
    expect(() => assertDiskSpace(path, 10, 1000)).not.toThrow();
    for (const [rows, bytes] of [
      [Number.MAX_SAFE_INTEGER, 0],
      [0, Number.MAX_SAFE_INTEGER],
    ]) {
      expect(() => assertDiskSpace(path, rows, bytes)).toThrow(expect.objectContaining({ code: "full" }));
    }
  });

  it("is checked before anything is written", async () => {
    const store = await openLmdbStore({ path });
    const ledger = new SyntheticLedger(4, 12);
    await store.commit(ledger.batch(undefined, 5n), SYNTHETIC_IDENTITY);
    await expect(store.prune(0n, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({ code: "full" });
    const view = await store.openView();
    expect(view.position.version).toBe(5n);
    view.release();
    await store.close();
  });
});

describe.skipIf(process.platform !== "linux")("a directory of a writer", () => {
  it("may lie on a local disk, also one that is not made yet", () => {
    expect(() => assertLocalDisk(path)).not.toThrow();
    expect(() => assertLocalDisk(join(path, "not", "yet"))).not.toThrow();
    expect(() => assertLocalDisk("/dev/shm")).not.toThrow();
  });

  it("is refused on a file system of an unknown type, untouched and with what to do", async () => {
    const refusal = {
      code: "unwritable",
      message: expect.stringMatching(/unknown type \(0x9fa0\).*local disk.*--upstream.*Cassandra/),
    };
    await expect(openLmdbStore({ path: "/proc/sextant" })).rejects.toMatchObject(refusal);
    const from = join(path, "backup");
    makeDirectory(from);
    writeFileSync(join(from, "backup.json"), JSON.stringify({ format: FORMAT }));
    await expect(restoreData(from, "/proc/sextant")).rejects.toMatchObject(refusal);
    // A backup may be written there, where the file system allows it.
    await expect(openDraft("/proc/sextant")).rejects.not.toMatchObject(refusal);
  });
});

describe("a directory of a store", () => {
  it("is made with its parents, for its own user alone, and may be there", () => {
    const made = join(path, "a", "b", "c");
    makeDirectory(made);
    makeDirectory(made);
    expect(statSync(join(path, "a")).mode & 0o777).toBe(0o700);
    expect(statSync(made).mode & 0o777).toBe(0o700);
  });

  it("where a file is, is refused", () => {
    writeFileSync(join(path, "file"), "");
    expect(() => makeDirectory(join(path, "file"))).toThrow("EEXIST");
    expect(() => makeDirectory(join(path, "file", "below"))).toThrow("ENOTDIR");
  });

  it.skipIf(!existsSync("/proc/self"))("where a file system has no place for it, is refused at once", () => {
    expect(() => makeDirectory("/proc/sextant/data")).toThrow("ENOENT");
  });
});
