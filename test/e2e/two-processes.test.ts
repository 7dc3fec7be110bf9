// One process commits and prunes while this one reads the same store: every read is correct or "pruned". And a node whose
// store another process took over ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LedgerError } from "../../src/ledger/errors.ts";
import type { Store, StoreView } from "../../src/store/contract.ts";
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { encodeMark, ownMark } from "../../src/store/lmdb/lease.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { META } from "../../src/store/lmdb/tables.ts";
import { checkView, expectedItem, plain } from "../support/check-store.ts";
import { endWithTest } from "../support/children.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { createRandom, SyntheticLedger } from "../support/synthetic-ledger.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";
import { until } from "../support/until.ts";

const SEED = 77;
const KEYS = 16;
const KEEP = 40;
const writer = fileURLToPath(new URL("../support/store-writer.ts", import.meta.url));
const holder = fileURLToPath(new URL("../support/store-holder.ts", import.meta.url));

describe("a reader while another process writes", () => {
  let path = "";
  let store: Store;
  let kill: () => Promise<void>;

  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), "sextant-two-"));
    const args = [...AS_BUILT, writer, path, `${SEED}`, `${KEYS}`, `${KEEP}`];
    const child = endWithTest(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
    const ended = once(child, "exit");
    kill = async () => {
      child.kill("SIGKILL");
      await ended;
    };
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      lines.on("line", (line) => {
        if (line.startsWith("commit")) resolve();
      });
      child.once("exit", () => reject(new Error("the writer ended early")));
    });
    store = await openLmdbStore({ path, readOnly: true });
  });

  afterAll(async () => {
    await kill();
    await store.close();
    await rm(path, { recursive: true });
  });

  it("gets the right value or the right refusal, whatever the version", async () => {
    const random = createRandom(SEED);
    const ledger = new SyntheticLedger(SEED, KEYS);
    const seen = { right: 0, pruned: 0, above: 0, heads: new Set<bigint>(), oldest: new Set<bigint>() };
    // However long that takes.
    await until(async () => {
      const view = await store.openView();
      seen.heads.add(view.position.version);
      seen.oldest.add(view.position.oldestVersion);
      for (let reads = 0; reads < 20; reads++) {
        const version = view.position.version + 5n - BigInt(random() % (KEEP * 2));
        const answer = await readAll(view, ledger, version < 0n ? 0n : version);
        seen[answer]++;
        // Gives the writer time between two reads of one view.
        if (reads % 5 === 0) await sleep(random() % 3);
      }
      view.release();
      return (
        seen.right > 400 &&
        seen.pruned > 100 &&
        seen.above > 20 &&
        seen.heads.size > 40 &&
        seen.oldest.size > 20
      );
    });
  });

  it("reads a consistent view while the writer continues", async () => {
    const ledger = new SyntheticLedger(SEED, KEYS);
    for (let round = 0; round < 10; round++) {
      const view = await store.openView();
      const { version } = view.position;
      await sleep(40);
      await checkView(view, ledger, version);
      view.release();
    }
    await until(async () => {
      const view = await store.openView();
      view.release();
      return view.position.version > 20n;
    });
  });

  it("cannot write, and a second writer is told who writes", async () => {
    const ledger = new SyntheticLedger(SEED, KEYS);
    await expect(store.commit(ledger.batch(0n, 1n))).rejects.toEqual(
      expect.objectContaining({ code: "unwritable" }),
    );
    await expect(store.prune(0n, 1)).rejects.toEqual(expect.objectContaining({ code: "unwritable" }));
    await expect(openLmdbStore({ path })).rejects.toEqual(expect.objectContaining({ code: "locked" }));
    await store.close();
    await expect(openLmdbStore({ path })).rejects.toEqual(
      expect.objectContaining({ code: "locked", message: expect.stringMatching(/^process \d+ writes/) }),
    );
  });
});

describe("a plain copy of a directory that another process writes", () => {
  it("opens for writing, while the original stays locked, also without its lock file", async () => {
    const original = join(temporaryFolder(), "data");
    const child = endWithTest(
      spawn(process.execPath, [...AS_BUILT, holder, original], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    await once(child.stdout, "data");
    const copy = `${original}-copy`;
    await cp(original, copy, { recursive: true });
    const store = await openLmdbStore({ path: copy });
    await store.writeSide({ sideRows: [{ key: Uint8Array.of(200), value: Uint8Array.of(1) }] });
    await store.close();
    const locked = { code: "locked", message: expect.stringContaining(`process ${child.pid} `) };
    await expect(openLmdbStore({ path: original })).rejects.toEqual(expect.objectContaining(locked));
    // Someone takes the lock file for a leftover.
    await rm(join(original, "lock.mdb"));
    await expect(openLmdbStore({ path: original })).rejects.toEqual(expect.objectContaining(locked));
    child.kill("SIGKILL");
    await once(child, "exit");
    await (await openLmdbStore({ path: original })).close();
  });
});

/** Reads all keys at a version and compares them; returns the kind of result. */
async function readAll(
  view: StoreView,
  ledger: SyntheticLedger,
  version: bigint,
): Promise<"right" | "pruned" | "above"> {
  const { oldestVersion, version: head } = view.position;
  try {
    const items = await view.getItems(ledger.keys, version);
    const expected = ledger.keys.map((_, key) => expectedItem(ledger, key, version, oldestVersion));
    expect(items.map(plain), `version ${version}`).toEqual(expected);
    return "right";
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    expect(error.code).toBe(version > head ? "version_not_found" : "version_pruned");
    expect(version > head || version < oldestVersion).toBe(true);
    return version > head ? "above" : "pruned";
  }
}

describe("a running node whose data directory another process took over", () => {
  it.each([
    ["a node", []],
    ["a node with a worker", ["--workers", "1"]],
  ])("ends with 75 and one line, and leaves the lease to the other process: %s", async (_, more) => {
    const data = temporaryFolder();
    const quick = ["--block-time", "20ms", "--prune-window", "off", "--log-level", "error"];
    const node = await startProgram(["--data", data, ...quick, ...more]);
    // As a process does that takes the writer for dead.
    const environment = await openEnvironment({ path: data, readOnly: false });
    const mark = encodeMark(ownMark(environment.slot.name));
    environment.transact(() => environment.tables.meta.putSync(META.writer, mark));
    const head = (): Buffer => Buffer.from(environment.tables.meta.get(META.position) ?? "");
    const taken = head();

    const { code, stderr } = await node.finished;
    expect(code, stderr).toBe(75);
    expect(stderr.split("\n").filter((line) => line.startsWith("sextant: "))).toEqual([
      expect.stringMatching(new RegExp(`^sextant: .* was taken over by process ${process.pid}$`)),
    ]);
    expect(head()).toEqual(taken);
    expect(Buffer.from(environment.tables.meta.get(META.writer) ?? "")).toEqual(mark);
    // This process lives, and no start takes its place.
    const refused = await runProgram(["start", "--port", "0", "--data", data, ...quick]);
    expect(refused).toMatchObject({ code: 75, stdout: "" });
    expect(refused.stderr).toContain(`process ${process.pid} `);
    environment.transact(() => environment.tables.meta.removeSync(META.writer));
    await environment.close();
    expect(await runProgram(["check", "--data", data])).toMatchObject({ code: 0 });
  });
});
