// Answers that take longer than one slice. Each keeps what was read and printed of it so far, and the budget of responses
// counts only whole ones. So few are worked on at once, the others wait, and a client begins no more than its share.
import { Slices } from "../../base/wait.ts";
import { ClientShares } from "./client-shares.ts";

/** The largest answer takes about 40 MiB while it is printed. */
const MAX_AT_WORK = 32;
/** One that waits keeps its first slice, some hundred KiB. */
const MAX_BEGUN = 256;

/** The long answers of one server. */
export class LongAnswers {
  readonly #begun = new ClientShares(MAX_BEGUN, "long answers are being made");
  #atWork = 0;
  readonly #waiting: (() => void)[] = [];

  get count(): number {
    return this.#begun.count;
  }

  /**
   * Counts an answer, which must `leave` once the promise is settled. The promise is that of a place among those worked on.
   * Throws HttpError `overloaded`, and counts nothing, when the client has too many.
   */
  enter(client: string): Promise<void> | undefined {
    this.#begun.enter(client);
    if (this.#atWork >= MAX_AT_WORK) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#atWork++;
    return undefined;
  }

  leave(client: string): void {
    this.#begun.leave(client);
    const next = this.#waiting.shift();
    if (next === undefined) this.#atWork--;
    else next();
  }
}

/** The slices of one answer, which counts as a long one from its first pause until `end`. */
export class AnswerSlices extends Slices {
  readonly #longAnswers: LongAnswers;
  readonly #client: string;
  readonly #assertClient: () => void;
  #isLong = false;

  /** `assertClient` throws when the client has left. */
  constructor(longAnswers: LongAnswers, client: string, assertClient: () => void) {
    super();
    this.#longAnswers = longAnswers;
    this.#client = client;
    this.#assertClient = assertClient;
  }

  /** Throws, also later, where the client has left or would have one long answer too many. */
  override pause(): Promise<void> | undefined {
    const pause = super.pause();
    if (pause === undefined) return undefined;
    const place = this.#isLong ? undefined : this.#longAnswers.enter(this.#client);
    this.#isLong = true;
    return (place === undefined ? pause : Promise.all([pause, place])).then(() => this.#assertClient());
  }

  end(): void {
    if (this.#isLong) this.#longAnswers.leave(this.#client);
    this.#isLong = false;
  }
}
