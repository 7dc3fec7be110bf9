// Tells watchers of changes. A commit names the keys that it wrote; only what is watched under these keys is read, once for
// all of its watchers, and nobody else is woken. The work is done in rounds, outside of the commit.
import { CodedError } from "../../base/errors.ts";
import { nextTurn, pause } from "../../base/wait.ts";
import { decodeRecord } from "../formats/record.ts";
import type { EncodedWrite } from "../state-writes.ts";
import type { Ledger, LedgerView } from "../view.ts";
import type { AnyTopic, Subscriber, WatchEvent, Watched } from "./watched.ts";

type KeyWrite = Pick<EncodedWrite, "keyHash">;

/** A commit, as far as watchers are concerned. */
export interface Commit {
  /** Latest version before it; undefined for the first one. */
  readonly previous: bigint | undefined;
  readonly version: bigint;
  /** What it wrote; undefined if that is not known. */
  readonly writes: readonly KeyWrite[] | undefined;
}

/** Pause between two rounds: bounds what watchers cost a ledger that commits without a break. */
const PAUSE_MS = 10;
/** Records read to learn what they wrote. Behind more of them, reading what is watched costs less. */
const MAX_RECORDS = 256;
const MAX_RECORD_BYTES = 16 << 20;

/** A key hash as a key of a map. */
function toMapKey(keyHash: Uint8Array): string {
  return Buffer.from(keyHash.buffer, keyHash.byteOffset, keyHash.length).toString("latin1");
}

/** What the versions after one wrote; undefined if the records are too many or do not tell. */
async function writesAfter(
  view: LedgerView,
  after: bigint,
  head: bigint,
): Promise<readonly KeyWrite[] | undefined> {
  const count = head - after;
  if (count > BigInt(MAX_RECORDS)) return undefined;
  try {
    const records = await view.getRecords(after + 1n, Number(count), MAX_RECORD_BYTES);
    if (BigInt(records.length) < count) return undefined;
    return records.flatMap(({ bytes }) => decodeRecord(bytes).writes);
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}

export class ChangeFeed {
  readonly #ledger: Ledger;
  readonly #topics = new Set<AnyTopic>();
  readonly #topicsByKey = new Map<string, Set<AnyTopic>>();
  /** What every commit changes. */
  readonly #alwaysTouched = new Set<AnyTopic>();
  /** Topics that may have changed after `#told`. */
  #touched = new Set<AnyTopic>();
  /** Up to this version, what was written is in `#touched`. */
  #known = -1n;
  /** Up to this version, changes are told or being told. */
  #told = -1n;
  #delivered = -1n;
  #isRunning = false;
  #isClosed = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get isWatched(): boolean {
    return this.#topics.size > 0;
  }

  /** Up to this version, every subscriber was told all changes. */
  get delivered(): bigint {
    return this.#delivered;
  }

  /**
   * Adds a subscriber, unless commits after the state that it knows went by: then it returns false, and the caller reads
   * up to a later version first. `head` is the version that the caller read the ledger at.
   */
  join<E extends WatchEvent>(watched: Watched<E>, subscriber: Subscriber<E>, head: bigint): boolean {
    if (subscriber.after < this.#known) return false;
    if (this.#isClosed) {
      subscriber.end(undefined);
      return true;
    }
    if (this.#topics.size === 0) this.#begin(head);
    const topic = watched.kind.find(this, watched) ?? this.#add(watched.kind.add(this, watched));
    topic.subscribers.add(subscriber);
    return true;
  }

  leave<E extends WatchEvent>(watched: Watched<E>, subscriber: Subscriber<E>): void {
    const topic = watched.kind.find(this, watched);
    if (topic?.subscribers.delete(subscriber) === true && topic.isEmpty) this.#remove(topic);
  }

  /** Takes note of a commit. Costs a look-up for each key written, nothing if nobody watches. */
  note({ previous, version, writes }: Commit): void {
    if (version <= this.#known) return;
    if (this.#topics.size === 0) {
      this.#begin(version);
      return;
    }
    // Commits that this process did not hear of may have written anything.
    if (writes === undefined || previous !== this.#known) this.#touched = new Set(this.#topics);
    else {
      for (const topic of this.#alwaysTouched) this.#touched.add(topic);
      if (this.#topicsByKey.size > 0) this.#touch(writes);
    }
    this.#known = version;
    if (!this.#isRunning) void this.#run();
  }

  /** Takes note of the commits that a view has up to a version, if they are new. */
  async noteView(view: LedgerView, version: bigint): Promise<void> {
    const previous = this.#known;
    if (version <= previous) return;
    const writes = this.#topicsByKey.size === 0 ? [] : await writesAfter(view, previous, version);
    this.note({ previous, version, writes });
  }

  /** The ledger went back to a version: ends all subscriptions, and takes notes from there. */
  goBack(version: bigint): void {
    for (const topic of [...this.#topics]) this.#end(topic, undefined);
    this.#known = version;
    this.#begin(version);
  }

  /** Ends all subscriptions, those that come later included. */
  close(): void {
    this.#isClosed = true;
    for (const topic of [...this.#topics]) this.#end(topic, undefined);
  }

  /** Nobody is behind this version: starts to take notes from there. */
  #begin(version: bigint): void {
    if (version > this.#known) this.#known = version;
    this.#told = this.#known;
    this.#delivered = this.#known;
    this.#touched.clear();
  }

  #add<T extends AnyTopic>(topic: T): T {
    this.#topics.add(topic);
    if (topic.keys === undefined) this.#alwaysTouched.add(topic);
    for (const key of topic.keys ?? []) {
      const mapKey = toMapKey(key);
      const topics = this.#topicsByKey.get(mapKey) ?? new Set();
      this.#topicsByKey.set(mapKey, topics.add(topic));
    }
    return topic;
  }

  #remove(topic: AnyTopic): void {
    topic.remove();
    this.#topics.delete(topic);
    this.#alwaysTouched.delete(topic);
    this.#touched.delete(topic);
    for (const key of topic.keys ?? []) {
      const topics = this.#topicsByKey.get(toMapKey(key));
      topics?.delete(topic);
      if (topics?.size === 0) this.#topicsByKey.delete(toMapKey(key));
    }
  }

  #touch(writes: readonly KeyWrite[]): void {
    for (const { keyHash } of writes) {
      for (const topic of this.#topicsByKey.get(toMapKey(keyHash)) ?? []) this.#touched.add(topic);
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Out of the commit that is being noted.
    await nextTurn();
    while (this.#told < this.#known) {
      await this.#tell();
      await pause(PAUSE_MS);
    }
    this.#isRunning = false;
  }

  /** One round: tells the changes of all versions known by now. */
  async #tell(): Promise<void> {
    const [from, to] = [this.#told + 1n, this.#known];
    const touched = this.#touched;
    this.#touched = new Set();
    this.#told = to;
    for (const topic of touched) {
      if (topic.isEmpty) continue;
      try {
        await topic.tell(() => this.#ledger.openView(), { from, to });
      } catch (error) {
        this.#end(topic, error);
      }
    }
    if (to > this.#delivered) this.#delivered = to;
  }

  #end(topic: AnyTopic, error: unknown): void {
    this.#remove(topic);
    topic.end(error);
  }
}
