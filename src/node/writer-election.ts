// Elects the writer of a shared store. One process holds the lease and writes; the standbys serve reads and ask for the
// lease. When it expires, a standby takes it with a higher fencing token and continues at the head. A process that loses
// the lease stops writing at once and becomes a standby.
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { LATE, pause, within } from "../base/wait.ts";
import type { WriterLease } from "../store/contract.ts";
import { isOutOfReach, isPassingFault, StoreError } from "../store/errors.ts";

export interface WriterElectionOptions {
  readonly lease: WriterLease;
  /** Starts writing. `end` may be called before it settles. */
  readonly begin: () => Promise<void>;
  /** Stops writing; settles when nothing more will be written. */
  readonly end: () => Promise<void>;
  /** Called when writing cannot begin because of a permanent fault; the election then ends. */
  readonly onFault: (error: unknown) => void;
  /** Called with the error when the lease is out of reach, and with undefined when it is back. */
  readonly onReach?: (error: unknown) => void;
  readonly logger: Logger;
}

/** The `writer` holds the lease, a `standby` waits for it. */
export type WriterRole = "writer" | "standby";

/** How long a stop waits for writes in flight and for the release of the lease when the store does not answer. */
const STOP_MS = 5000;

/** Renewals, or requests of a standby, per lifetime of the lease. */
const RENEWALS = 3;

interface Term {
  readonly token: bigint;
  /** Aborted when the lease is lost or given up. */
  readonly over: AbortController;
  readonly begun: Promise<void>;
  /** Settles when the term is over and nothing more is written. */
  readonly ended: Promise<void>;
}

export class WriterElection {
  readonly #options: WriterElectionOptions;
  readonly #stop = new AbortController();
  #term: Term | undefined;
  #turns = 0;
  /** Why the last attempt to begin failed; undefined after a success. */
  #unableReason: string | undefined;

  constructor(options: WriterElectionOptions) {
    this.#options = options;
  }

  get role(): WriterRole {
    return this.#term === undefined ? "standby" : "writer";
  }

  /** The fencing token of this writer; undefined in a standby. */
  get token(): bigint | undefined {
    return this.#term?.token;
  }

  /** How often this process became the writer. */
  get turns(): number {
    return this.#turns;
  }

