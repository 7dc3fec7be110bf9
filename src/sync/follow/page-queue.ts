// Fetches pages of records ahead of use, in order. Requests in flight are bounded in number and size, and there are fewer of
// them where pages are large, so memory is bounded however long the backlog is.
import { LinkedAbort } from "../../base/wait.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { RecordSource, RecordsPage, UpstreamHead } from "../upstream/upstream.ts";

/** A page with the versions that it must contain. */
export interface QueuedPage extends RecordsPage {
  readonly start: bigint;
  readonly count: number;
  /** True if the page after it has arrived, too. */
  readonly hasNext: boolean;
}

/** Bounds of a queue. */
export interface PageQueueOptions {
  /** Requests in flight plus pages not yet used. */
  readonly ahead: number;
  /** Records per page. */
  readonly limit: number;
  /** The last version to fetch, as known now. */
  readonly ceiling?: () => bigint | undefined;
}

interface Request {
  readonly start: bigint;
  readonly limit: number;
  readonly stop: AbortController;
  readonly page: Promise<RecordsPage>;
  hasArrived: boolean;
}

/** What the pages ahead should take together, as far as the size of the last one tells. */
const BYTES_AHEAD = 16 * 1024 * 1024;
/** Of large pages: while one is used, the next comes in. */
const LARGE_PAGES_AHEAD = 2;

/** Most full pages in a row before the limit grows again. */
const MAX_PAGES_TO_GROW = 128;

/**
 * Records per page. Shrinks after a short or too large page and doubles after some full pages. Grows less and less
 * often for an upstream that cuts every larger page, because each cut discards the requests ahead of it.
 */
class PageLimit {
  value: number;
  readonly #most: number;
  /** Full pages needed before the next growth, and full pages since the last change. */
  #pagesToGrow = 1;
  #fullPages = 0;
  /** The limit after the last shrink. */
  #valueAfterCut = 0;
  #hasGrown = false;

  constructor(most: number) {
    this.value = most;
    this.#most = most;
  }

  /** True if pages were cut down to one record. */
  get isSingle(): boolean {
    return this.value === 1 && this.#most > 1;
  }

  shrink(value: number): void {
    if (this.#hasGrown) this.#pagesToGrow = Math.min(2 * this.#pagesToGrow, MAX_PAGES_TO_GROW);
    this.value = value;
    this.#valueAfterCut = value;
    this.#fullPages = 0;
    this.#hasGrown = false;
  }

  /** Notes a full page of `size` records. Ignores pages requested under another limit. */
  noteFullPage(size: number): void {
    if (size !== this.value || size === this.#most) return;
    if (size > this.#valueAfterCut) this.#pagesToGrow = 1;
    if (++this.#fullPages < this.#pagesToGrow) return;
    this.value = Math.min(2 * size, this.#most);
    this.#fullPages = 0;
    this.#hasGrown = true;
  }
}

/** Fetches pages from one upstream, from a version on. */
export class PageQueue {
  readonly #upstream: RecordSource;
  readonly #ahead: number;
  readonly #ceiling: () => bigint | undefined;
  readonly #signal: AbortSignal;
  readonly #requests: Request[] = [];
  readonly #limit: PageLimit;
  #next: bigint;
  #head: UpstreamHead | undefined;
  /** Size of the last page. */
  #pageBytes = 0;

  constructor(upstream: RecordSource, start: bigint, options: PageQueueOptions, signal: AbortSignal) {
    this.#upstream = upstream;
    this.#next = start;
    this.#ahead = options.ahead;
    this.#ceiling = options.ceiling ?? (() => undefined);
    this.#limit = new PageLimit(options.limit);
    this.#signal = signal;
  }

  /** Version that the next page starts with. */
  get nextStart(): bigint {
    return this.#requests[0]?.start ?? this.#next;
  }

  /** True when the last head seen, or the ceiling, is below the next version. */
  get isAtHead(): boolean {
    const ceiling = this.#ceiling();
    if (ceiling !== undefined && this.nextStart > ceiling) return true;
    return this.#head !== undefined && this.nextStart > this.#head.version;
  }

  /** The next page. Throws UpstreamError; `beyond_head` when there is none yet. */
  async next(): Promise<QueuedPage> {
    for (;;) {
      this.#fill();
      const request = this.#requests[0];
      if (request === undefined) throw new Error("no request in flight");
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

  /** Aborts requests in flight. */
  close(): void {
    for (const request of this.#requests.splice(0)) request.stop.abort();
  }

  #fill(): void {
    while (this.#requests.length < this.#mostAhead()) {
      // The first request learns the head; later ones go only up to it.
      const isWanted =
        this.#requests.length === 0 || (this.#head !== undefined && this.#next <= this.#head.version);
      const limit = this.#room();
      if (!isWanted || limit === 0) return;
      this.#requests.push(this.#send(this.#next, limit));
      this.#next += BigInt(limit);
    }
  }

  #mostAhead(): number {
    // A single record may be as large as several pages.
    if (this.#limit.isSingle) return 1;
    const fitting = Math.floor(BYTES_AHEAD / Math.max(this.#pageBytes, 1));
    return Math.min(this.#ahead, Math.max(fitting, LARGE_PAGES_AHEAD));
  }

  /** Records to ask for next: none beyond the ceiling, except the first, which learns the head. */
  #room(): number {
    const { value } = this.#limit;
    const ceiling = this.#ceiling();
    if (ceiling === undefined || ceiling - this.#next >= BigInt(value)) return value;
    const room = Number(ceiling - this.#next + 1n);
    return room > 0 ? room : this.#requests.length === 0 ? 1 : 0;
  }

  #send(start: bigint, limit: number): Request {
    const stop = new LinkedAbort(this.#signal);
    const page = this.#upstream.getRecords(start, limit, stop.signal).finally(() => stop.unlink());
    const request: Request = { start, limit, stop, page, hasArrived: false };
    // `next` reports the error; until then it must not count as unhandled.
    page.then(
      () => {
        request.hasArrived = true;
      },
      () => {},
    );
    return request;
  }

  #accept(request: Request, page: RecordsPage): QueuedPage {
    const count = countOf(page);
    if (count === 0 || count > request.limit) {
      throw new UpstreamError("malformed", `asked for 1 to ${request.limit} records, got ${count}`);
    }
    this.#requests.shift();
    this.#head = page.head;
    this.#pageBytes = page.bytes.length;
    const following = request.start + BigInt(count);
    if (following !== (this.#requests[0]?.start ?? this.#next)) {
      // A short page: the upstream's limit is lower, or it was at its head.
      this.close();
      this.#next = following;
      if (page.head.version >= following) this.#limit.shrink(count);
    } else {
      this.#limit.noteFullPage(count);
    }
    return { ...page, start: request.start, count, hasNext: this.#requests[0]?.hasArrived === true };
  }
}

function countOf(page: RecordsPage): number {
  try {
    return new BcsReader(page.bytes).uleb();
  } catch (error) {
    throw new UpstreamError("malformed", "a page of records does not start with a valid count", {
      cause: error,
    });
  }
}
