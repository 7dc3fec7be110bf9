// Requests that wait: for a version of the ledger, or for what their operation awaits. None holds a view meanwhile.
import type { Ledger } from "../ledger/view.ts";
import type { HeadWatch } from "../ledger/watch/head-watch.ts";
import { assertReached, type MinVersion } from "../ledger/watch/min-version.ts";
import { Abandoned } from "./body.ts";
import { HttpError, NO_LEDGER } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { HeaderMaker } from "./headers.ts";
import type { Operation, ParsedArgs } from "./operation.ts";
import { openRequestView } from "./request-view.ts";
import type { Serving } from "./responder.ts";
import type { Services } from "./services.ts";

export interface VersionWaitsOptions {
  readonly ledger: Ledger;
  readonly services: Services;
  readonly headWatch: HeadWatch;
  readonly headers: HeaderMaker;
  /** Requests that wait at the same time. */
  readonly maxWaiting: number;
}

export class VersionWaits {
  readonly #options: VersionWaitsOptions;
  /** Each ends one wait. */
  readonly #ends = new Set<() => void>();
  /** Requests that wait for what their operation awaits. */
  readonly #awaiting = new Map<Operation, number>();
  #isClosing = false;

  constructor(options: VersionWaitsOptions) {
    this.#options = options;
  }

  /** Requests that wait now. */
  get count(): number {
    return this.#ends.size;
  }

  /** Ends every wait; later ones end at once. */
  close(): void {
    this.#isClosing = true;
    for (const end of this.#ends) end();
  }

  /** Waits until the ledger is at a version. Throws when it is not, or the client left. */
  async reach(serving: Serving, operation: Operation, minVersion: MinVersion): Promise<void> {
    const { version, waitMs } = minVersion;
    if ((await this.#lookAtHead(serving, operation)) >= version) return;
    if (waitMs > 0) {
      await this.#wait(serving.exchange, minVersion);
      if (serving.exchange.isGone) throw new Abandoned("the client went away");
      await this.#lookAtHead(serving, operation);
    }
    assertReached(serving.headers?.position.version ?? 0n, minVersion);
  }

  /** Waits until what an operation awaits is there. The store is asked after commits only. */
  async awaitItem(
    serving: Serving,
    operation: Operation,
    { waitMs, maxWaiting, isThere }: NonNullable<Operation["awaited"]>,
    args: ParsedArgs,
  ): Promise<void> {
    const { ledger, services } = this.#options;
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const view = await openRequestView(ledger, operation);
      if (view === undefined) return;
      const { version } = view.position;
      try {
        if (await isThere(args, view, services)) return;
      } finally {
        view.release();
      }
      const leftMs = untilMs - performance.now();
      const waiting = this.#awaiting.get(operation) ?? 0;
      if (leftMs <= 0 || waiting >= maxWaiting || this.#isClosing) return;
      this.#awaiting.set(operation, waiting + 1);
      try {
        await this.#wait(serving.exchange, { version: version + 1n, waitMs: leftMs });
      } finally {
        this.#awaiting.set(operation, (this.#awaiting.get(operation) ?? 1) - 1);
      }
      if (serving.exchange.isGone) throw new Abandoned("the client went away");
      // A client that sends no more is not kept waiting.
      if (serving.exchange.socket.readableEnded) return;
    }
  }

  /** The latest version. Also prepares the headers of it, for an error. */
  async #lookAtHead(serving: Serving, operation: Operation): Promise<bigint> {
    const { ledger, headers } = this.#options;
    const view = await openRequestView(ledger, operation);
    if (view === undefined) throw new HttpError(operation.unavailable, NO_LEDGER);
    const { position } = view;
    view.release();
    serving.headers = headers.prepare(position);
    return position.version;
  }

  async #wait({ socket }: Exchange, { version, waitMs }: MinVersion): Promise<void> {
    const { headWatch, maxWaiting } = this.#options;
    if (this.#ends.size >= maxWaiting) {
      throw new HttpError("overloaded", `${maxWaiting} requests wait for a version already`, {
        headers: ["Retry-After", "1"],
      });
    }
    if (this.#isClosing) return;
    const { done, end } = headWatch.wait(version, waitMs);
    this.#ends.add(end);
    // Pipelined requests may wait side by side.
    socket.setMaxListeners(0);
    // A client that sends no more may have left: it gets its answer now, in case it still reads.
    socket.on("close", end).on("end", end);
    if (socket.readableEnded) end();
    await done;
    socket.off("close", end).off("end", end);
    this.#ends.delete(end);
  }
}
