// Rewinds a stored ledger to an earlier version, under the writer's lease. Unlike a node, a command has no standby: if it
// cannot renew the lease in time, it keeps trying, and only the lease itself can tell it that another process took over.
// Meanwhile the fencing token keeps its writes from doing harm.
import { ConfigError, errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { pause, within } from "../../base/wait.ts";
import type { WriterLease } from "../../store/contract.ts";
import { StoreError } from "../../store/errors.ts";
import {
  type RewindOptions as LedgerRewindOptions,
  type RewindReport,
  rewindLedger,
} from "../../sync/maintenance/rewind.ts";
import type { OpenedStore } from "../store-engine.ts";
import { openStore, type StoreOptions } from "../store-engines.ts";

/** Renewals per lifetime of the lease. */
const RENEWALS = 3;
/** How long the command waits for the release; a lease that is not released expires. */
const RELEASE_MS = 5000;

interface UnderLeaseOptions {
  readonly logger: Logger;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the work while this process holds a store's lease; aborts it when another process took the lease. */
export async function underLease<T>(
  { lease }: OpenedStore,
  { logger, signal }: UnderLeaseOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const ended = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
  if (lease === undefined) return work(ended);
  await acquire(lease, signal);
  const done = new AbortController();
  const kept = keep(lease, { logger, done: done.signal, onLost: (error) => lost.abort(error) });
  try {
    return await work(ended);
  } finally {
    done.abort();
    await within(
      RELEASE_MS,
      kept.then(() => release(lease, logger)),
    );
  }
}

/** Waits long enough for the lease of a crashed writer to expire. Throws StoreError `locked`. */
async function acquire(lease: WriterLease, signal: AbortSignal | undefined): Promise<void> {
  const untilMs = performance.now() + 2 * lease.ttlMs;
  while ((await lease.acquire()) === undefined) {
    if (performance.now() > untilMs) throw new StoreError("locked", "another process writes the store");
    await pause(lease.ttlMs / (4 * RENEWALS), signal);
    signal?.throwIfAborted();
  }
}

/** Renews the lease beside the work until `done`. */
async function keep(
  lease: WriterLease,
  options: {
    readonly logger: Logger;
    readonly done: AbortSignal;
    readonly onLost: (error: unknown) => void;
  },
): Promise<void> {
  const { logger, done, onLost } = options;
  let pauseMs = lease.ttlMs / RENEWALS;
  let isTold = false;
  for (;;) {
    await pause(pauseMs, done, { ref: false });
    if (done.aborted) return;
    try {
      await lease.renew();
      pauseMs = lease.ttlMs / RENEWALS;
      isTold = false;
    } catch (error) {
      if (error instanceof StoreError && error.code === "locked") {
        onLost(error);
        return;
      }
      if (!isTold) logger.warn({ err: errorText(error) }, "the lease could not be renewed: trying again");
      isTold = true;
      pauseMs = lease.ttlMs / (4 * RENEWALS);
    }
  }
}

async function release(lease: WriterLease, logger: Logger): Promise<void> {
  await lease.release().catch((error: unknown) => {
    logger.warn({ err: errorText(error) }, "the lease could not be released: it will expire");
  });
}

export type { RewindReport };

export interface RewindOptions extends Pick<LedgerRewindOptions, "to" | "onProgress"> {
  readonly store: StoreOptions;
  readonly logger: Logger;
  readonly signal?: AbortSignal;
}

/**
 * Rewinds a store that no other process writes, or resumes an interrupted rewind. Throws StoreError `absent` if there is
 * no store, `locked` if another process writes it, and like `rewindLedger`.
 */
export async function rewindData(options: RewindOptions): Promise<RewindReport> {
  const { store: where, to, onProgress, logger } = options;
  if (where.engine === "memory") {
    throw new ConfigError("cannot rewind a store of engine memory: expected engine lmdb or cassandra");
  }
  // Opening for writing would create a missing store.
  const looked = await openStore(where, { readOnly: true, genesis: undefined, logger });
  await looked.store.close();
  const opened = await openStore(where, { readOnly: false, genesis: undefined, logger });
  try {
    return await underLease(opened, options, (signal) =>
      rewindLedger({ store: opened.store, to, onProgress, signal }),
    );
  } finally {
    await opened.store.close();
  }
}
