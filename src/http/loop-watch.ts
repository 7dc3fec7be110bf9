// Watches the event loop. A timer beats many times a second; how late a beat is says how long requests waited
// behind other work, and how long ago the last one was says for how long the loop has been busy right now.

/** Time between beats: what the figures are exact to. */
const BEAT_MS = 25;
/** Beats after which the longest delay is forgotten: it stands for the last 10 to 20 seconds. */
const GENERATION_BEATS = 10_000 / BEAT_MS;

/** A watch; it does not run yet. */
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
    // A watch is no reason for a process to stay.
    this.#timer.unref();
  }

  /** How long the loop has been busy at this moment, without having come round. */
  busyMs(nowMs: number): number {
    return nowMs - this.#lastBeatMs - BEAT_MS;
  }

  /** Longest delay of the last ten seconds or somewhat more. */
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
