import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkView } from "../../../test/support/check-store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../../test/support/synthetic-ledger.ts";
import { until } from "../../../test/support/until.ts";
import { type Logger, silentLogger } from "../../base/log.ts";
import type { Store } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { countDamagedReads } from "./sealed-rows.ts";
import { openLmdbStore } from "./store.ts";
import { THREAD_STARTED } from "./write-thread.ts";

const threads: Worker[] = [];
vi.mock("../../base/thread.ts", async (original) => {
  const actual = await original<typeof import("../../base/thread.ts")>();
  const startThread: typeof actual.startThread = (...args) => {
    const thread = actual.startThread(...args);
    threads.push(thread);
    return thread;
  };
  return { ...actual, startThread, hasSpareProcessor: () => true };
});

const FOLLOWED = { isFollowed: true };
let path = "";
let store: Store;
let ledger: SyntheticLedger;

/** A store at version 10 whose thread has started: the first batch that others follow starts it. */
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "sextant-thread-"));
  ledger = new SyntheticLedger(6, 12);
  let onStart: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    onStart = resolve;
  });
  const logger: Logger = {
    ...silentLogger,
    debug: (_, message) => (message === THREAD_STARTED ? onStart() : undefined),
  };
  store = await openLmdbStore({ path, logger });
  await store.commit(ledger.batch(undefined, 10n), SYNTHETIC_IDENTITY, FOLLOWED);
  await started;
});

afterEach(async () => {
  await store.close();
  await rm(path, { recursive: true });
});

async function headOf(of: Store): Promise<bigint> {
  const view = await of.openView();
  view.release();
  return view.position.version;
}

async function checkWhole(of: Store, head: bigint): Promise<void> {
  const view = await of.openView();
  expect(view.position.version).toBe(head);
  await checkView(view, ledger, head);
  view.release();
}

/** Writes a row without its checksum, as another process. */
async function changeMeta(name: string, value: string): Promise<void> {
  const root = open({ path, encoding: "binary", keyEncoding: "binary", overlappingSync: false, maxDbs: 16 });
  const meta = root.openDB<Buffer, Uint8Array>({ name: "meta", encoding: "binary", keyEncoding: "binary" });
  meta.putSync(Buffer.from(name), Buffer.from(value));
  await root.close();
}

async function reopen(): Promise<void> {
  await store.close();
  store = await openLmdbStore({ path });
}

describe("a thread that writes the store", () => {
  it("stores batches that others follow as the store does, and nobody sees one before", async () => {
    for (let head = 10n; head < 60n; head += 5n) {
      const committing = store.commit(ledger.batch(head, head + 5n), undefined, FOLLOWED);
      // Without a thread the batch would be stored by now.
      expect(await headOf(store)).toBe(head);
      await committing;
      await checkWhole(store, head + 5n);
    }
    await store.commit(ledger.batch(60n, 70n));
    await checkWhole(store, 70n);
    await reopen();
    await checkWhole(store, 70n);
  });

  it("makes every other write wait, and closing too", async () => {
    const key = Uint8Array.of(9);
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    await Promise.all([
      store.commit(ledger.batch(10n, 20n), undefined, FOLLOWED).then(note("in the thread")),
      store.putSideRows([{ key, value: Uint8Array.of(1) }]).then(note("side rows")),
      store.commit(ledger.batch(20n, 30n)).then(note("by the store")),
    ]);
    expect(order).toEqual(["in the thread", "side rows", "by the store"]);
    const last = store.commit(ledger.batch(30n, 40n), undefined, FOLLOWED);
    await store.close();
    await last;
    await reopen();
    await checkWhole(store, 40n);
    expect(await store.getSideRows([key])).toEqual([Buffer.of(1)]);
  });

  it("checks a batch like the store, and stores the next one after a refusal", async () => {
    await expect(store.commit(ledger.batch(12n, 20n), undefined, FOLLOWED)).rejects.toEqual(
      new StoreError("order", "batch follows version 12, head is 10"),
    );
    const other = { ...SYNTHETIC_IDENTITY, chainId: 8 };
    await expect(store.commit(ledger.batch(10n, 20n), other, FOLLOWED)).rejects.toMatchObject({
      name: "StoreError",
      code: "identity",
    });
    await checkWhole(store, 10n);
    await store.commit(ledger.batch(10n, 20n), undefined, FOLLOWED);
    await checkWhole(store, 20n);
  });

  it("ends with the first batch that none follows", async () => {
    threads.splice(0, threads.length - 1);
    await store.commit(ledger.batch(10n, 20n), undefined, FOLLOWED);
    await store.commit(ledger.batch(20n, 30n));
    await until(() => threads[0]?.threadId === -1);
    await checkWhole(store, 30n);
  });

  it("counts the damaged rows that it met as those of the process", async () => {
    await changeMeta("position", "not a position");
    const before = countDamagedReads();
    await expect(store.commit(ledger.batch(10n, 20n), undefined, FOLLOWED)).rejects.toMatchObject({
      name: "LedgerError",
      code: "damaged",
    });
    expect(countDamagedReads()).toBe(before + 1);
  });

  it("stores nothing once another process has taken the lease", async () => {
    await changeMeta("writer", "another");
    await expect(store.commit(ledger.batch(10n, 20n), undefined, FOLLOWED)).rejects.toMatchObject({
      code: "locked",
    });
    expect(await headOf(store)).toBe(10n);
  });
});
