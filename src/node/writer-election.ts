// Whose turn it is to write a shared store. One process holds the lease and writes; the others answer and wait, and
// whoever finds the lease lapsed takes it, with a higher token, and goes on where the last one stopped. One who
// loses the lease stops writing at once and waits like the others.
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { isPassingFault, StoreError } from "../store/errors.ts";
import type { WriterLease } from "../store/writer-lease.ts";

/** What a election works with. */
export interface WriterElectionOptions {
  readonly lease: WriterLease;
  /** Starts writing. `end` may be called before it settles. */
  readonly begin: () => Promise<void>;
  /** Stops writing; settles when nothing more will be written. */
  readonly end: () => Promise<void>;
  /** Told when writing cannot begin for a reason that does not pass; then nothing is tried any more. */
  readonly onFault: (error: unknown) => void;
  /** Told when the lease cannot be asked for, with the error, and when it can again. */
  readonly onReach?: (error: unknown) => void;
  readonly logger: Logger;
}

/** What a process is: `writer` holds the lease, `standby` waits for it. */
export type SuccessionRole = "writer" | "standby";

/** How long a stop waits for writes in hand, and for the lease to be given back, when the store does not answer. */
const STOP_MS = 5000;

/** Parts of its life after which a lease is renewed, or asked for again. */
const ROUNDS = 3;

interface Term {
  readonly token: bigint;
  /** Aborted when the lease is lost or given up. */
  readonly over: AbortController;
  readonly begun: Promise<void>;
  /** Settles when the term is over and nothing more is written. */
  readonly ended: Promise<void>;
}

/** The turns of one process. */
export class WriterElection {
  readonly #options: WriterElectionOptions;
  readonly #stop = new AbortController();
  #term: Term | undefined;
  #turns = 0;

  constructor(options: WriterElectionOptions) {
    this.#options = options;
  }

  get role(): SuccessionRole {
    return this.#term === undefined ? "standby" : "writer";
  }

  /** The token that this process writes with; undefined while it does not. */
  get token(): bigint | undefined {
    return this.#term?.token;
  }

  /** How often this process began to write. */
  get turns(): number {
    return this.#turns;
  }

  /** Asks for the lease once, and begins where it is given. Rejects when either fails; later faults go to `onFault`. */
  async start(): Promise<void> {
    const term = await this.#take();
    if (term === undefined) this.#options.logger.info({}, "another process writes: standing by");
    else await term.begun;
    void this.#run();
  }

  /** Takes the error of a write: true when it says that another one writes; then this one's turn is over. */
  divert(error: unknown): boolean {
    if (!(error instanceof StoreError) || error.code !== "locked" || this.#term === undefined) return false;
    this.#lose(this.#term, errorText(error));
    return true;
  }

  /** Ends the turn, if it is this one's, gives the lease back, and asks for it no more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const term = this.#term;
    const isHeld = term !== undefined && !term.over.signal.aborted;
    term?.over.abort();
    await orLate(term?.ended);
    if (!isHeld) return;
    const { lease, logger } = this.#options;
    const released = lease.release().catch((error: unknown) => {
      logger.warn({ err: errorText(error) }, "the lease could not be given back: it will lapse");
    });
    await orLate(released);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (this.#term === undefined) {
        await this.#pause(this.#options.lease.ttlMs / ROUNDS);
        if (this.#stop.signal.aborted) return;
        await this.#tryToTake();
      }
      await this.#term?.ended;
    }
  }

  async #tryToTake(): Promise<void> {
    const { onFault, onReach, lease, logger } = this.#options;
    try {
      const term = await this.#take();
      onReach?.(undefined);
      await term?.begun;
    } catch (error) {
      const term = this.#term;
      if (term === undefined) {
        onReach?.(error);
        return;
      }
      const isFinal = !isPassingFault(error) && !this.divert(error) && !term.over.signal.aborted;
      term.over.abort();
      await term.ended;
      await lease.release().catch(() => {});
      if (!isFinal) {
        logger.warn({ err: errorText(error) }, "writing could not begin: standing by");
        return;
      }
      this.#stop.abort();
      onFault(error);
    }
  }

  /** Asks for the lease: the term that begins with it, if it was given. */
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

  /** Renews the lease until the term is over. What cannot be renewed in time is lost, whoever is to blame. */
  async #keep(term: Term, askedMs: number): Promise<void> {
    const { lease, logger } = this.#options;
    const { signal } = term.over;
    let heldUntilMs = askedMs + lease.ttlMs;
    while (!signal.aborted) {
      const nextMs = Math.min(lease.ttlMs / ROUNDS, heldUntilMs - performance.now());
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
        await this.#pause(Math.min(lease.ttlMs / (4 * ROUNDS), heldUntilMs - performance.now()), signal);
      }
    }
  }

  /** Renews once, and waits no longer for it than the lease holds. */
  async #renew(heldUntilMs: number, signal: AbortSignal): Promise<"held" | "late" | { error: unknown }> {
    const answered = new AbortController();
    const late = this.#pause(heldUntilMs - performance.now(), AbortSignal.any([signal, answered.signal]));
    const renewed = this.#options.lease.renew().then(
      () => "held" as const,
      (error: unknown) => ({ error }),
    );
    const outcome = await Promise.race([renewed, late.then(() => "late" as const)]);
    answered.abort();
    return outcome;
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
    await sleep(Math.max(0, ms), undefined, { ref: false, signal }).catch(() => {});
  }
}

async function orLate(work: Promise<void> | undefined): Promise<void> {
  const done = new AbortController();
  const late = sleep(STOP_MS, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([work, late]);
  done.abort();
}
