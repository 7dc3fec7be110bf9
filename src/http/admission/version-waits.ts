// Requests that wait: for a version of the ledger, or for what their operation awaits. None holds a view meanwhile.
import type { Ledger } from "../../ledger/view.ts";
import type { HeadWatch, MinVersion } from "../../ledger/watch/head-watch.ts";
import type { Operation } from "../operation.ts";
import type { ResolvedRequest } from "../served-request.ts";
import type { Services } from "../services.ts";
import { ClientShares } from "./client-shares.ts";
import { openRequestView } from "./request-view.ts";

export interface VersionWaitsOptions {
  readonly ledger: Ledger;
  readonly services: Services;
  readonly headWatch: HeadWatch;
  /** Requests that wait at the same time. */
  readonly maxWaiting: number;
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

  /** Waits until the ledger is at a version, for as long as was asked. Throws when the client left. */
  async reach(resolved: ResolvedRequest, minVersion: MinVersion): Promise<void> {
    const view = await openRequestView(this.#options.ledger, resolved.operation);
    view?.release();
    if (view === undefined || view.position.version >= minVersion.version) return;
    await this.#wait(resolved, minVersion);
    resolved.request.assertClient();
  }

  /** Waits until what an operation awaits is there. The store is asked after commits only. */
  async awaitItem(
    resolved: ResolvedRequest,
    { waitMs, maxWaiting, isThere }: NonNullable<Operation["awaited"]>,
  ): Promise<void> {
    const { request, operation, args, client } = resolved;
    const { ledger, services } = this.#options;
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
        await this.#wait(resolved, { version: version + 1n, waitMs: leftMs });
      } finally {
        shares.leave(client);
      }
      request.assertClient();
      // A client that sends no more is not kept waiting.
      if (request.exchange.socket.readableEnded) return;
    }
  }

  async #wait({ request, client }: ResolvedRequest, { version, waitMs }: MinVersion): Promise<void> {
    const { exchange } = request;
    this.#shares.assertPlaceFor(client);
    if (this.#isClosing) return;
    this.#shares.enter(client);
    const { socket } = exchange;
    const { done, end } = this.#options.headWatch.wait(version, waitMs);
    this.#ends.add(end);
    // A client that sends no more may have left: it gets its answer now, in case it still reads.
    socket.on("close", end).on("end", end);
    if (exchange.isGone || socket.readableEnded) end();
    await done;
    socket.off("close", end).off("end", end);
    this.#ends.delete(end);
    this.#shares.leave(client);
  }
}
