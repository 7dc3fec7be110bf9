// Answers that take longer than one slice. Each keeps what was read and printed of it so far, and the budget of responses
// counts only whole ones: so there is a limit on how many are worked on.
import { Slices } from "../../base/wait.ts";
import { HttpError } from "../errors.ts";

/** The largest answer takes about 40 MiB while it is printed. */
const MAX_LONG_ANSWERS = 32;

/** The long answers of one server. */
export class LongAnswers {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Counts an answer, which must `leave`. Throws, and counts nothing, when there are too many. */
  enter(): void {
    if (this.#count >= MAX_LONG_ANSWERS) {
      throw new HttpError("overloaded", `${MAX_LONG_ANSWERS} long answers are being made`, {
        headers: ["Retry-After", "1"],
      });
    }
    this.#count++;
  }

  leave(): void {
    this.#count--;
  }
}

/** The slices of one answer, which counts as a long one from its first pause until `end`. */
export class AnswerSlices extends Slices {
  readonly #longAnswers: LongAnswers;
  #isLong = false;

  constructor(longAnswers: LongAnswers) {
    super();
    this.#longAnswers = longAnswers;
  }

  /** Throws HttpError `overloaded` where the answer would be one too many. */
  override pause(): Promise<void> | undefined {
    const pause = super.pause();
    if (pause !== undefined && !this.#isLong) {
      this.#longAnswers.enter();
      this.#isLong = true;
    }
    return pause;
  }

  end(): void {
    if (this.#isLong) this.#longAnswers.leave();
    this.#isLong = false;
  }
}
