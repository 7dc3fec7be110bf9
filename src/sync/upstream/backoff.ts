// Waiting: exponential backoff with jitter, Retry-After headers, and a rate cap.

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

const MAX_RETRY_AFTER_MS = 600_000;

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

/** Resolves after the time, or at once when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

/** Limits turns per second; zero means no cap. */
export class RateCap {
  readonly #intervalMs: number;
  #nextMs = 0;

  constructor(perSecond: number) {
    this.#intervalMs = perSecond > 0 ? 1000 / perSecond : 0;
  }

  /** Waits for the next turn. Allows a burst of five after a quiet time. */
  async turn(signal: AbortSignal): Promise<void> {
    if (this.#intervalMs === 0) return;
    const now = performance.now();
    const at = Math.max(this.#nextMs, now - 4 * this.#intervalMs);
    this.#nextMs = at + this.#intervalMs;
    await pause(at - now, signal);
    signal.throwIfAborted();
  }
}
