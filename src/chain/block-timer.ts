// Makes blocks at a steady pace, one at a time, until it is stopped or a block fails for good.
import { nextTurn, pause } from "../base/wait.ts";

export interface BlockTimerOptions {
  /** Makes and commits one block. */
  readonly produce: () => Promise<void>;
  /** Time between the starts of two blocks; 0 makes them back to back. */
  readonly blockTimeMs: number;
  /** Number of blocks to make; unlimited when left out. */
  readonly blocks?: number | undefined;
  /** Called after each block with the number made. */
  readonly onBlock?: ((made: number) => void) | undefined;
  /** True for a transient failure: the timer retries the block after a pause. By default no failure is transient. */
  readonly mayPass?: (error: unknown) => boolean;
  readonly retryMs?: number;
  /** Called once when a block fails for good; the timer has then stopped. */
  readonly onFault: (error: unknown) => void;
}

export interface BlockTimer {
  /** False once it makes no more blocks. */
  readonly isMoving: boolean;
  /** Waits for the current block and makes no more. */
  stop(): Promise<void>;
}

const DEFAULT_RETRY_MS = 1000;

/** Starts the timer; the first block is made at once. */
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
        await pause(retryMs, signal);
        continue;
      }
      made++;
      onBlock?.(made);
      const waitMs = Math.max(0, blockTimeMs - (performance.now() - started));
      if (waitMs > 0) await pause(waitMs, signal);
      // A block may be made without leaving the current turn of the event loop; requests and the pruner need one too.
      else await nextTurn("writer");
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
