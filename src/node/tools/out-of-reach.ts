// Work of a command on a cluster that may be slow or away for a while.
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { pause } from "../../base/wait.ts";
import { isOutOfReach, StoreError } from "../../store/errors.ts";

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

export interface OutOfReachOptions {
  /** Gives up when the store was out of reach for this long without progress in between. */
  readonly giveUpMs: number;
  readonly logger: Logger;
  readonly signal?: AbortSignal | undefined;
  /** Ends the message when it gives up. */
  readonly hint?: string;
}

/**
 * Runs the work again, after growing pauses, while it fails because the store is out of reach. The work must be able to
 * resume; it calls `onProgress` whenever it got on. Throws StoreError `unreachable` when it gives up.
 */
export async function retryOutOfReach<T>(
  { giveUpMs, logger, signal, hint = "" }: OutOfReachOptions,
  work: (onProgress: () => void) => Promise<T>,
): Promise<T> {
  let pauseMs = FIRST_PAUSE_MS;
  let movedAtMs = performance.now();
  let isTold = false;
  const onProgress = (): void => {
    if (isTold) logger.info({}, "the cluster responds again");
    isTold = false;
    movedAtMs = performance.now();
    pauseMs = FIRST_PAUSE_MS;
  };
  for (;;) {
    try {
      return await work(onProgress);
    } catch (error) {
      if (!isOutOfReach(error) || signal?.aborted === true) throw error;
      // A failed read carries the reason as its cause.
      const reason = error instanceof StoreError ? error : error.cause;
      if (performance.now() - movedAtMs + pauseMs > giveUpMs) {
        const text = `${errorText(reason)}; gave up after ${Math.round(giveUpMs / 1000)} s${hint}`;
        throw new StoreError("unreachable", text, { cause: error });
      }
      if (!isTold) logger.warn({ err: errorText(reason) }, "the cluster is out of reach: trying again");
      isTold = true;
    }
    await pause(Math.min(pauseMs, giveUpMs), signal);
    signal?.throwIfAborted();
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  }
}
