// Pages of records asked for ahead of use, in order: a bounded number of requests under way, each of bounded
// size, so the memory for the backlog is bounded whatever the backlog.
import { BcsReader } from "../bcs/reader.ts";
import { UpstreamError } from "./upstream/errors.ts";
import type { RecordsPage, Upstream, UpstreamHead } from "./upstream/upstream.ts";

/** A page with the versions that it must hold. */
export interface QueuedPage extends RecordsPage {
  readonly start: bigint;
  readonly count: number;
}

/** Bounds of a queue. */
export interface PageQueueOptions {
  /** Requests under way and pages not yet used, together. */
  readonly ahead: number;
  /** Records per page. */
  readonly limit: number;
}

interface Request {
  readonly start: bigint;
  readonly limit: number;
  readonly stop: AbortController;
  readonly page: Promise<RecordsPage>;
}

/** Most whole pages in a row before more records are asked for again. */
const MAX_PATIENCE = 128;

/**
 * Records per page: less after a page that came short or was too large, then twice as many after some whole pages.
 * An upstream that cuts every page is tried less and less often: what was asked for ahead is lost each time.
 */
class PageLimit {
  value: number;
  readonly #most: number;
  /** Whole pages before the next growth, and how many there were since the last change. */
  #patience = 1;
  #whole = 0;
  /** The value after the last shrink. */
  #cut = 0;
  #hasGrown = false;

  constructor(most: number) {
    this.value = most;
    this.#most = most;
  }

  shrink(value: number): void {
    if (this.#hasGrown) this.#patience = Math.min(2 * this.#patience, MAX_PATIENCE);
    this.value = value;
    this.#cut = value;
    this.#whole = 0;
    this.#hasGrown = false;
  }

  /** Notes a whole page of the size; those asked for before a change say nothing of the value now. */
  pass(size: number): void {
    if (size !== this.value || size === this.#most) return;
    if (size > this.#cut) this.#patience = 1;
    if (++this.#whole < this.#patience) return;
    this.value = Math.min(2 * size, this.#most);
    this.#whole = 0;
    this.#hasGrown = true;
  }
}

/** Fetches pages from one upstream, from a version on. */
export class PageQueue {
  readonly #upstream: Upstream;
  readonly #ahead: number;
  readonly #signal: AbortSignal;
  readonly #requests: Request[] = [];
  readonly #limit: PageLimit;
  #next: bigint;
  #head: UpstreamHead | undefined;

  constructor(upstream: Upstream, start: bigint, options: PageQueueOptions, signal: AbortSignal) {
    this.#upstream = upstream;
    this.#next = start;
    this.#ahead = options.ahead;
    this.#limit = new PageLimit(options.limit);
    this.#signal = signal;
  }

  /** Version that the next page starts with. */
  get nextStart(): bigint {
    return this.#requests[0]?.start ?? this.#next;
  }

  /** True when the head seen last leaves nothing to ask for. */
  get isAtHead(): boolean {
    return this.#head !== undefined && this.nextStart > this.#head.version;
  }

  /** The next page. Throws UpstreamError, `beyond_head` among them when there is none yet. */
  async next(): Promise<QueuedPage> {
    for (;;) {
      this.#fill();
      const request = this.#requests[0];
      if (request === undefined) throw new Error("no request under way");
      try {
        const page = await request.page;
        return this.#accept(request, page);
      } catch (error) {
        this.close();
        const isTooLarge = error instanceof UpstreamError && error.code === "too_large";
        if (!isTooLarge || request.limit === 1) throw error;
        this.#next = request.start;
        this.#limit.shrink(Math.ceil(request.limit / 2));
      }
    }
  }

  /** Gives up what is under way. */
  close(): void {
    for (const request of this.#requests.splice(0)) request.stop.abort();
  }

  #fill(): void {
    while (this.#requests.length < this.#ahead) {
      // The first request finds out where the head is; more are sent only up to there.
      const isWanted =
        this.#requests.length === 0 || (this.#head !== undefined && this.#next <= this.#head.version);
      if (!isWanted) return;
      this.#requests.push(this.#send(this.#next, this.#limit.value));
      this.#next += BigInt(this.#limit.value);
    }
  }

  #send(start: bigint, limit: number): Request {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(this.#signal.reason);
    if (this.#signal.aborted) onAbort();
    this.#signal.addEventListener("abort", onAbort);
    const page = this.#upstream
      .getRecords(start, limit, stop.signal)
      .finally(() => this.#signal.removeEventListener("abort", onAbort));
    // Whoever takes the page sees the error; until then it must not count as unhandled.
    page.catch(() => {});
    return { start, limit, stop, page };
  }

  #accept(request: Request, page: RecordsPage): QueuedPage {
    const count = countOf(page);
    if (count === 0 || count > request.limit) {
      throw new UpstreamError("malformed", `asked for 1 to ${request.limit} records, got ${count}`);
    }
    this.#requests.shift();
    this.#head = page.head;
    const following = request.start + BigInt(count);
    if (following !== (this.#requests[0]?.start ?? this.#next)) {
      // Shorter than asked for: its own limit is lower, or its head was nearer than thought.
      this.close();
      this.#next = following;
      if (page.head.version >= following) this.#limit.shrink(count);
    } else {
      this.#limit.pass(count);
    }
    return { ...page, start: request.start, count };
  }
}

function countOf(page: RecordsPage): number {
  try {
    return new BcsReader(page.bytes).uleb();
  } catch (error) {
    throw new UpstreamError("malformed", "a page of records does not start with a count", { cause: error });
  }
}
