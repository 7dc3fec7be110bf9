// Pace of a check: counts rows, reports progress, and yields to the event loop so that the process can handle signals.
import { takeTurn } from "../../base/wait.ts";

/** Called with the number of checked rows and the total. */
export type CheckProgress = (done: number, total: number) => void;

/** Rows between two yields. */
const TURN_ROWS = 1000;

/** The pace of one check. */
export class CheckPace {
  readonly #total: number;
  readonly #onProgress: CheckProgress;
  readonly #signal: AbortSignal | undefined;
  #done = 0;
  #turnAt = TURN_ROWS;

  constructor(total: number, onProgress: CheckProgress, signal: AbortSignal | undefined) {
    this.#total = total;
    this.#onProgress = onProgress;
    this.#signal = signal;
  }

  /** Counts a checked row. */
  row(): void {
    this.#done++;
    if (this.#done % TURN_ROWS === 0) this.#onProgress(Math.min(this.#done, this.#total), this.#total);
  }

  /** Returns a promise to await when it is time to yield; it rejects with the signal's reason once aborted. */
  turn(): Promise<void> | undefined {
    if (this.#done < this.#turnAt) return undefined;
    this.#turnAt = this.#done + TURN_ROWS;
    return takeTurn(this.#signal);
  }
}
