// Learns of new versions for reads that wait and for watchers of changes. A process that writes hears of its own commits.
// Any other process looks at the store at a steady pace, once for all of them and only while there are any.
import type { Ledger } from "../view.ts";
import { ChangeFeed, type Commit } from "./change-feed.ts";
import { VersionWaiters, type Wait } from "./version-waiters.ts";

export interface HeadWatchOptions {
  readonly ledger: Ledger;
  /** True while `committed` is called for every commit; false if the store must be looked at. */
  readonly isTold: () => boolean;
}

/** Between two looks at the store. */
const LOOK_MS = 20;

export class HeadWatch {
  readonly feed: ChangeFeed;
  readonly #options: HeadWatchOptions;
  readonly #waiters = new VersionWaiters();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #timesBack = 0;
  /** Versions that were undone, of all times together. */
  #undone: { readonly above: bigint; readonly upTo: bigint } | undefined;

  constructor(options: HeadWatchOptions) {
    this.#options = options;
    this.feed = new ChangeFeed(options.ledger);
  }

  /** Reads that wait for a version. */
  get waiters(): number {
    return this.#waiters.count;
  }

  /** Waits until the ledger is at a version, at most `waitMs`. */
  wait(version: bigint, waitMs: number): Wait {
    const wait = this.#waiters.wait(version, waitMs);
    this.look();
    return wait;
  }

  /** This process committed; the commit is visible to views. */
  committed(commit: Commit): void {
    this.#waiters.reach(commit.version);
    this.feed.note(commit);
  }

  /** This process put the ledger back to an earlier version, and may commit others in the place of those above it. */
  wentBack(from: bigint, to: bigint): void {
    const before = this.#undone;
    this.#undone = {
      above: before === undefined || to < before.above ? to : before.above,
      upTo: before === undefined || from > before.upTo ? from : before.upTo,
    };
    this.#timesBack++;
    this.#waiters.goBack(to);
    this.feed.goBack(to);
  }

  /** How often the ledger went back: a watcher that sees another number must begin again. */
  get timesBack(): number {
    return this.#timesBack;
  }

  /** True if a version may be one that was undone: who knows the state at it may have missed changes. */
  mayBeUndone(version: bigint): boolean {
    const undone = this.#undone;
    return undone !== undefined && version > undone.above && version <= undone.upTo;
  }

  /** Makes sure that new versions are noticed while something waits for them. Call after joining the feed. */
  look(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    if (this.#waiters.count === 0 && !this.feed.isWatched) return;
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#waiters.close();
    this.feed.close();
  }

  async #look(): Promise<void> {
    if (!this.#options.isTold()) await this.#lookAtStore();
    this.#timer = undefined;
    this.look();
  }

  async #lookAtStore(): Promise<void> {
    try {
      const view = await this.#options.ledger.openView();
      try {
        this.#waiters.reach(view.position.version);
        await this.feed.noteView(view);
      } finally {
        view.release();
      }
    } catch {
      // The store is out of reach or has no ledger: nothing is new.
    }
  }
}
