// How a check gets on: it counts rows, tells of them, and lets the process hear signals in between.
import { takeTurn } from "../../base/turn.ts";

/** Told of rows passed, out of how many. */
export type CheckProgress = (done: number, total: number) => void;

/** Rows between two turns. */
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

  /** Notes that a row was passed. */
  row(): void {
    this.#done++;
    if (this.#done % TURN_ROWS === 0) this.#onProgress(Math.min(this.#done, this.#total), this.#total);
  }

  /** To be awaited between rows where it gives something; rejects with the reason when the check was told to stop. */
  turn(): Promise<void> | undefined {
    if (this.#done < this.#turnAt) return undefined;
    this.#turnAt = this.#done + TURN_ROWS;
    return takeTurn(this.#signal);
  }
}
