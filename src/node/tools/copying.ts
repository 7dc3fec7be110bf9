// Copies a ledger into another store and compares the two afterwards.
import type { Logger } from "../../base/log.ts";
import type { StoreWalk } from "../../store/lmdb/walk.ts";
import { type CopyCheckReport, checkCopy } from "../../sync/maintenance/copy/copy-check.ts";
import {
  type CopySizes,
  copyLedger,
  type LedgerCopyCounts,
  type LedgerCopyReport,
} from "../../sync/maintenance/copy/copy-ledger.ts";
import type { OpenedStore } from "../store-engine.ts";
import { openStore, openWalk, type StoreOptions } from "../store-engines.ts";
import { retryOutOfReach } from "./out-of-reach.ts";
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
  /** How long the copy waits for a cluster out of reach: to open it, and after that. */
  readonly patienceMs?: { readonly open?: number; readonly copy?: number };
}

/** Parts of a copy, in this order; `items` only if the source is pruned. */
export type CopyPart = "items" | "versions" | "compared";

export interface CopyReport extends LedgerCopyReport {
  readonly chainId: number;
  readonly version: bigint;
  readonly oldestVersion: bigint;
  readonly check: CopyCheckReport;
}

/** How long a copy waits for a cluster that is not there when it starts. */
const OPEN_PATIENCE_MS = 20_000;
/** How long a copy waits for a cluster that was there: a restart of all its nodes takes minutes. */
const COPY_PATIENCE_MS = 600_000;

/** Copies, or resumes an interrupted copy, and compares. */
export async function copyData(options: CopyOptions): Promise<CopyReport> {
  const { from, to, logger, signal, patienceMs = {} } = options;
  const { open = OPEN_PATIENCE_MS, copy = COPY_PATIENCE_MS } = patienceMs;
  const source = await openWalk(from, "copy from");
  try {
    const opened = await retryOutOfReach({ giveUpMs: open, logger, signal }, () =>
      openStore(to, { readOnly: false, genesis: undefined, logger }),
    );
    try {
      return await underLease(opened, { logger, signal, giveUpMs: copy }, (ended) => {
        const counts = { baseKeys: 0, versions: 0 };
        const hint = "; the same command resumes from here";
        return retryOutOfReach({ giveUpMs: copy, logger, signal: ended, hint }, (onMove) =>
          copyAndCheck(source, opened, { ...options, counts, onMove, signal: ended }),
        );
      });
    } finally {
      await opened.store.close();
    }
  } finally {
    await source.close();
  }
}

/** One attempt, which resumes where the last one stopped. */
async function copyAndCheck(
  source: StoreWalk,
  { store: target }: OpenedStore,
  attempt: CopyOptions & {
    readonly counts: LedgerCopyCounts;
    readonly onMove: () => void;
    readonly signal: AbortSignal;
  },
): Promise<CopyReport> {
  const { onProgress, share, logger, sizes, signal, counts, onMove } = attempt;
  const { chainId, version, oldestVersion } = source.position;
  const { records, blocks, items } = source.counts;
  let isFirst = true;
  const report = await copyLedger({
    source,
    target,
    logger,
    signal,
    sizes,
    counts,
    onProgress: (part, done) => {
      // The first call tells where the target stands.
      if (!isFirst) onMove();
      isFirst = false;
      onProgress(part, done, part === "items" ? items : records);
    },
  });
  const total = records + blocks + items;
  const check = await checkCopy({
    source,
    target,
    share,
    signal,
    onProgress: (passed) => {
      onMove();
      onProgress("compared", Math.min(passed, total), total);
    },
  });
  return { ...report, chainId, version, oldestVersion, check };
}
