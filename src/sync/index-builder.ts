// Builds the index of a store that was written without one, from its records, in the background and in small steps. The
// reach of the index is the progress, so that an interrupted build resumes where it stopped.
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { pause } from "../base/wait.ts";
import type { Committer } from "./committer.ts";
import type { IndexProgress } from "./store-writer.ts";

export interface IndexBuilderOptions {
  readonly committer: Pick<Committer, "indexMore">;
  readonly logger: Logger;
  /** Called on every failure; returns true to try again after a pause. */
  readonly onFault: (error: unknown) => boolean;
  /** Called after every step without a failure. */
  readonly onSuccess?: () => void;
}

const RETRY_MS = 1000;
/** Time between two log lines about the progress. */
const REPORT_MS = 10_000;

/** Builds from construction until the index is whole, or cannot be, or `stop`. */
export class IndexBuilder {
  /** Resolves when there is nothing left to do. */
  readonly ended: Promise<void>;
  readonly #options: IndexBuilderOptions;
  readonly #stop = new AbortController();
  #progress: IndexProgress | undefined;

  constructor(options: IndexBuilderOptions) {
    this.#options = options;
    this.ended = this.#run();
  }

  /** The progress after the last step; undefined before the first. */
  get progress(): IndexProgress | undefined {
    return this.#progress;
  }

  /** Stops after the current step. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  async #run(): Promise<void> {
    const { logger, onFault } = this.#options;
    let reportedMs = Number.NEGATIVE_INFINITY;
    let steps = 0;
    while (!this.#stop.signal.aborted) {
      try {
        const startedMs = performance.now();
        const { state, done, total } = await this.#step();
        steps++;
        const fields = { done: `${done}`, total: `${total}` };
        if (state === "impossible") {
          logger.warn(fields, "the ledger is not indexed: records that the index needs are not here");
          return;
        }
        if (state === "whole") {
          if (steps > 1) logger.info(fields, "the index is built");
          return;
        }
        if (startedMs - reportedMs > REPORT_MS) {
          reportedMs = startedMs;
          logger.info(fields, "building the index");
        }
        // Commits and reads come first.
        await pause(performance.now() - startedMs, this.#stop.signal, { ref: false });
      } catch (error) {
        logger.error({ error: errorText(error) }, "building the index failed");
        if (!onFault(error)) return;
        await pause(RETRY_MS, this.#stop.signal, { ref: false });
      }
    }
  }

  async #step(): Promise<IndexProgress> {
    const progress = await this.#options.committer.indexMore();
    this.#progress = progress;
    this.#options.onSuccess?.();
    return progress;
  }
}
