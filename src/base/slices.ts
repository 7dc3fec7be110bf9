// Long work in slices: other work of the process runs between them.
import { type Line, nextTurn } from "./turns.ts";

/** Longest slice in milliseconds, as far as one step is shorter. */
const SLICE_MS = 4;

/** Measures the current slice. Results must not depend on it. */
export class Slices {
  readonly #line: Line;
  #startMs = performance.now();

  constructor(line: Line = "requests") {
    this.#line = line;
  }

  /** To be awaited between two steps: undefined while the slice lasts, else it resolves when other work had its turn. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#startMs < SLICE_MS) return undefined;
    return nextTurn(this.#line).then(() => {
      this.#startMs = performance.now();
    });
  }
}
