// What every part of a check shares: its findings, of which the first keep their text, and its pace, which yields to the event
// loop so that the process can handle signals.
import { takeTurn } from "../../../base/wait.ts";

/** Texts kept: one damaged place causes many findings. */
const MAX_TEXTS = 50;

export class Findings {
  readonly texts: string[] = [];
  #count = 0;

  /** All findings, including those without text. */
  get count(): number {
    return this.#count;
  }

  add(text: string): void {
    this.#count++;
    if (this.texts.length < MAX_TEXTS) this.texts.push(text);
  }

  /** Adds the text unless the condition holds. */
  expect(holds: boolean, text: () => string): void {
    if (!holds) this.add(text());
  }
}

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
