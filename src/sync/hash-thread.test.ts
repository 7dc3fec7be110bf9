// A follower far from the head hashes pages in a thread and stores several in one write. Nothing else may differ.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bent, flipped, readRecords, recordChain, recorded } from "../../test/support/follow.ts";
import { until } from "../../test/support/until.ts";
import { type Logger, silentLogger } from "../base/log.ts";
import { startThread } from "../base/thread.ts";
import type { Store } from "../store/contract.ts";
import { openLmdbStore } from "../store/lmdb/store.ts";
import { Committer } from "./committer.ts";
import { Follower, type FollowerOptions } from "./follower.ts";
import type { Upstream } from "./upstream/upstream.ts";

const threads: { readonly worker: Worker; readonly file: string }[] = [];
const actual = await vi.importActual<typeof import("../base/thread.ts")>("../base/thread.ts");
vi.mock("../base/thread.ts", async (original) => ({
  ...(await original<typeof import("../base/thread.ts")>()),
  startThread: vi.fn(),
  hasSpareProcessor: () => true,
}));

const chain = await recordChain(60);
const PAGE = 10;
let path = "";
let store: Store;
const warnings: string[] = [];
const logger: Logger = { ...silentLogger, warn: (_, message) => void warnings.push(message) };

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "sextant-hash-thread-"));
  store = await openLmdbStore({ path, logger });
  threads.length = 0;
  warnings.length = 0;
  vi.mocked(startThread).mockImplementation((built, source, options) => {
    const worker = actual.startThread(built, source, options);
    threads.push({ worker, file: source.pathname.split("/").at(-1) ?? "" });
    return worker;
  });
});
afterEach(async () => {
  await store.close();
  await rm(path, { recursive: true });
});

/** Claims a far head for the first pages, and holds back the later ones until the thread that hashes has started. */
function farUpstream(records: readonly Uint8Array[], hasStarted: () => boolean): Upstream {
  return bent(recorded(records), async (page, start) => {
    if (start < 20n) return { ...page, head: { ...page.head, version: 1_000_000n } };
    await until(hasStarted);
    const isFar = Number(start) + 60 < records.length;
    return isFar ? { ...page, head: { ...page.head, version: 1_000_000n } } : page;
  });
}

function follow(upstream: Upstream, options: Partial<FollowerOptions> = {}): Follower {
  const committer = new Committer({ store, logger: silentLogger });
  const pace = { pageLimit: PAGE, pollTimeMs: 5 };
  return new Follower({ upstreams: [upstream], committer, ledger: store, logger, pace, ...options });
}

/** True once the threads of a kind have sent their first message. */
function startOf(file: string): () => boolean {
  let isStarted = false;
  vi.mocked(startThread).mockImplementation((built, source, options) => {
    const worker = actual.startThread(built, source, options);
    threads.push({ worker, file: source.pathname.split("/").at(-1) ?? "" });
    if (source.pathname.endsWith(file)) {
      worker.once("message", () => {
        isStarted = true;
      });
    }
    return worker;
  });
  return () => isStarted;
}

it("stores the same ledger in fewer writes; at the head no thread is left", async () => {
  const sizes: number[] = [];
  const follower = follow(farUpstream(chain.records, startOf("hash-thread-main.ts")), {
    onCommit: ({ records }) => sizes.push(records),
  });
  await until(() => follower.status().state === "at_head");
  expect(isDeepStrictEqual(await readRecords(store), chain.records)).toBe(true);
  expect(Math.max(...sizes)).toBeGreaterThanOrEqual(2 * PAGE);
  expect(threads.map(({ file }) => file).sort()).toEqual(["hash-thread-main.ts", "write-thread-main.ts"]);
  await until(() => threads.every(({ worker }) => worker.threadId === -1));
  await follower.close();
  expect(warnings).toEqual([]);
});

it("starts no thread near the head", async () => {
  const follower = follow(recorded(chain.records));
  await until(() => follower.status().state === "at_head");
  expect(threads).toEqual([]);
  await follower.close();
});

it("refuses a forged record like the committer alone, with the same words", async () => {
  const forgedAt = 97;
  const forged = chain.records.map((record, i) =>
    i === forgedAt ? flipped(record, 8 * record.length - 1) : record,
  );
  const pace = { pageLimit: PAGE, setAside: { baseMs: 600_000, maxMs: 600_000 } };
  const faultOf = async (upstream: Upstream): Promise<string> => {
    const follower = follow(upstream, { pace });
    const fault = await until(() => follower.status().upstreams[0]?.fault);
    await follower.close();
    return fault;
  };
  const fault = await faultOf(farUpstream(forged, startOf("hash-thread-main.ts")));
  expect(threads.length).toBeGreaterThan(0);
  expect(fault).toContain("unverified");
  await store.close();
  await rm(path, { recursive: true });
  store = await openLmdbStore({ path, logger });
  expect(await faultOf(recorded(forged))).toBe(fault);
});

it("goes on without a thread that fails, and says so once", async () => {
  const broken = "parentPort.postMessage('ready'); parentPort.on('message', () => process.exit(1));";
  const code = `const { parentPort } = require("node:worker_threads"); ${broken}`;
  let isStarted = false;
  vi.mocked(startThread).mockImplementation((built, source, options) => {
    if (!source.pathname.endsWith("hash-thread-main.ts")) return actual.startThread(built, source, options);
    const worker = new Worker(code, { ...options, eval: true });
    worker.once("message", () => {
      isStarted = true;
    });
    return worker;
  });
  const follower = follow(farUpstream(chain.records, () => isStarted));
  await until(() => follower.status().state === "at_head");
  expect(isDeepStrictEqual(await readRecords(store), chain.records)).toBe(true);
  await follower.close();
  expect(warnings).toEqual(["the thread that hashes pages failed"]);
});
