// Places that clients hold for long: streams, waits, answers at the pace of their readers. A client may hold as many as
// are free. So one client alone gets half of them, n clients get 1/(n+1) each, and there is always a place for one more.
import { HttpError } from "../errors.ts";

export class ClientShares {
  readonly #max: number;
  /** What holds a place, in the plural, with its verb. */
  readonly #holders: string;
  readonly #held = new Map<string, number>();
  #count = 0;
  #isClosed = false;

  constructor(max: number, holders: string) {
    this.#max = max;
    this.#holders = holders;
  }

  /** Places that are taken. */
  get count(): number {
    return this.#count;
  }

  hasPlaceFor(client: string, places = 1): boolean {
    return this.#of(client) + places <= this.#max - this.#count;
  }

  /** Throws HttpError `overloaded` if there is no place for a client. */
  assertPlaceFor(client: string, places = 1): void {
    if (!this.#isClosed && this.hasPlaceFor(client, places)) return;
    const isFull = this.#count >= this.#max;
    const most = `${this.#max} ${this.#holders} already`;
    const full = isFull ? most : `${this.#of(client)} of at most ${most} for this client`;
    throw new HttpError("overloaded", this.#isClosed ? "the server is closing" : full, {
      headers: ["Retry-After", "1"],
    });
  }

  /** Takes places, which the client gives back with `leave`. Throws like `assertPlaceFor`. */
  enter(client: string, places = 1): void {
    this.assertPlaceFor(client, places);
    this.#held.set(client, this.#of(client) + places);
    this.#count += places;
  }

  leave(client: string, places = 1): void {
    const left = this.#of(client) - places;
    if (left > 0) this.#held.set(client, left);
    else this.#held.delete(client);
    this.#count -= places;
  }

  /** Takes no more. */
  close(): void {
    this.#isClosed = true;
  }

  #of(client: string): number {
    return this.#held.get(client) ?? 0;
  }
}
