// The queue of admission control. Connections take turns, so that one with many requests does not delay the others.
// The queue works in short slices, one per event-loop turn, so that timers, commits and new connections get theirs.
// Refusals run in slices too: clients that retry at once must not use up the loop.
import { takeTurn } from "../../base/wait.ts";

/** Time per loop turn for serving, and for refusing. Short, because the loop accepts one connection per turn. */
const SERVE_SLICE: Slice = { ms: 4, least: 4 };
const REFUSE_SLICE: Slice = { ms: 4, least: 64 };
/** Initial cost estimate: as if this many requests had taken this long. */
const [FIRST_MS, FIRST_COUNT] = [100, 1000];
/** Weight of earlier slices in the cost estimate: one stall must not spoil it. */
const MEMORY = 0.95;

/** Runs for `ms`, but at least `least` items. */
interface Slice {
  readonly ms: number;
  readonly least: number;
}

/** Queued items by connection, served round-robin. */
class Turns<K, T> {
  /** Connections in the order of their next turn. */
  readonly #lines = new Map<K, T[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get connections(): number {
    return this.#lines.size;
  }

  countOf(key: K): number {
    return this.#lines.get(key)?.length ?? 0;
  }

  add(key: K, item: T): void {
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, [item]);
    else line.push(item);
    this.#length++;
  }

  take(): T | undefined {
    const [entry] = this.#lines;
    if (entry === undefined) return undefined;
    const [key, line] = entry;
    this.#lines.delete(key);
    const item = line.shift();
    if (line.length > 0) this.#lines.set(key, line);
    this.#length--;
    return item;
  }
}

/** Resolves after all pending promise callbacks ran. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

/** Queues requests by connection and calls back in turn. */
export class RequestQueue<K, T> {
  readonly #serve: (item: T) => void;
  readonly #refuse: (item: T) => void;
  readonly #waiting = new Turns<K, T>();
  readonly #refused = new Turns<K, T>();
  /** Time spent on requests and their number, weighted towards recent ones. */
  #spentMs = FIRST_MS;
  #spentOn = FIRST_COUNT;
  #isRunning = false;

  constructor(serve: (item: T) => void, turnAway: (item: T) => void) {
    this.#serve = serve;
    this.#refuse = turnAway;
  }

  /** Requests are queued: later ones must not overtake them. */
  get isBusy(): boolean {
    return this.#isRunning;
  }

  /** Queued requests to serve. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Queued requests, refusals included. */
  get total(): number {
    return this.#waiting.length + this.#refused.length;
  }

  /** Queued requests of a connection, refusals included. */
  countOf(connection: K): number {
    return this.#waiting.countOf(connection) + this.#refused.countOf(connection);
  }

  /** Expected wait of a new request on this connection. */
  expectedWaitMs(connection: K): number {
    const before = (this.#waiting.countOf(connection) + 1) * this.#waiting.connections;
    return Math.min(before, this.#waiting.length) * this.#costMs;
  }

  /** Expected time to serve the whole queue. */
  get backlogMs(): number {
    return this.#waiting.length * this.#costMs;
  }

  get #costMs(): number {
    return this.#spentMs / this.#spentOn;
  }

  /** Serves a request in its turn. */
  add(connection: K, item: T): void {
    this.#waiting.add(connection, item);
    this.#start();
  }

  /** Refuses a request in its turn. */
  refuse(connection: K, item: T): void {
    this.#refused.add(connection, item);
    this.#start();
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    while (this.total > 0) {
      await takeTurn();
      const started = performance.now();
      const served = await this.#slice(this.#waiting, this.#serve, SERVE_SLICE);
      if (served > 0) {
        this.#spentMs = this.#spentMs * MEMORY + performance.now() - started;
        this.#spentOn = this.#spentOn * MEMORY + served;
      }
      await this.#slice(this.#refused, this.#refuse, REFUSE_SLICE);
    }
    this.#isRunning = false;
  }

  async #slice(turns: Turns<K, T>, handle: (item: T) => void, slice: Slice): Promise<number> {
    const until = performance.now() + slice.ms;
    let handled = 0;
    while (turns.length > 0 && (handled < slice.least || performance.now() < until)) {
      const item = turns.take();
      if (item !== undefined) handle(item);
      handled++;
      await settled();
    }
    return handled;
  }
}

/** Time between ticks, and so the precision of the figures. */
const BEAT_MS = 25;
/** Ticks until the longest delay is forgotten: it covers the last 10 to 20 seconds. */
const GENERATION_BEATS = 10_000 / BEAT_MS;

/**
 * Measures event-loop delay. A timer ticks many times a second: a late tick shows how long requests waited behind other
 * work, and the time since the last tick shows how long the loop has been busy right now. Created stopped.
 */
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
