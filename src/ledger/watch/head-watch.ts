// Learns of new versions for reads that wait and for watchers of changes. A process that writes hears of its own commits.
// Any other process looks at the store at a steady pace, once for all of them and only while there are any. Reads that wait
// stand in order of version: a commit looks at the front, so those that wait for later versions cost nothing.
import { passingUpTo } from "../../base/search.ts";
import { LedgerError } from "../errors.ts";
import { lastToldVersion, type TrustLevel } from "../trust.ts";
import { type Ledger, type LedgerPosition, withView } from "../view.ts";
import { ChangeFeed, type Commit } from "./change-feed.ts";

/** The ledger must be at this version; a read waits for it for some time. */
export interface MinVersion {
  readonly version: bigint;
  readonly waitMs: number;
}

/** Longest wait of one read. */
export const MAX_WAIT_MS = 30_000;

/** Throws LedgerError `behind`, which tells how far, if the latest version is below the least one. */
export function assertReached(latest: bigint, { version, waitMs }: MinVersion): void {
  if (latest >= version) return;
  const behind = version - latest;
  throw new LedgerError(
    "behind",
    `the ledger is at version ${latest}, ${behind} behind version ${version}, after a wait of at most ${waitMs} ms`,
    { details: { latest, behind } },
  );
}

/** A wait in progress. */
interface Wait {
  /** Resolves when the version is there, the time is over, or `end` is called. Never rejects. */
  readonly done: Promise<void>;
  end(): void;
}

interface Waiter {
  readonly version: bigint;
  readonly wake: () => void;
}

const OVER: Wait = { done: Promise.resolve(), end: () => {} };

export class VersionWaiters {
  /** In order of version. */
  readonly #waiters: Waiter[] = [];
  /** Latest version that this process heard of. */
  #head = -1n;
  #isClosed = false;

  /** How many wait. */
  get count(): number {
    return this.#waiters.length;
  }

  /** Waits until the ledger is at a version, at most `waitMs`. */
  wait(version: bigint, waitMs: number): Wait {
    if (version <= this.#head || this.#isClosed) return OVER;
    let end = (): void => {};
    const done = new Promise<void>((resolve) => {
      const timer = setTimeout(() => end(), waitMs);
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiter = { version, wake };
      this.#waiters.splice(this.#placeBehind(version), 0, waiter);
      end = () => {
        const place = this.#waiters.indexOf(waiter);
        if (place >= 0) this.#waiters.splice(place, 1);
        wake();
      };
    });
    return { done, end };
  }

  /** The ledger is at a version: wakes those that wait for it or an earlier one. */
  reach(version: bigint): void {
    if (version <= this.#head) return;
    this.#head = version;
    if ((this.#waiters[0]?.version ?? version + 1n) > version) return;
    for (const { wake } of this.#waiters.splice(0, this.#placeBehind(version))) wake();
  }

  /** Another ledger at this version took the place of the old one, mostly an earlier state of it: later versions must be reached again. */
  goBack(version: bigint): void {
    this.#head = -1n;
    this.reach(version);
  }

  /** Ends all waits, those that come later included. */
  close(): void {
    this.#isClosed = true;
    for (const { wake } of this.#waiters.splice(0)) wake();
  }

  /** Place behind all that wait for this version or an earlier one. */
  #placeBehind(version: bigint): number {
    return passingUpTo(this.#waiters, (waiter) => waiter.version <= version);
  }
}

export interface HeadWatchOptions {
  readonly ledger: Ledger;
  /** True while `committed` is called for every commit; false if the store must be looked at. */
  readonly isTold: () => boolean;
  /** Versions below this level are not told until they have it; undefined tells all. */
  readonly least?: TrustLevel | undefined;
}

/** Between two looks at the store. */
const LOOK_MS = 20;
/** Every fiftieth look opens a view even if nothing was written: it finds out that the store is gone. */
const WHOLE_LOOKS = 50;

export class HeadWatch {
  readonly feed: ChangeFeed;
  readonly #options: HeadWatchOptions;
  readonly #waiters = new VersionWaiters();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #looks = 0;
  /** The ledger's last write before the last look; undefined if that look is not enough. */
  #seen: bigint | undefined;

  constructor(options: HeadWatchOptions) {
    this.#options = options;
    this.feed = new ChangeFeed(options.ledger, (position) => this.headOf(position));
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
  wentBack(to: bigint): void {
    this.#waiters.goBack(to);
    this.feed.goBack();
  }

  /** Level below which changes are held back; undefined if none are. */
  get least(): TrustLevel | undefined {
    return this.#options.least;
  }

  /** The last version that is told, or that has another level. Throws LedgerError `unavailable` if there is none. */
  headOf(position: LedgerPosition, least: TrustLevel | undefined = this.least): bigint {
    return lastToldVersion(position, least);
  }

  /** Makes sure that new versions are noticed while something waits for them. Call after joining the feed. */
  look(): void {
    this.#seen = undefined;
    this.#lookSoon();
  }

  #lookSoon(): void {
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
    this.#lookSoon();
  }

  async #lookAtStore(): Promise<void> {
    const write = this.#options.ledger.lastWrite?.();
    if (write !== undefined && write === this.#seen && ++this.#looks % WHOLE_LOOKS !== 0) return;
    this.#seen = write;
    try {
      if (this.#waiters.count > 0) {
        // Another process may have put the ledger back.
        await withView(this.#options.ledger.openView(), ({ position }) =>
          this.#waiters.goBack(position.version),
        );
      }
      await this.feed.round();
    } catch {
      // The store is out of reach or has no ledger: nothing is new.
      this.#seen = undefined;
    }
  }
}