  /**
   * Asks for the lease once and begins to write if it gets it; asks on while the store is out of reach. Rejects for a
   * permanent fault; later ones go to `onFault`.
   */
  async start(): Promise<void> {
    await this.#tryToTake(isOutOfReach);
    if (this.#term === undefined) this.#options.logger.info({}, "standing by until this process may write");
    void this.#run();
  }

  /** Returns true if the error means that another process writes; this process then becomes a standby. */
  divert(error: unknown): boolean {
    if (!(error instanceof StoreError) || error.code !== "locked" || this.#term === undefined) return false;
    this.#lose(this.#term, errorText(error));
    return true;
  }

  /** Stops writing, releases the lease and leaves the election. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const term = this.#term;
    const isHeld = term !== undefined && !term.over.signal.aborted;
    term?.over.abort();
    if (term !== undefined) await within(STOP_MS, term.ended);
    if (!isHeld) return;
    const { lease, logger } = this.#options;
    const released = lease.release().catch((error: unknown) => {
      logger.warn({ err: errorText(error) }, "the lease could not be released: it will expire");
    });
    await within(STOP_MS, released);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (this.#term === undefined) {
        await this.#pause(this.#options.lease.ttlMs / RENEWALS);
        if (this.#stop.signal.aborted) return;
        await this.#tryToTake().catch(this.#options.onFault);
      }
      await this.#term?.ended;
    }
  }

  /** Rejects for a fault that is not transient; the election then ends. */
  async #tryToTake(isTransient: (error: unknown) => boolean = isPassingFault): Promise<void> {
    const { onReach, lease, logger } = this.#options;
    try {
      const term = await this.#take();
      onReach?.(undefined);
      await term?.begun;
      this.#unableReason = undefined;
    } catch (error) {
      const term = this.#term;
      const isPassing = isTransient(error);
      if (term === undefined) {
        if (!isPassing) this.#stop.abort();
        if (!isPassing) throw error;
        onReach?.(error);
        return;
      }
      const isFinal = !isPassing && !this.divert(error) && !term.over.signal.aborted;
      term.over.abort();
      await term.ended;
      await lease.release().catch(() => {});
      if (isFinal) {
        this.#stop.abort();
        throw error;
      }
      const reason = errorText(error);
      // One line for a fault that stays.
      if (reason !== this.#unableReason) logger.warn({ err: reason }, "writing could not begin: standing by");
      this.#unableReason = reason;
    }
  }

  /** Asks for the lease; returns the new term, or undefined if another process holds it. */
  async #take(): Promise<Term | undefined> {
    const askedMs = performance.now();
    const { lease, logger } = this.#options;
    const token = await lease.acquire();
    if (token === undefined) return undefined;
    if (this.#stop.signal.aborted) {
      await lease.release().catch(() => {});
      return undefined;
    }
    logger.info({ token }, "this process writes");
    this.#turns++;
    const over = new AbortController();
    const begun = this.#options.begin();
    begun.catch(() => {});
    const term = { token, over, begun, ended: this.#end(over.signal, begun) };
    this.#term = term;
    void this.#keep(term, askedMs);
    return term;
  }

  async #end(over: AbortSignal, begun: Promise<void>): Promise<void> {
    await new Promise((resolve) => over.addEventListener("abort", resolve, { once: true }));
    await this.#options.end();
    await begun.catch(() => {});
    this.#term = undefined;
  }

  /** Renews the lease until the term is over. A lease that is not renewed in time is lost, for whatever reason. */
  async #keep(term: Term, askedMs: number): Promise<void> {
    const { lease, logger } = this.#options;
    const { signal } = term.over;
    let heldUntilMs = askedMs + lease.ttlMs;
    while (!signal.aborted) {
      const nextMs = Math.min(lease.ttlMs / RENEWALS, heldUntilMs - performance.now());
      await this.#pause(nextMs, signal);
      if (signal.aborted) return;
      const renewedMs = performance.now();
      const outcome = await this.#renew(heldUntilMs, signal);
      if (signal.aborted) return;
      if (outcome === "held") {
        heldUntilMs = renewedMs + lease.ttlMs;
      } else if (outcome === "late" || performance.now() >= heldUntilMs) {
        this.#lose(term, "it could not be renewed in time");
      } else if (outcome.error instanceof StoreError && outcome.error.code === "locked") {
        this.#lose(term, outcome.error.message);
      } else {
        logger.warn({ err: errorText(outcome.error) }, "the lease could not be renewed: trying again");
        await this.#pause(Math.min(lease.ttlMs / (4 * RENEWALS), heldUntilMs - performance.now()), signal);
      }
    }
  }

  /** Renews once; waits no longer than the lease lasts. */
  async #renew(heldUntilMs: number, signal: AbortSignal): Promise<"held" | "late" | { error: unknown }> {
    const renewed = this.#options.lease.renew().then(
      () => "held" as const,
      (error: unknown) => ({ error }),
    );
    const outcome = await within(heldUntilMs - performance.now(), renewed, signal);
    return outcome === LATE ? "late" : outcome;
  }

  #lose(term: Term, reason: string): void {
    if (term.over.signal.aborted) return;
    this.#options.logger.warn(
      { token: term.token, reason },
      "the lease was lost: this process writes no more",
    );
    term.over.abort();
  }

  /** Waits without keeping the process alive. */
  async #pause(ms: number, signal: AbortSignal = this.#stop.signal): Promise<void> {
    await pause(ms, signal, { ref: false });
  }
}
