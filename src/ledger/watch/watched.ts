// Things whose changes can be watched, a balance or the blocks, and topics: what the watchers of one thing share. The
// changes are read once for all of them.
import { nextTurn } from "../../base/wait.ts";
import type { OpenView } from "../balances/balance-history.ts";
import { LedgerError } from "../errors.ts";
import { compareTrust, formatTrust, type TrustLevel } from "../trust.ts";
import type { VersionRange } from "../version-range.ts";
import type { LedgerView } from "../view.ts";

/** What a watcher is told: the state at a version, or a change by it. */
export interface WatchEvent {
  readonly version: bigint;
  /** Names the version and the history up to it: where to go on. */
  readonly id: string;
  /** What the event rests on as it is told. */
  readonly trust: TrustLevel;
}

export interface Watched<E extends WatchEvent> {
  readonly kind: WatchKind<E>;
  /** The same for all watchers of the same thing, within its kind. */
  readonly id: string;
  /** Hashes of the state keys that a change must write; undefined if every commit is a change. */
  readonly keys: readonly Uint8Array[] | undefined;
  /** The state at a version. */
  current(view: LedgerView, version: bigint): Promise<E>;
  /** The changes in a range, oldest first, in pieces. Throws LedgerError `version_pruned` if the range is not kept. */
  changes(openView: OpenView, range: VersionRange): AsyncIterable<readonly E[]>;
}

/** The same, but changes throws LedgerError `unavailable` at an event that has less than a level. */
export function heldTo<E extends WatchEvent>(watched: Watched<E>, least: TrustLevel): Watched<E> {
  return {
    ...watched,
    changes: async function* (openView, range) {
      for await (const events of watched.changes(openView, range)) {
        const weak = events.find(({ trust }) => compareTrust(trust, least) < 0);
        if (weak === undefined) {
          yield events;
          continue;
        }
        yield events.slice(0, events.indexOf(weak));
        const [got, wanted] = [formatTrust(weak.trust), formatTrust(least)];
        throw new LedgerError(
          "unavailable",
          `version ${weak.version} rests on ${got}, and ${wanted} is asked for`,
        );
      }
    },
  };
}

export interface Subscriber<E extends WatchEvent> {
  /** It knows the state at this version and is told of later changes. */
  after: bigint;
  take(event: E): void;
  /** No more events follow: the feed was closed, or reading the changes failed. */
  end(error: unknown): void;
}

/** A topic of any kind. */
export interface AnyTopic {
  /** See Watched. */
  readonly keys: readonly Uint8Array[] | undefined;
  readonly isEmpty: boolean;
  /** Tells the changes in a range. */
  tell(openView: OpenView, range: VersionRange): Promise<void>;
  /** Ends all subscriptions. */
  end(error: unknown): void;
  /** Takes it out of the topics of its feed. */
  remove(): void;
}

/** Subscribers told in one turn of the event loop. */
const TOLD_AT_ONCE = 256;

class Topic<E extends WatchEvent> implements AnyTopic {
  readonly subscribers = new Set<Subscriber<E>>();
  readonly #watched: Watched<E>;
  readonly #topics: Map<string, Topic<E>>;

  constructor(watched: Watched<E>, topics: Map<string, Topic<E>>) {
    this.#watched = watched;
    this.#topics = topics;
    topics.set(watched.id, this);
  }

  get keys(): readonly Uint8Array[] | undefined {
    return this.#watched.keys;
  }

  get isEmpty(): boolean {
    return this.subscribers.size === 0;
  }

  async tell(openView: OpenView, range: VersionRange): Promise<void> {
    for await (const events of this.#watched.changes(openView, range)) {
      for (const event of events) await this.#send(event);
      if (this.isEmpty) return;
    }
  }

  async #send(event: E): Promise<void> {
    let count = 0;
    for (const subscriber of this.subscribers) {
      if (event.version <= subscriber.after) continue;
      subscriber.after = event.version;
      subscriber.take(event);
      if (++count % TOLD_AT_ONCE === 0) await nextTurn();
    }
  }

  end(error: unknown): void {
    for (const subscriber of this.subscribers) subscriber.end(error);
    this.subscribers.clear();
  }

  remove(): void {
    this.#topics.delete(this.#watched.id);
  }
}

/** A kind of things that are watched, with its topics: all subscribers of a topic take the events of its kind. */
export class WatchKind<E extends WatchEvent> {
  readonly #topics = new WeakMap<object, Map<string, Topic<E>>>();

  /** The topic of a feed; undefined if nobody watches this. */
  find(feed: object, { id }: Pick<Watched<E>, "id">): Topic<E> | undefined {
    return this.#topics.get(feed)?.get(id);
  }

  /** A new topic of a feed. */
  add(feed: object, watched: Watched<E>): Topic<E> {
    const topics = this.#topics.get(feed) ?? new Map<string, Topic<E>>();
    this.#topics.set(feed, topics);
    return new Topic(watched, topics);
  }
}
