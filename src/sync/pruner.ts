// The pruner: in the background, in small steps and at its own pace, it removes what the window no longer
// needs. It never overlaps itself, and rests as long as it worked so that commits and reads come first.
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { Store } from "../store/contract.ts";
import { asksForMore, floorFor, formatPruneWindow, type PruneWindow } from "./prune-window.ts";

/** What a pruner works with. */
export interface PrunerOptions {
  readonly store: Store;
  readonly window: PruneWindow;
  readonly logger: Logger;
  /** Rows removed in one write, about. */
  readonly stepRows?: number;
  /** Pause between looks at the ledger. */
  readonly intervalMs?: number;
  /** Told of every failure; the pruner itself tries again after the pause. */
  readonly onFault?: (error: unknown) => void;
  /** Told of every round without one. */
  readonly onSuccess?: () => void;
}

/** What a pruner has done so far. */
export interface PrunerState {
  readonly window: PruneWindow;
  /** Oldest version that the window needs, as of the last look. */
  readonly floor: bigint | undefined;
  /** Rows removed since the start. */
  readonly removed: number;
  /** True while what the window does not need is still there. */
  readonly behind: boolean;
  /** Text of the last failure, until a step succeeds. */
  readonly fault: string | undefined;
}

const DEFAULT_STEP_ROWS = 500;
const DEFAULT_INTERVAL_MS = 1000;
const WINDOW_ROW = Buffer.from("pruner/window");

/** Prunes a store that this process writes, from its construction until it is stopped. */
export class Pruner {
  readonly #options: PrunerOptions;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #floor: bigint | undefined;
  #removed = 0;
  #behind = false;
  #fault: string | undefined;
  #announced = false;

  constructor(options: PrunerOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  state(): PrunerState {
    return {
      window: this.#options.window,
      floor: this.#floor,
      removed: this.#removed,
      behind: this.#behind,
      fault: this.#fault,
    };
  }

  /** Ends it after the step at hand. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { window, intervalMs = DEFAULT_INTERVAL_MS, logger, onFault, onSuccess } = this.#options;
    await this.#pause(0);
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#options.store.identity !== undefined) {
          await this.#announce();
          if (window.kind !== "off") await this.#catchUp();
        }
        this.#fault = undefined;
        onSuccess?.();
        if (this.#announced && window.kind === "off") return;
      } catch (error) {
        this.#fault = errorText(error);
        logger.error({ error: this.#fault }, "pruning failed");
        onFault?.(error);
      }
      await this.#pause(intervalMs);
    }
  }

  /** Says once when the window was changed to one that asks for more than is left, and keeps it for next time. */
  async #announce(): Promise<void> {
    if (this.#announced) return;
    const { store, window, logger } = this.#options;
    const [row] = await store.getSideRows([WINDOW_ROW]);
    const before = row === undefined ? undefined : Buffer.from(row).toString();
    const now = formatPruneWindow(window);
    if (before !== now) {
      const view = await store.openView();
      try {
        if (before !== undefined && (await asksForMore(window, view))) {
          const oldestVersion = view.position.oldestVersion.toString();
          logger.warn(
            { before, now, oldestVersion },
            "the pruning window was widened: what is pruned stays gone",
          );
        }
      } finally {
        view.release();
      }
      await store.putSideRows([{ key: WINDOW_ROW, value: Buffer.from(now) }]);
    }
    this.#announced = true;
  }

  async #catchUp(): Promise<void> {
    const { store, window, stepRows = DEFAULT_STEP_ROWS, logger } = this.#options;
    const view = await store.openView();
    try {
      this.#floor = await floorFor(window, view);
    } finally {
      view.release();
    }
    const before = this.#removed;
    for (this.#behind = true; this.#behind && !this.#stop.signal.aborted; ) {
      const started = performance.now();
      const step = await store.prune(this.#floor, stepRows);
      this.#removed += step.removed;
      this.#behind = !step.done;
      if (this.#behind) await this.#pause(performance.now() - started);
    }
    const removed = this.#removed - before;
    if (removed > 0) logger.debug({ floor: this.#floor.toString(), removed }, "pruned");
  }

  /** Waits without keeping the process alive; a stop ends the wait. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { ref: false, signal: this.#stop.signal }).catch(() => {});
  }
}
