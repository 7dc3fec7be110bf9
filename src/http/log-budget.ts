// Bounds how much failing requests can make a node write to its log: clients must not fill a disk.

const LINES_PER_SECOND = 20;

/** Counts lines by second. */
export class LogBudget {
  #second = 0;
  #lines = 0;
  #held = 0;

  /** The number of omitted lines before this one; undefined if this line must be omitted too. */
  take(nowMs: number): number | undefined {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#lines = 0;
    }
    if (++this.#lines > LINES_PER_SECOND) {
      this.#held++;
      return undefined;
    }
    const held = this.#held;
    this.#held = 0;
    return held;
  }
}
