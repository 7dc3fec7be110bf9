// Copying a ledger from a data directory into another store, and comparing the two afterwards.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../base/log.ts";
import { StoreError } from "../store/errors.ts";
import { openStoreWalk, type StoreWalk } from "../store/lmdb/walk.ts";
import { type CopyCheckReport, checkCopy } from "../sync/copy/copy-check.ts";
import { type CopySizes, copyLedger, type LedgerCopyReport } from "../sync/copy/copy-ledger.ts";
import type { CassandraOptions } from "./options.ts";
import { type OpenedStore, openStore } from "./store-opening.ts";
import { WriterElection } from "./writer-election.ts";

/** From where to where, and how much is compared afterwards. */
export interface CopyOptions {
  /** Data directory of the source; a node may be writing it. */
  readonly from: string;
  /** Data directory or cluster of the target. */
  readonly to: { readonly data: string } | { readonly cassandra: CassandraOptions };
  /** Compares one of so many versions and keys afterwards; 1 compares all. */
  readonly share: number;
  /** How much of each part is done, of about how much: values of the base, versions, and rows passed. */
  readonly onProgress: (part: CopyPart, done: number, total: number) => void;
  readonly logger: Logger;
  readonly signal?: AbortSignal;
  readonly sizes?: CopySizes;
}

/** Parts of a copy, one after the other; `items` only where the source is pruned. */
export type CopyPart = "items" | "versions" | "compared";

/** What was copied and compared. */
export interface CopyReport extends LedgerCopyReport {
  readonly chainId: number;
  readonly version: bigint;
  readonly oldestVersion: bigint;
  readonly check: CopyCheckReport;
}

const LOOK_MS = 100;

/** Copies, goes on with a copy that was cut off, and compares. */
export async function copyData(options: CopyOptions): Promise<CopyReport> {
  const source = await openStoreWalk(options.from);
  try {
    const place = { data: undefined, cassandra: undefined, ...options.to };
    const opened = await openStore({ ...place, readOnly: false, check: undefined, logger: options.logger });
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

/** Works while this process may write the target; stops when it may no longer. */
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
    if (!(await hasTurn(election, lease.ttlMs, ended))) {
      throw new StoreError("locked", "another process writes the target");
    }
    return await work(ended);
  } finally {
    await election.stop();
  }
}

/** Waits for the turn as long as one who died without giving the lease back could keep it. */
async function hasTurn(election: WriterElection, ttlMs: number, signal: AbortSignal): Promise<boolean> {
  const untilMs = performance.now() + 2 * ttlMs;
  while (election.role !== "writer" && performance.now() < untilMs) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  return election.role === "writer";
}
