// Gets the pages of one upstream: how far ahead, how long it waits for one while others could be asked, and how many bytes
// an upstream may send for nothing.

import { askInTime, BeyondHead, UpstreamError } from "../upstream/errors.ts";
import type { PoolEntry } from "../upstream/pool.ts";
import type { FollowerParts } from "./follower-parts.ts";
import { PageQueue, type QueuedPage } from "./page-queue.ts";

/** An upstream that failed and has not served since gets this part of the time for a page. */
const FAILED_PAGE_SHARE = 1 / 5;

/** Bytes on the wire from one upstream between two commits: above the bounds of an open block. */
const MAX_BYTES_PER_COMMIT = 256 * 1024 * 1024;

/** What the operator's proofs allow. */
export interface PageBounds {
  /** The last version that may be committed, as known now; -1 for none. */
  readonly ceiling?: (() => bigint) | undefined;
  /** The version that an upstream must have, as known now: commits must lead to it. Undefined for any. */
  readonly goal?: (() => bigint | undefined) | undefined;
}

export class PageFetcher {
  readonly #parts: FollowerParts;
  readonly #bounds: PageBounds;
  /** Pages that did not come in time since the last commit. */
  #slowPages = 0;

  constructor(parts: FollowerParts, bounds: PageBounds) {
    this.#parts = parts;
    this.#bounds = bounds;
  }

  /** The last version to fetch: one that too few upstreams claim, or that must be signed and is not, is not committed. */
  ceiling(): bigint | undefined {
    const { pool, needed } = this.#parts;
    const agreed = needed > 1 ? pool.headVersion(needed) : undefined;
    const allowed = this.#bounds.ceiling?.();
    return agreed === undefined || (allowed !== undefined && allowed < agreed) ? allowed : agreed;
  }

  /** Versions that an upstream has from one on and that may be committed. */
  distance({ head }: PoolEntry, next: bigint): bigint {
    const ceiling = this.ceiling();
    const last = head?.version ?? -1n;
    return (ceiling === undefined || last < ceiling ? last : ceiling) - next + 1n;
  }

  /**
   * The pages of an upstream from a version on, while the next one is wanted. Notes the heads that come with them. Throws
   * UpstreamError, BeyondHead after the last page. The signal ends requests in flight.
   */
  async *pages(
    entry: PoolEntry,
    start: bigint,
    isWanted: (next: bigint) => boolean,
    signal: AbortSignal = this.#parts.signal,
  ): AsyncGenerator<QueuedPage, undefined> {
    const { pace, pool } = this.#parts;
    const bounds = { ahead: pace.ahead, limit: pace.pageLimit, ceiling: () => this.ceiling() };
    const queue = new PageQueue(entry.upstream, start, bounds, signal);
    try {
      while (isWanted(queue.nextStart)) {
        const isOver = queue.isAtHead || !this.#hasGoal(entry);
        if (isOver && entry.head !== undefined) throw new BeyondHead(queue.nextStart, entry.head);
        const page = await this.beforeOthers(entry, () => queue.next());
        checkBudget(entry);
        pool.noteHead(entry, page.head);
        yield page;
      }
    } finally {
      queue.close();
    }
  }

  /** False for an upstream whose last record would be committed without a signature. */
  #hasGoal({ head }: PoolEntry): boolean {
    const goal = this.#bounds.goal?.();
    return goal === undefined || head === undefined || head.version >= goal;
  }

  /** Asks an upstream; gives up a slow one early if there is another one to ask. */
  beforeOthers<T>(entry: PoolEntry, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { pool, pace, signal } = this.#parts;
    const isAlone = !pool.sound.some((other) => other !== entry && pool.isReady(other));
    if (isAlone) return ask(signal);
    // Doubles while nothing is committed, so upstreams that are all slow still serve.
    const patience = 2 ** Math.min(this.#slowPages, 3);
    const share = entry.failures === 0 ? 1 : FAILED_PAGE_SHARE;
    return askInTime(pace.slowPageMs * patience * share, signal, ask).catch((error: unknown) => {
      // An upstream at its head answered in time.
      if (error instanceof UpstreamError && error.code === "unreachable") this.#slowPages++;
      throw error;
    });
  }

  /** Call after each commit. */
  committed(): void {
    this.#slowPages = 0;
  }
}

/** An upstream may send many bytes for few records, but not without end. */
function checkBudget(entry: PoolEntry): void {
  const bytes = entry.upstream.receivedBytes - entry.usefulBytes;
  if (bytes <= MAX_BYTES_PER_COMMIT) return;
  entry.usefulBytes = entry.upstream.receivedBytes;
  throw new UpstreamError("too_large", `it sent ${bytes} bytes without records that could be committed`);
}
