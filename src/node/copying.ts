// Copies a ledger into another store and compares the two afterwards.
import type { Logger } from "../base/log.ts";
import type { StoreWalk } from "../store/lmdb/walk.ts";
import { type CopyCheckReport, checkCopy } from "../sync/copy/copy-check.ts";
import { type CopySizes, copyLedger, type LedgerCopyReport } from "../sync/copy/copy-ledger.ts";
import type { OpenedStore } from "./store-engine.ts";
import { openStore, openWalk, type StoreOptions } from "./store-engines.ts";
import { underLease } from "./under-lease.ts";

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
