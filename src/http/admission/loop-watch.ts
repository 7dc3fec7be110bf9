// Measures event-loop delay. A timer ticks many times a second: a late tick shows how long requests waited behind
// other work, and the time since the last tick shows how long the loop has been busy right now.

/** Time between ticks, and so the precision of the figures. */
const BEAT_MS = 25;
/** Ticks until the longest delay is forgotten: it covers the last 10 to 20 seconds. */
const GENERATION_BEATS = 10_000 / BEAT_MS;

/** Created stopped. */
export class LoopWatch {
  readonly #onTick: (nowMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #lastBeatMs = performance.now();
  #beats = 0;
  #longestMs = 0;
  #longestBeforeMs = 0;

  constructor(onTick: (nowMs: number) => void) {
    this.#onTick = onTick;
  }

  start(): void {
    this.#lastBeatMs = performance.now();
    this.#timer = setInterval(() => this.#tick(), BEAT_MS);
    // The timer must not keep the process alive.
    this.#timer.unref();
  }

  /** How long the loop has been busy since the last tick. */
  busyMs(nowMs: number): number {
    return nowMs - this.#lastBeatMs - BEAT_MS;
  }

  /** Longest delay of the last 10 to 20 seconds. */
  get longestDelayMs(): number {
    return Math.max(this.#longestMs, this.#longestBeforeMs, this.busyMs(performance.now()), 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const nowMs = performance.now();
    const lateMs = this.busyMs(nowMs);
    if (lateMs > this.#longestMs) this.#longestMs = lateMs;
    this.#lastBeatMs = nowMs;
    if (++this.#beats % GENERATION_BEATS === 0) {
      this.#longestBeforeMs = this.#longestMs;
      this.#longestMs = 0;
    }
    this.#onTick(nowMs);
  }
}
