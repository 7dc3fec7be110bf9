// Errors of a store on disk that cannot be used, without loss of data.
import { chmod, cp, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lookAtData } from "../../src/node/tools/doctor.ts";
import type { Store } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import { fileMark } from "../../src/store/lmdb/files.ts";
import { encodeMark, ownMark } from "../../src/store/lmdb/lease.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { FORMAT } from "../../src/store/lmdb/tables.ts";
import { checkView } from "../support/check-store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";
import { pruneTo } from "./contract.ts";

let path = "";

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "sextant-faults-"));
});

afterEach(async () => {
  await chmod(path, 0o700);
  await rm(path, { recursive: true });
});

async function failure(opening: Promise<Store>): Promise<StoreError> {
  const error: unknown = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw new Error("expected a StoreError", { cause: error });
  return error;
}

/** Commits up to a version and closes. */
async function fill(head: bigint): Promise<SyntheticLedger> {
  const ledger = new SyntheticLedger(4, 12);
  const store = await openLmdbStore({ path });
  await store.commit(ledger.batch(undefined, head), SYNTHETIC_IDENTITY);
  await store.close();
  return ledger;
}

async function checkWhole(ledger: SyntheticLedger): Promise<bigint> {
  const store = await openLmdbStore({ path });
  const view = await store.openView();
  const { version } = view.position;
  await checkView(view, ledger, version);
  view.release();
  await store.close();
  return version;
}

/** Changes a row of the meta table from outside. */
async function putMeta(key: string, value: Uint8Array): Promise<void> {
  const root = open({
    path,
    noSubdir: false,
    encoding: "binary",
    keyEncoding: "binary",
    overlappingSync: false,
  });
  const meta = root.openDB<Uint8Array, Uint8Array>({
    name: "meta",
    encoding: "binary",
    keyEncoding: "binary",
  });
  meta.putSync(Buffer.from(key), value);
  await root.close();
}

describe("a plain copy of a directory", () => {
  it("opens while this process writes the original, and names no writer", async () => {
    const ledger = await fill(40n);
    const [copy, twin] = [`${path}/copy`, `${path}/twin`];
    const original = join(path, "data");
    await mkdir(original);
    for (const name of ["data.mdb", "lock.mdb"]) await rename(join(path, name), join(original, name));
    const writer = await openLmdbStore({ path: original });
    await writer.commit(ledger.batch(40n, 50n));
    await cp(original, copy, { recursive: true });
    const other = await openLmdbStore({ path: copy });
    await other.commit(ledger.batch(50n, 60n));
    await writer.commit(ledger.batch(50n, 55n));
    await cp(original, twin, { recursive: true });
    expect((await lookAtData(twin)).writer).toBeUndefined();
    await writer.close();
    await other.close();
  });
});

