// Counts the requests in flight, and refuses those above a limit: that of the process, or one of an operation.
import { HttpError } from "./errors.ts";
import type { Operation } from "./operation.ts";

function overloaded(message: string): HttpError {
  return new HttpError("overloaded", message, { headers: ["Retry-After", "1"] });
}

export class InFlight {
  readonly #max: number;
  #count = 0;
  /** Of operations with a limit of their own. */
  readonly #countOf = new Map<Operation, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /** Counts a request, which must `leave`. Throws, and counts nothing, when there are too many. */
  enter(operation?: Operation): void {
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

  leave(operation?: Operation): void {
    this.#count--;
    if (operation?.maxInFlight === undefined) return;
    this.#countOf.set(operation, (this.#countOf.get(operation) ?? 1) - 1);
  }
}
