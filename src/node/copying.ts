// Copies a ledger into another store and compares the two afterwards.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../base/log.ts";
import { StoreError } from "../store/errors.ts";
import type { StoreWalk } from "../store/lmdb/walk.ts";
import { type CopyCheckReport, checkCopy } from "../sync/copy/copy-check.ts";
import { type CopySizes, copyLedger, type LedgerCopyReport } from "../sync/copy/copy-ledger.ts";
import type { OpenedStore } from "./store-engine.ts";
import { openStore, openWalk, type StoreOptions } from "./store-engines.ts";
import { WriterElection } from "./writer-election.ts";

export interface CopyOptions {
  /** The source; a node may be writing it. */
  readonly from: StoreOptions;
  readonly to: StoreOptions;
  /** Compares one in `share` versions and keys afterwards; 1 compares all. */
  readonly share: number;
  /** `done` of about `total`: values of the base, versions, or rows compared. */
  readonly onProgress: (part: CopyPart, done: number, total: number) => void;
  readonly logger: Logger;
  readonly signal?: AbortSignal;
  readonly sizes?: CopySizes;
}

/** Parts of a copy, in this order; `items` only if the source is pruned. */
export type CopyPart = "items" | "versions" | "compared";

export interface CopyReport extends LedgerCopyReport {
  readonly chainId: number;
  readonly version: bigint;
  readonly oldestVersion: bigint;
  readonly check: CopyCheckReport;
}

const LOOK_MS = 100;

/** Copies, or resumes an interrupted copy, and compares. */
export async function copyData(options: CopyOptions): Promise<CopyReport> {
  const { from, to, logger } = options;
  const source = await openWalk(from, "copy from");
  try {
    const opened = await openStore(to, { readOnly: false, check: undefined, logger });
    try {
      return await underLease(opened, options, (signal) => copyAndCheck(source, opened, options, signal));
    } finally {
      await opened.store.close();
    }
  } finally {
    await source.close();
  }
}

async function copyAndCheck(
  source: StoreWalk,
  { store: target }: OpenedStore,
  { onProgress, share, logger, sizes }: CopyOptions,
  signal: AbortSignal,
): Promise<CopyReport> {
  const { chainId, version, oldestVersion } = source.position;
  const { counts } = source;
  const report = await copyLedger({
    source,
    target,
    logger,
    signal,
    sizes,
    onProgress: (part, done) => onProgress(part, done, part === "items" ? counts.items : counts.records),
  });
  const total = counts.records + counts.blocks + counts.items;
  const check = await checkCopy({
    source,
    target,
    share,
    signal,
    onProgress: (passed) => onProgress("compared", Math.min(passed, total), total),
  });
  return { ...report, chainId, version, oldestVersion, check };
}

/** Runs the work while this process holds the target's lease; aborts it when the lease is lost. */
async function underLease<T>(
  { lease }: OpenedStore,
  { logger, signal }: CopyOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const ended = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
  if (lease === undefined) return work(ended);
  const election = new WriterElection({
    lease,
    begin: async () => {},
    end: async () => lost.abort(new StoreError("locked", "another process took over writing the target")),
    onFault: (error) => lost.abort(error),
    logger,
  });
  await election.start();
  try {
    if (!(await becomesWriter(election, lease.ttlMs, ended))) {
      throw new StoreError("locked", "another process writes the target");
    }
    return await work(ended);
  } finally {
    await election.stop();
  }
}

/** Waits to become the writer, long enough for the lease of a crashed writer to expire. */
async function becomesWriter(election: WriterElection, ttlMs: number, signal: AbortSignal): Promise<boolean> {
  const untilMs = performance.now() + 2 * ttlMs;
  while (election.role !== "writer" && performance.now() < untilMs) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  return election.role === "writer";
}
