// Requests that wait their turn. Connections take turns, so that one with many requests does not keep others
// waiting. Served for a slice of time in each turn of the event loop, so that timers, commits and new connections
// have theirs; those that cannot be served in time are turned away, in slices too: whoever comes back at once
// must not take all the time there is.
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Time for serving, and for turning away, in each turn of the loop. Short, because the loop accepts one new
 * connection in each.
 */
const SERVE_SLICE: Slice = { ms: 4, least: 4 };
const REFUSE_SLICE: Slice = { ms: 4, least: 64 };
/** Where the estimate of a request's cost begins: as if so many had taken so long. */
const [FIRST_MS, FIRST_COUNT] = [100, 1000];
/** Share of what was measured that each slice leaves in the estimate: one stall must not spoil it. */
const MEMORY = 0.95;

/** What is done in one turn: for so long, and so many in any case, where the machine gives little time. */
interface Slice {
  readonly ms: number;
  readonly least: number;
}

/** Items in line, by connection; one of each connection at a time. */
class Turns<K, T> {
  /** In order of their next turn. */
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

/** Resolves when everything that can go on without the outside world has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

/** Takes requests in by connection, and calls back when their turn has come. */
export class RequestQueue<K, T> {
  readonly #serve: (item: T) => void;
  readonly #refuse: (item: T) => void;
  readonly #waiting = new Turns<K, T>();
  readonly #refused = new Turns<K, T>();
  /** Time spent on requests and their number, the recent ones counting most. */
  #spentMs = FIRST_MS;
  #spentOn = FIRST_COUNT;
  #isRunning = false;

  constructor(serve: (item: T) => void, turnAway: (item: T) => void) {
    this.#serve = serve;
    this.#refuse = turnAway;
  }

  /** True while requests wait: later ones must not overtake them. */
  get isBusy(): boolean {
    return this.#isRunning;
  }

  /** Requests that wait to be served. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Requests that wait for any answer. */
  get total(): number {
    return this.#waiting.length + this.#refused.length;
  }

  /** Requests of a connection that wait for any answer. */
  countOf(connection: K): number {
    return this.#waiting.countOf(connection) + this.#refused.countOf(connection);
  }

  /** How long a request of this connection is likely to wait if it joins now. */
  expectedWaitMs(connection: K): number {
    const before = (this.#waiting.countOf(connection) + 1) * this.#waiting.connections;
    return Math.min(before, this.#waiting.length) * this.#costMs;
  }

  /** How long it is likely to take to serve all that wait. */
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

  /** Turns a request away in its turn. */
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
      await nextTurn();
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
