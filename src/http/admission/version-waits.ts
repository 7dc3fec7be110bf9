// Requests that wait: for a version of the ledger, or for what their operation awaits. None holds a view meanwhile.
import type { Ledger } from "../../ledger/view.ts";
import type { HeadWatch } from "../../ledger/watch/head-watch.ts";
import { assertReached, type MinVersion } from "../../ledger/watch/min-version.ts";
import { HttpError, NO_LEDGER } from "../errors.ts";
import type { ParsedArgs } from "../field.ts";
import type { Operation } from "../operation.ts";
import type { HeaderMaker } from "../response/headers.ts";
import type { Serving } from "../response/responder.ts";
import type { Services } from "../services.ts";
import { Abandoned } from "../transport/body.ts";
import type { Exchange } from "../transport/exchange.ts";
import { ClientShares } from "./client-shares.ts";
import { clientOf } from "./rate-limiter.ts";
import { openRequestView } from "./request-view.ts";

export interface VersionWaitsOptions {
  readonly ledger: Ledger;
  readonly services: Services;
  readonly headWatch: HeadWatch;
  readonly headers: HeaderMaker;
  /** Requests that wait at the same time. */
  readonly maxWaiting: number;
  /** Identify clients by X-Forwarded-For, as set by a trusted proxy. */
  readonly trustProxy: boolean;
}

export class VersionWaits {
  readonly #options: VersionWaitsOptions;
  /** Each ends one wait. */
  readonly #ends = new Set<() => void>();
  readonly #shares: ClientShares;
  /** Requests that wait for what their operation awaits. */
  readonly #awaiting = new Map<Operation, ClientShares>();
  #isClosing = false;

  constructor(options: VersionWaitsOptions) {
    this.#options = options;
    this.#shares = new ClientShares(options.maxWaiting, "requests wait for a version");
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
    const { ledger, services, trustProxy } = this.#options;
    const client = clientOf(serving.exchange, trustProxy);
    const untilMs = performance.now() + waitMs;
    const shares = this.#awaiting.get(operation) ?? new ClientShares(maxWaiting, "requests wait");
    this.#awaiting.set(operation, shares);
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
      if (leftMs <= 0 || !shares.hasPlaceFor(client) || this.#isClosing) return;
      shares.enter(client);
      try {
        await this.#wait(serving.exchange, { version: version + 1n, waitMs: leftMs });
      } finally {
        shares.leave(client);
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

  async #wait(exchange: Exchange, { version, waitMs }: MinVersion): Promise<void> {
    const client = clientOf(exchange, this.#options.trustProxy);
    this.#shares.assertPlaceFor(client);
    if (this.#isClosing) return;
    this.#shares.enter(client);
    const { stream, socket } = exchange;
    const { done, end } = this.#options.headWatch.wait(version, waitMs);
    this.#ends.add(end);
    // A client that sends no more may have left: it gets its answer now, in case it still reads.
    stream.on("close", end).on("end", end);
    // A stream of HTTP/2 has ended once its request is read.
    if (exchange.isGone || socket.readableEnded) end();
    await done;
    stream.off("close", end).off("end", end);
    this.#ends.delete(end);
    this.#shares.leave(client);
  }
}