describe("a store on disk", () => {
  it("keeps everything over a close", async () => {
    const ledger = await fill(80n);
    expect(await checkWhole(ledger)).toBe(80n);
    const store = await openLmdbStore({ path });
    expect(store.identity).toEqual(SYNTHETIC_IDENTITY);
    const other = { ...SYNTHETIC_IDENTITY, genesisHash: new Uint8Array(32) };
    await expect(store.commit(ledger.batch(80n, 90n), other)).rejects.toEqual(
      expect.objectContaining({ code: "identity" }),
    );
    await store.close();
    expect(await checkWhole(ledger)).toBe(80n);
  });

  it("refuses a newer format and does not change it", async () => {
    const ledger = await fill(20n);
    await putMeta("format", Buffer.from([0, 0, 0, FORMAT + 1]));
    for (const readOnly of [false, true]) {
      const error = await failure(openLmdbStore({ path, readOnly }));
      expect(error.code).toBe("format");
      expect(error.message).toMatch(`has format ${FORMAT + 1}, this version reads ${FORMAT}`);
    }
    await putMeta("format", Buffer.from([0, 0, 0, FORMAT]));
    expect(await checkWhole(ledger)).toBe(20n);
  });

  it("refuses a database that is not a store, and a file that is not a database", async () => {
    const foreign = open({ path, noSubdir: false, overlappingSync: false });
    foreign.putSync("someone", "else");
    await foreign.close();
    const error = await failure(openLmdbStore({ path }));
    expect(error).toMatchObject({ code: "format", message: expect.stringMatching("not a store") });

    for (const size of [1, 100, 20_000]) {
      await writeFile(join(path, "data.mdb"), Buffer.alloc(size, 7));
      expect((await failure(openLmdbStore({ path }))).code).toBe("corrupt");
    }
  });

  it("treats a store whose creation is unfinished or was aborted as absent", async () => {
    await writeFile(join(path, "data.mdb"), "");
    expect((await failure(openLmdbStore({ path, readOnly: true }))).code).toBe("absent");
    const begun = open({ path, noSubdir: false, overlappingSync: false });
    begun.openDB({ name: "items", encoding: "binary", keyEncoding: "binary" });
    begun.openDB({ name: "meta", encoding: "binary", keyEncoding: "binary" });
    await begun.close();
    expect((await failure(openLmdbStore({ path, readOnly: true }))).code).toBe("absent");
    const store = await openLmdbStore({ path });
    await expect(async () => store.openView()).rejects.toMatchObject({ code: "no_ledger" });
    await store.close();
  });

  it("reports `absent` to a reader of an empty directory", async () => {
    const error = await failure(openLmdbStore({ path: join(path, "nothing"), readOnly: true }));
    expect(error).toMatchObject({ code: "absent", message: expect.stringMatching("there is no store") });
    await expect(stat(join(path, "nothing"))).rejects.toThrow("ENOENT");
  });

  it("cannot be opened twice in one process", async () => {
    const store = await openLmdbStore({ path });
    expect((await failure(openLmdbStore({ path }))).code).toBe("locked");
    expect((await failure(openLmdbStore({ path, readOnly: true }))).code).toBe("locked");
    await store.close();
    await (await openLmdbStore({ path })).close();
  });

  it("takes over the lease of a process of another boot, or of a dead one", async () => {
    const ledger = await fill(20n);
    const file = fileMark(path);
    const living = ownMark("no slot", file);
    for (const holder of [
      { ...living, start: `another boot, ${living.start}` },
      { ...living, pid: process.ppid },
      { ...living, pid: 2 ** 22 + 1 },
    ]) {
      await putMeta("writer", encodeMark(holder));
      expect(await checkWhole(ledger)).toBe(20n);
    }
  });

  it("stops writing when another process has taken the lease", async () => {
    const ledger = new SyntheticLedger(4, 12);
    const store = await openLmdbStore({ path });
    await store.commit(ledger.batch(undefined, 5n), SYNTHETIC_IDENTITY);
    const meta = Buffer.from(JSON.stringify([1, "2", "3", "4"]));
    await putMeta("writer", meta);
    await expect(store.commit(ledger.batch(5n, 9n))).rejects.toEqual(
      expect.objectContaining({ code: "locked", message: expect.stringMatching("taken over by process 1") }),
    );
    await expect(store.prune(0n, 10)).rejects.toEqual(expect.objectContaining({ code: "locked" }));
    await store.close();
  });

  it("reports that a directory cannot be written", async () => {
    await writeFile(join(path, "file"), "");
    expect((await failure(openLmdbStore({ path: join(path, "file") }))).code).toBe("unwritable");
    expect((await failure(openLmdbStore({ path: join(path, "file", "inside") }))).code).toBe("unwritable");
  });

  it.skipIf(process.getuid?.() === 0)(
    "reports that a directory is read-only, and still reads it",
    async () => {
      const ledger = await fill(20n);
      await chmod(join(path, "data.mdb"), 0o400);
      await chmod(path, 0o500);
      expect((await failure(openLmdbStore({ path }))).code).toBe("unwritable");
      await chmod(path, 0o700);
      await chmod(join(path, "data.mdb"), 0o600);
      expect(await checkWhole(ledger)).toBe(20n);
    },
  );

  it("reuses freed space: the file stops growing once pruning keeps up", async () => {
    const ledger = new SyntheticLedger(4, 40);
    const store = await openLmdbStore({ path });
    const sizes: number[] = [];
    let head: bigint | undefined;
    for (let round = 1n; round <= 60n; round++) {
      const next = round * 40n;
      await store.commit(ledger.batch(head, next), head === undefined ? SYNTHETIC_IDENTITY : undefined);
      head = next;
      if (next > 200n) await pruneTo(store, ledger.blockAt(next - 200n, next).firstVersion);
      sizes.push((await stat(join(path, "data.mdb"))).size);
    }
    await store.close();
    const settled = sizes[14] ?? 0;
    expect(sizes.at(-1)).toBeLessThanOrEqual(settled * 1.25);
    expect(await checkWhole(ledger)).toBe(2400n);
  });
});
