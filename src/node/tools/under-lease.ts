// The writer's lease for commands that write to a store without being a node. Unlike a node, a command has no standby:
// if it cannot renew the lease in time, it keeps trying, and only the lease itself can tell it that another process took
// over. Meanwhile the fencing token keeps its writes from doing harm.
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { pause, within } from "../../base/wait.ts";
import { StoreError } from "../../store/errors.ts";
import type { WriterLease } from "../../store/writer-lease.ts";
import type { OpenedStore } from "../store-engine.ts";
import { retryOutOfReach } from "./out-of-reach.ts";

/** Renewals per lifetime of the lease. */
const RENEWALS = 3;
/** How long the command waits for the release; a lease that is not released expires. */
const RELEASE_MS = 5000;

export interface UnderLeaseOptions {
  readonly logger: Logger;
  readonly signal?: AbortSignal | undefined;
  /** How long it tries to get the lease while the store is out of reach. */
  readonly giveUpMs: number;
}

/** Runs the work while this process holds a store's lease; aborts it when another process took the lease. */
export async function underLease<T>(
  { lease }: OpenedStore,
  options: UnderLeaseOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { logger, signal } = options;
  const lost = new AbortController();
  const ended = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
  if (lease === undefined) return work(ended);
  await retryOutOfReach(options, (onProgress) => acquire(lease, signal, onProgress));
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

/** Waits for the lease, long enough for that of a crashed writer to expire. Throws StoreError `locked`. */
async function acquire(
  lease: WriterLease,
  signal: AbortSignal | undefined,
  onProgress: () => void,
): Promise<void> {
  const untilMs = performance.now() + 2 * lease.ttlMs;
  while ((await lease.acquire()) === undefined) {
    onProgress();
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
