// Requests that are being served, also those whose clients have left.
import { within } from "../base/wait.ts";

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
