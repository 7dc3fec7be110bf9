// Things whose changes can be watched, a balance or the blocks, and topics: what the watchers of one thing share. The
// changes are read once for all of them.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { Slices } from "../../base/wait.ts";
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
  /** Each version is compared with the one before, so nothing is told of the oldest one that is kept. */
  readonly tellsChanges?: boolean | undefined;
  /** The state at a version. */
  current(view: LedgerView, version: bigint): Promise<E>;
  /**
   * The changes in a range, oldest first, in pieces. Throws LedgerError `version_pruned` if the range is not kept. Where
   * watchers choose, only what `isWanted` takes needs its contents.
   */
  changes(
    openView: OpenView,
    range: VersionRange,
    isWanted?: (event: E) => MaybePromise<boolean>,
  ): AsyncIterable<readonly E[]>;
  /** What this watcher is told, where the watchers of one thing are told different events. */
  readonly choice?: Choice<E> | undefined;
}

/** Chooses events. */
export interface Choice<E extends WatchEvent> {
  /** Every chosen event has one of these values in the group. So an event finds its watchers, instead of asking all. */
  readonly group: string;
  readonly values: readonly string[];
  /** The values of an event in a group. */
  valuesIn(event: E, group: string): Iterable<string>;
  accepts(event: E): boolean;
  /** What is told of an event that was accepted: the event, or a part of it. */
  pick(event: E): E;
}

/** The same, but changes throws LedgerError `unavailable` at an event that has less than a level, if one is asked for. */
export function heldTo<E extends WatchEvent>(watched: Watched<E>, least: TrustLevel | undefined): Watched<E> {
  if (least === undefined) return watched;
  return {
    ...watched,
    changes: async function* (openView, range, isWanted) {
      for await (const events of watched.changes(openView, range, isWanted)) {
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
  /** See Watched. */
  readonly choice?: Choice<E> | undefined;
  /** A promise where that takes long. */
  take(event: E): MaybePromise<void>;
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

class Topic<E extends WatchEvent> implements AnyTopic {
  readonly #subscribers = new Set<Subscriber<E>>();
  /** Subscribers that choose, by group and value. */
  readonly #choosing = new Map<string, Map<string, Set<Subscriber<E>>>>();
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
    return this.#subscribers.size === 0;
  }

  join(subscriber: Subscriber<E>): void {
    this.#subscribers.add(subscriber);
    if (subscriber.choice === undefined) return;
    const { group, values } = subscriber.choice;
    const byValue = this.#choosing.get(group) ?? new Map<string, Set<Subscriber<E>>>();
    this.#choosing.set(group, byValue);
    for (const value of values) byValue.set(value, (byValue.get(value) ?? new Set()).add(subscriber));
  }

  leave(subscriber: Subscriber<E>): void {
    if (!this.#subscribers.delete(subscriber) || subscriber.choice === undefined) return;
    const { group, values } = subscriber.choice;
    const byValue = this.#choosing.get(group);
    for (const value of values) {
      const subscribers = byValue?.get(value);
      subscribers?.delete(subscriber);
      if (subscribers?.size === 0) byValue?.delete(value);
    }
    if (byValue?.size === 0) this.#choosing.delete(group);
  }

  async tell(openView: OpenView, range: VersionRange): Promise<void> {
    const { choice } = this.#watched;
    const chosen = new Map<E, ReadonlySet<Subscriber<E>>>();
    const slices = new Slices();
    const isWanted = async (event: E): Promise<boolean> => {
      const subscribers = await this.#subscribersOf(event, choice, slices);
      if (subscribers.size > 0) chosen.set(event, subscribers);
      return subscribers.size > 0;
    };
    for await (const events of this.#watched.changes(openView, range, isWanted)) {
      for (const event of events) {
        await this.#send(event, choice === undefined ? this.#subscribers : (chosen.get(event) ?? []), slices);
      }
      chosen.clear();
      if (this.isEmpty) return;
    }
  }

  async #subscribersOf(
    event: E,
    choice: Choice<E> | undefined,
    slices: Slices,
  ): Promise<ReadonlySet<Subscriber<E>>> {
    // An event may have a value thousands of times; each subscriber is asked once.
    const groups = new Set<ReadonlySet<Subscriber<E>>>();
    for (const [group, byValue] of this.#choosing) {
      for (const value of choice?.valuesIn(event, group) ?? []) {
        const subscribers = byValue.get(value);
        if (subscribers !== undefined) groups.add(subscribers);
      }
      await slices.pause();
    }
    const found = new Set<Subscriber<E>>();
    for (const subscriber of new Set([...groups].flatMap((subscribers) => [...subscribers]))) {
      if (subscriber.choice?.accepts(event) === true) found.add(subscriber);
      await slices.pause();
    }
    return found;
  }

  async #send(event: E, subscribers: Iterable<Subscriber<E>>, slices: Slices): Promise<void> {
    for (const subscriber of subscribers) {
      if (event.version <= subscriber.after || !this.#subscribers.has(subscriber)) continue;
      subscriber.after = event.version;
      const taking = subscriber.take(event) ?? slices.pause();
      if (taking !== undefined) await taking;
    }
  }

  end(error: unknown): void {
    for (const subscriber of this.#subscribers) subscriber.end(error);
    this.#subscribers.clear();
    this.#choosing.clear();
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
