// The pruner removes history outside the window, in the background and in small steps. Steps never overlap, and it
// pauses as long as each step took, so that commits and reads come first.

import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { pause } from "../../base/wait.ts";
import { withView } from "../../ledger/view.ts";
import type { Store } from "../../store/contract.ts";
import { PRUNE_WINDOW } from "../side-rows.ts";
import { StoreWriter } from "../store-writer.ts";
import { exceedsHistory, floorFor, formatPruneWindow, type PruneWindow } from "./prune-window.ts";

/** Options of a pruner. */
export interface PrunerOptions {
  readonly store: Store;
  readonly window: PruneWindow;
  readonly logger: Logger;
  /** Approximate number of rows removed in one write. */
  readonly stepRows?: number;
  /** Pause between rounds. */
  readonly intervalMs?: number;
  /** Called with the oldest version inside the window, before anything below it is removed. */
  readonly beforePrune?: (floor: bigint, signal: AbortSignal) => Promise<void>;
  /** Called on every failure; the pruner retries after the pause. */
  readonly onFault?: (error: unknown) => void;
  /** Called after every round without a failure. */
  readonly onSuccess?: () => void;
}

const DEFAULT_STEP_ROWS = 500;
const DEFAULT_INTERVAL_MS = 1000;

/** Prunes a store that this process writes. Runs from construction until `stop`. */
export class Pruner {
  readonly #options: PrunerOptions;
  readonly #writer: StoreWriter;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #removed = 0;
  #hasStoredWindow = false;

  constructor(options: PrunerOptions) {
    this.#options = options;
    this.#writer = new StoreWriter(options.store);
    this.#ended = this.#run();
  }

  /** Rows removed since the start. */
  get removed(): number {
    return this.#removed;
  }

  /** Stops after the current step. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { window, intervalMs = DEFAULT_INTERVAL_MS, logger, onFault, onSuccess } = this.#options;
    await pause(0, this.#stop.signal, { ref: false });
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#options.store.identity !== undefined) {
          await this.#warnIfWidened();
          if (window.kind !== "off") await this.#catchUp();
        }
        onSuccess?.();
        if (this.#hasStoredWindow && window.kind === "off") return;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        logger.error({ error: errorText(error) }, "pruning failed");
        onFault?.(error);
      }
      await pause(intervalMs, this.#stop.signal, { ref: false });
    }
  }

  /** Warns once if the window was widened beyond the remaining history, and stores the window for the next start. */
  async #warnIfWidened(): Promise<void> {
    if (this.#hasStoredWindow) return;
    const { store, window, logger } = this.#options;
    const before = await PRUNE_WINDOW.load(store);
    const now = formatPruneWindow(window);
    if (before !== now) {
      await withView(store.openView(), async (view) => {
        if (before === undefined || !(await exceedsHistory(window, view))) return;
        const oldestVersion = view.position.oldestVersion.toString();
        logger.warn(
          { before, now, oldestVersion },
          "the pruning window was widened: history pruned before does not come back",
        );
      });
      await this.#writer.write({ sideRows: [PRUNE_WINDOW.row(now)] });
    }
    this.#hasStoredWindow = true;
  }

  async #catchUp(): Promise<void> {
    const { store, window, stepRows = DEFAULT_STEP_ROWS, logger } = this.#options;
    const floor = await withView(store.openView(), (view) => floorFor(window, view));
    await this.#options.beforePrune?.(floor, this.#stop.signal);
    const before = this.#removed;
    for (let isDone = false; !isDone && !this.#stop.signal.aborted; ) {
      const started = performance.now();
      const step = await this.#writer.prune(floor, stepRows);
      this.#removed += step.removed;
      isDone = step.done;
      if (!isDone) await pause(performance.now() - started, this.#stop.signal, { ref: false });
    }
    const removed = this.#removed - before;
    if (removed > 0) logger.debug({ floor: floor.toString(), removed }, "pruned");
  }
}
