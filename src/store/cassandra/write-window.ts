// How many writes of a commit are in flight at once. A cluster that is slow gets slower if it is asked for more, so the
// window halves when a write times out or is refused, and grows again with successes.

/** A window never shrinks below this, so that the work goes on. */
const MIN_WINDOW = 4;
/** Writes that were sent together fail together, and count once. */
const SHRINK_PAUSE_MS = 1000;

export class WriteWindow {
  readonly #max: number;
  readonly #now: () => number;
  #limit: number;
  #inFlight = 0;
  #shrunkAtMs = Number.NEGATIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#limit = max;
    this.#now = now;
  }

  /** Writes that may be in flight. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** True while the cluster has not recovered from its last failure. */
  get isReduced(): boolean {
    return this.limit < this.#max;
  }

  /** Runs a write when there is room. */
  async run(write: () => Promise<void>): Promise<void> {
    while (this.#inFlight >= this.limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inFlight++;
    try {
      await write();
      this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
    } finally {
      this.#inFlight--;
      for (let room = this.limit - this.#inFlight; room > 0; room--) this.#waiting.shift()?.();
    }
  }

  /** Called when a write timed out or was refused. */
  shrink(): void {
    const now = this.#now();
    if (now - this.#shrunkAtMs < SHRINK_PAUSE_MS) return;
    this.#shrunkAtMs = now;
    this.#limit = Math.min(this.#max, Math.max(MIN_WINDOW, this.#limit / 2));
  }
}
