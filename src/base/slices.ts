// Long work in slices: other work of the process runs between them.
import { nextTurn } from "./turns.ts";

/** Longest slice in milliseconds, as far as one step is shorter. */
const SLICE_MS = 4;

/** Measures the current slice. Results must not depend on it. */
export class Slices {
  #startMs = performance.now();

  /** To be awaited between two steps: undefined while the slice lasts, else it resolves when other work had its turn. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#startMs < SLICE_MS) return undefined;
    return nextTurn().then(() => {
      this.#startMs = performance.now();
    });
  }
}
