// Reads that wait for a version: one list in order of version. A commit looks at its front, so those that wait for later
// versions cost nothing.

/** A wait in progress. */
export interface Wait {
  /** Resolves when the version is there, the time is over, or `end` is called. Never rejects. */
  readonly done: Promise<void>;
  end(): void;
}

interface Waiter {
  readonly version: bigint;
  readonly wake: () => void;
}

const OVER: Wait = { done: Promise.resolve(), end: () => {} };

export class VersionWaiters {
  /** In order of version. */
  readonly #waiters: Waiter[] = [];
  /** Latest version that this process heard of. */
  #head = -1n;
  #isClosed = false;

  /** How many wait. */
  get count(): number {
    return this.#waiters.length;
  }

  /** Waits until the ledger is at a version, at most `waitMs`. */
  wait(version: bigint, waitMs: number): Wait {
    if (version <= this.#head || this.#isClosed) return OVER;
    let end = (): void => {};
    const done = new Promise<void>((resolve) => {
      const timer = setTimeout(() => end(), waitMs);
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiter = { version, wake };
      this.#waiters.splice(this.#placeBehind(version), 0, waiter);
      end = () => {
        const place = this.#waiters.indexOf(waiter);
        if (place >= 0) this.#waiters.splice(place, 1);
        wake();
      };
    });
    return { done, end };
  }

  /** The ledger is at a version: wakes those that wait for it or an earlier one. */
  reach(version: bigint): void {
    if (version <= this.#head) return;
    this.#head = version;
    if ((this.#waiters[0]?.version ?? version + 1n) > version) return;
    for (const { wake } of this.#waiters.splice(0, this.#placeBehind(version))) wake();
  }

  /** Another ledger at this version took the place of the old one, mostly an earlier state of it: later versions must be reached again. */
  goBack(version: bigint): void {
    this.#head = -1n;
    this.reach(version);
  }

  /** Ends all waits, those that come later included. */
  close(): void {
    this.#isClosed = true;
    for (const { wake } of this.#waiters.splice(0)) wake();
  }

  /** Place behind all that wait for this version or an earlier one. */
  #placeBehind(version: bigint): number {
    let low = 0;
    let high = this.#waiters.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#waiters[middle]?.version ?? 0n) <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
