// Learns of new versions for reads that wait and for watchers of changes. A process that writes hears of its own commits.
// Any other process looks at the store at a steady pace, once for all of them and only while there are any.
import { LedgerError } from "../errors.ts";
import { formatTrust, lastVersionWith, type TrustLevel } from "../trust.ts";
import { type Ledger, type LedgerPosition, withView } from "../view.ts";
import { ChangeFeed, type Commit } from "./change-feed.ts";
import { VersionWaiters, type Wait } from "./version-waiters.ts";

export interface HeadWatchOptions {
  readonly ledger: Ledger;
  /** True while `committed` is called for every commit; false if the store must be looked at. */
  readonly isTold: () => boolean;
  /** Versions below this level are not told until they have it; undefined tells all. */
  readonly least?: TrustLevel | undefined;
}

/** Between two looks at the store. */
const LOOK_MS = 20;

export class HeadWatch {
  readonly feed: ChangeFeed;
  readonly #options: HeadWatchOptions;
  readonly #waiters = new VersionWaiters();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Others that hold changes back, see `heldTo`. */
  readonly #held: HeadWatch[] = [];

  constructor(options: HeadWatchOptions) {
    this.#options = options;
    this.feed = new ChangeFeed(options.ledger, (position) => this.headOf(position));
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
  wentBack(to: bigint): void {
    this.#waiters.goBack(to);
    this.feed.goBack();
    for (const held of this.#held) held.wentBack(to);
  }

  /** A watch that tells a version once it has a level. Levels rise without a commit, so it looks at the store. */
  heldTo(least: TrustLevel): HeadWatch {
    const held = new HeadWatch({ ledger: this.#options.ledger, isTold: () => false, least });
    this.#held.push(held);
    return held;
  }

  /** Level below which changes are held back; undefined if none are. */
  get least(): TrustLevel | undefined {
    return this.#options.least;
  }

  /** The last version that is told, or that has another level. Throws LedgerError `unavailable` if there is none. */
  headOf(position: LedgerPosition, least: TrustLevel | undefined = this.least): bigint {
    const head = least === undefined ? position.version : lastVersionWith(position, least);
    if (head !== undefined) return head;
    const level = formatTrust(least as TrustLevel);
    throw new LedgerError(
      "unavailable",
      `no version has trust level ${level} yet, and none below it is told`,
    );
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
    for (const held of this.#held) held.close();
  }

  async #look(): Promise<void> {
    if (!this.#options.isTold()) await this.#lookAtStore();
    this.#timer = undefined;
    this.look();
  }

  async #lookAtStore(): Promise<void> {
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
    }
  }
}
