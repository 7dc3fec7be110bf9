// Waiting: turns of the event loop for other work, pauses that a signal ends, bounds of a time, and retries.

import type { Pieces } from "./pieces.ts";

/** Whose work it is: however many requests stand in line, the writer's next piece is not behind them. */
export type Line = "requests" | "writer";

const last: Record<Line, Promise<void>> = { requests: Promise.resolve(), writer: Promise.resolve() };

/**
 * Resolves in a later turn of the event loop. Reads of a mapped file never wait, so work that only awaits them would keep
 * the loop to itself. All callers of a line wait one after the other, and each turn lets one of them on: however many
 * works run at once, a turn is never longer than one piece of each line.
 */
export function nextTurn(line: Line = "requests"): Promise<void> {
  last[line] = last[line].then(() => takeTurn());
  return last[line];
}

/** Yields the very next turn of the event loop, in no line; throws the signal's reason if it is aborted. */
export async function takeTurn(signal?: AbortSignal): Promise<void> {
  // Browsers have timers only.
  await new Promise((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
  signal?.throwIfAborted();
}

/** Longest slice in milliseconds, as far as one step is shorter. */
const SLICE_MS = 4;

/** Long work in slices, with other work of the process between them. Results must not depend on it. */
export class Slices {
  readonly #line: Line;
  #startMs = performance.now();

  constructor(line: Line = "requests") {
    this.#line = line;
  }

  /** To be awaited between two steps: undefined while the slice lasts, else it resolves when other work had its turn. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#startMs < SLICE_MS) return undefined;
    return nextTurn(this.#line).then(() => {
      this.#startMs = performance.now();
    });
  }

  /** Does work in pieces. */
  async do<T>(pieces: Pieces<T>): Promise<T> {
    for (;;) {
      const { done, value } = pieces.next();
      if (done === true) return value;
      await this.pause();
    }
  }
}

/** Resolves after the time, or at once when the signal is aborted. Without `ref` it does not keep the process alive. */
export function pause(ms: number, signal?: AbortSignal, { ref = true } = {}): Promise<void> {
  if (signal?.aborted === true || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (!ref) timer.unref();
    signal?.addEventListener("abort", done);
  });
}

/** What `within` resolves to when the work takes too long. */
export const LATE: unique symbol = Symbol("late");

/** The result of the work, or LATE after `ms` or when the signal is aborted. The work itself continues. */
export async function within<T>(
  ms: number,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<T | typeof LATE> {
  const over = new AbortController();
  const end = (): void => over.abort();
  signal?.addEventListener("abort", end);
  if (signal?.aborted === true) end();
  try {
    return await Promise.race([work, pause(ms, over.signal).then((): typeof LATE => LATE)]);
  } finally {
    end();
    signal?.removeEventListener("abort", end);
  }
}

/** Bounds of a piece of work. */
export interface Deadline {
  readonly ms: number;
  readonly signal: AbortSignal;
  /** The error after `ms`. */
  readonly late: () => Error;
}

/**
 * Aborts by itself, or with another signal until `unlink`. Not AbortSignal.any(): a signal that lives as long as the node
 * would keep every piece of work in memory.
 */
export class LinkedAbort extends AbortController {
  readonly #outer: AbortSignal;
  readonly #onAbort = (): void => this.abort(this.#outer.reason);

  constructor(outer: AbortSignal) {
    super();
    this.#outer = outer;
    if (outer.aborted) this.#onAbort();
    else outer.addEventListener("abort", this.#onAbort);
  }

  unlink(): void {
    this.#outer.removeEventListener("abort", this.#onAbort);
  }
}

/**
 * Runs work that ends by its signal: after the time with the error `late`, or with the reason of the outer signal. The
 * signal also ends what is left of work that failed.
 */
export async function withDeadline<T>(
  { ms, signal, late }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const limits = new LinkedAbort(signal);
  const ended = new Promise<never>((_, reject) => {
    limits.signal.addEventListener("abort", () => reject(limits.signal.reason), { once: true });
  });
  // Work that throws at once is not raced with it.
  ended.catch(() => {});
  const timer = setTimeout(() => limits.abort(late()), ms);
  try {
    return await Promise.race([work(limits.signal), ended]);
  } catch (error) {
    limits.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    limits.unlink();
  }
}

/** Resolves when all works have ended, or after one that is enough. Rejects as they do. */
export function untilEnough(works: readonly Promise<unknown>[], isEnough: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let open = works.length;
    if (open === 0) resolve();
    for (const work of works) {
      work.then(() => {
        if (--open === 0 || isEnough()) resolve();
      }, reject);
    }
  });
}

/** First and longest pause. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Pause after `failures` in a row: doubles each time; the upper half of it is random. */
export function backoffMs(failures: number, options: BackoffOptions, random: () => number): number {
  const full = Math.min(options.maxMs, options.baseMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (full / 2) * random();
}

/** Longest pause that another side can ask for. */
export const MAX_RETRY_AFTER_MS = 600_000;

/** Milliseconds of a Retry-After header (seconds or a date); undefined for anything else. */
export function parseRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || text.length > 64) return undefined;
  const bare = text.trim();
  const isSeconds =
    bare.length > 0 && bare.length <= 9 && [...bare].every((digit) => digit >= "0" && digit <= "9");
  const waitMs = isSeconds ? Number.parseInt(bare, 10) * 1000 : Date.parse(bare) - nowMs;
  if (!Number.isFinite(waitMs)) return undefined;
  return Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}

/** What a cap without a rate begins with when it is slowed, and the slowest one. */
const [FIRST_INTERVAL_MS, MAX_INTERVAL_MS] = [20, 1000];
/** A cap that was slowed needs about 700 turns for the rate that it had. */
const RECOVERY = 0.999;

/** Limits turns per second; zero means no cap. The other side may close it for a time. */
export class RateCap {
  readonly #leastMs: number;
  #intervalMs: number;
  #slowedMs = Number.NEGATIVE_INFINITY;
  #nextMs = 0;
  #openMs = 0;

  constructor(perSecond: number) {
    this.#leastMs = perSecond > 0 ? 1000 / perSecond : 0;
    this.#intervalMs = this.#leastMs;
  }

  /** Halves the rate, once a second at most, after a refusal. It comes back with every turn. */
  slow(): void {
    const now = performance.now();
    if (now - this.#slowedMs < 1000) return;
    this.#slowedMs = now;
    this.#intervalMs = Math.min(MAX_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, 2 * this.#intervalMs));
  }

  /** Milliseconds until it opens again; 0 while it is open. */
  get closedMs(): number {
    return Math.max(0, this.#openMs - performance.now());
  }

  close(ms: number): void {
    this.#openMs = Math.max(this.#openMs, performance.now() + ms);
  }

  /** Waits for the next turn. Allows a burst of five after a quiet time. */
  async turn(signal: AbortSignal): Promise<void> {
    if (this.#intervalMs === 0) return;
    const now = performance.now();
    const at = Math.max(this.#nextMs, now - 4 * this.#intervalMs);
    this.#nextMs = at + this.#intervalMs;
    const faster = this.#intervalMs * RECOVERY;
    this.#intervalMs = faster < Math.max(1, this.#leastMs) ? this.#leastMs : faster;
    await pause(at - now, signal);
    signal.throwIfAborted();
  }
}
