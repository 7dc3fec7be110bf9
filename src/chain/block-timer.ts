// Makes blocks at a steady pace, one at a time, until told to stop or until one fails for good.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

export interface BlockTimerOptions {
  /** Makes and commits one block. */
  readonly produce: () => Promise<void>;
  /** From the start of one block to the start of the next; 0 makes them back to back. */
  readonly blockTimeMs: number;
  /** Stops after this many blocks; never when left out. */
  readonly blocks?: number | undefined;
  /** Called after each block with the number made. */
  readonly onBlock?: ((made: number) => void) | undefined;
  /** True for a failure that may pass by itself: the block is tried again after a pause. None unless given. */
  readonly mayPass?: (error: unknown) => boolean;
  readonly retryMs?: number;
  /** Called once when a block cannot be made; no more are tried. */
  readonly onFault: (error: unknown) => void;
}

export interface BlockTimer {
  /** False once it makes no more blocks. */
  readonly isMoving: boolean;
  /** Waits for the block in hand and makes no more. */
  stop(): Promise<void>;
}

const DEFAULT_RETRY_MS = 1000;

/** Starts making blocks; the first one at once. */
export function startBlockTimer(options: BlockTimerOptions): BlockTimer {
  const { produce, blockTimeMs, blocks = Number.POSITIVE_INFINITY, onBlock, onFault } = options;
  const { mayPass = () => false, retryMs = DEFAULT_RETRY_MS } = options;
  const abort = new AbortController();
  const { signal } = abort;
  const run = async (): Promise<void> => {
    for (let made = 0; made < blocks && !signal.aborted; ) {
      const started = performance.now();
      try {
        await produce();
      } catch (error) {
        if (!mayPass(error)) throw error;
        await sleep(retryMs, undefined, { signal });
        continue;
      }
      made++;
      onBlock?.(made);
      const waitMs = Math.max(0, blockTimeMs - (performance.now() - started));
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
      // A commit ends in the turn that it began in: without this, requests and the pruner would never have one.
      else await nextTurn();
    }
  };
  let isMoving = true;
  const done = run()
    .catch((error: unknown) => {
      if (!signal.aborted) onFault(error);
    })
    .finally(() => {
      isMoving = false;
    });
  return {
    get isMoving() {
      return isMoving;
    },
    stop: () => {
      abort.abort();
      return done;
    },
  };
}
