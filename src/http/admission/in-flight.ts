// Counts the requests in flight, and refuses those above a limit: that of the process, or one of an operation.
import { within } from "../../base/wait.ts";
import { HttpError } from "../errors.ts";
import type { CountedOperation } from "../served-request.ts";

function overloaded(message: string): HttpError {
  return new HttpError("overloaded", message, { headers: ["Retry-After", "1"] });
}

export class InFlight {
  readonly #max: number;
  #count = 0;
  /** Of operations with a limit of their own. */
  readonly #countOf = new Map<CountedOperation, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /** Counts a request, which must `leave`. Throws, and counts nothing, when there are too many. */
  enter(operation: CountedOperation | undefined): void {
    if (this.#count >= this.#max) throw overloaded("too many requests in flight");
    const { maxInFlight } = operation ?? {};
    if (operation !== undefined && maxInFlight !== undefined) {
      const count = this.#countOf.get(operation) ?? 0;
      if (count >= maxInFlight)
        throw overloaded(`${maxInFlight} requests of ${operation.id} are being worked on`);
      this.#countOf.set(operation, count + 1);
    }
    this.#count++;
  }

  leave(operation: CountedOperation | undefined): void {
    this.#count--;
    if (operation?.maxInFlight === undefined) return;
    this.#countOf.set(operation, (this.#countOf.get(operation) ?? 1) - 1);
  }
}

/** Requests that are being served, also those whose clients have left. */
export class Unfinished {
  #count = 0;
  readonly #onNone: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#count === 0) for (const resolve of this.#onNone.splice(0)) resolve();
  }

  /** The requests that are left when there are none, or after some time. */
  async none(timeoutMs: number): Promise<number> {
    if (this.#count === 0) return 0;
    await within(timeoutMs, new Promise<void>((resolve) => this.#onNone.push(resolve)));
    return this.#count;
  }
}
