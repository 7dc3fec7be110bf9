// Counts the requests in flight, and refuses those above a limit: that of the process, or the client's share of an
// operation's.
import { within } from "../../base/wait.ts";
import { HttpError } from "../errors.ts";
import type { CountedOperation } from "../served-request.ts";
import { ClientShares } from "./client-shares.ts";

export class InFlight {
  readonly #max: number;
  #count = 0;
  /** Of operations with a limit of their own. */
  readonly #sharesOf = new Map<CountedOperation, ClientShares>();

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /** Counts a request, which must `leave`. Throws, and counts nothing, when there are too many. */
  enter(operation: CountedOperation | undefined, client: string): void {
    if (this.#count >= this.#max) {
      const headers = ["Retry-After", "1"];
      throw new HttpError("overloaded", "too many requests in flight", { headers });
    }
    if (operation?.maxInFlight !== undefined) {
      const { maxInFlight, id } = operation;
      const shares =
        this.#sharesOf.get(operation) ??
        new ClientShares(maxInFlight, `requests of ${id} are being worked on`);
      this.#sharesOf.set(operation, shares);
      shares.enter(client);
    }
    this.#count++;
  }

  leave(operation: CountedOperation | undefined, client: string): void {
    this.#count--;
    if (operation?.maxInFlight !== undefined) this.#sharesOf.get(operation)?.leave(client);
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
