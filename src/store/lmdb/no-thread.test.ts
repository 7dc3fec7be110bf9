// A machine that cannot run a thread, or ends it: the store writes by itself. One that ends it in a write must not.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { checkView } from "../../../test/support/check-store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../../../test/support/synthetic-ledger.ts";
import { until } from "../../../test/support/until.ts";
import { type Logger, silentLogger } from "../../base/log.ts";
import { startThread } from "../../base/thread.ts";
import { openLmdbStore } from "./store.ts";
import { THREAD_FAILED } from "./write-thread.ts";

vi.mock("../../base/thread.ts", async (original) => ({
  ...(await original<typeof import("../../base/thread.ts")>()),
  startThread: vi.fn(),
  hasSpareProcessor: () => true,
}));

let path = "";
const warnings: string[] = [];
const logger: Logger = { ...silentLogger, warn: (_, message) => void warnings.push(message) };

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "sextant-no-thread-"));
  warnings.length = 0;
  vi.mocked(startThread).mockClear();
});
afterEach(() => rm(path, { recursive: true }));

it.each([
  [
    "cannot be started",
    () => {
      throw new Error("ERR_WORKER_INIT_FAILED");
    },
  ],
  ["ends at once", () => new Worker("process.exit(1)", { eval: true })],
  ["throws at once", () => new Worker("throw new Error('no addon')", { eval: true })],
])("is not needed when it %s, is asked for once, and one line says so", async (_, start) => {
  vi.mocked(startThread).mockImplementation(start);
  const ledger = new SyntheticLedger(6, 12);
  const store = await openLmdbStore({ path, logger });
  await store.commit(ledger.batch(undefined, 3n), SYNTHETIC_IDENTITY, { isFollowed: true });
  await until(() => warnings.length > 0);
  for (let version = 3n; version < 8n; version++) {
    await store.commit(ledger.batch(version, version + 1n), SYNTHETIC_IDENTITY, { isFollowed: true });
  }
  const view = await store.openView();
  expect(view.position.version).toBe(8n);
  await checkView(view, ledger, 8n);
  view.release();
  await store.close();
  expect(startThread).toHaveBeenCalledTimes(1);
  expect(warnings).toEqual([THREAD_FAILED]);
});

it.each([
  ["dies", "process.exit(1)"],
  ["does not answer", ""],
])("that %s in a write lets nobody write again, and the store closes", async (_, action) => {
  const code = `
    const { parentPort } = require("node:worker_threads");
    parentPort.on("message", () => { ${action} });
    parentPort.postMessage("ready");
  `;
  vi.mocked(startThread).mockImplementation((_built, _source, options) => {
    return new Worker(code, { ...options, eval: true });
  });
  const ledger = new SyntheticLedger(6, 12);
  let isStarted = false;
  const debug: Logger["debug"] = () => {
    isStarted = true;
  };
  const store = await openLmdbStore({ path, logger: { ...logger, debug } });
  await store.commit(ledger.batch(undefined, 3n), SYNTHETIC_IDENTITY, { isFollowed: true });
  await until(() => isStarted);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const givenUp = { name: "StoreError", code: "given_up" };
  const committing = expect(
    store.commit(ledger.batch(3n, 4n), undefined, { isFollowed: true }),
  ).rejects.toMatchObject(givenUp);
  if (action === "") vi.advanceTimersByTime(600_000);
  await committing;
  vi.useRealTimers();
  await expect(store.commit(ledger.batch(3n, 4n), undefined, { isFollowed: true })).rejects.toMatchObject(
    givenUp,
  );
  await expect(store.commit(ledger.batch(3n, 4n))).rejects.toMatchObject(givenUp);
  await expect(store.putSideRows([])).rejects.toMatchObject(givenUp);
  const view = await store.openView();
  expect(view.position.version).toBe(3n);
  await checkView(view, ledger, 3n);
  view.release();
  await store.close();
  expect(warnings).toEqual([THREAD_FAILED]);
});

it("that ends slowly is waited for when the store closes, although a newer one has ended", async () => {
  const threads: Worker[] = [];
  vi.mocked(startThread).mockImplementation(() => {
    const slowMs = threads.length === 0 ? 1000 : 0;
    const code = `
      const { parentPort } = require("node:worker_threads");
      parentPort.on("message", () => setTimeout(() => parentPort.close(), ${slowMs}));
    `;
    threads.push(new Worker(code, { eval: true }));
    return threads.at(-1) as Worker;
  });
  const ledger = new SyntheticLedger(6, 12);
  const store = await openLmdbStore({ path, logger });
  await store.commit(ledger.batch(undefined, 3n), SYNTHETIC_IDENTITY, { isFollowed: true });
  await store.commit(ledger.batch(3n, 4n));
  await store.commit(ledger.batch(4n, 5n), undefined, { isFollowed: true });
  await store.close();
  expect(threads.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  expect(warnings).toEqual([]);
});
