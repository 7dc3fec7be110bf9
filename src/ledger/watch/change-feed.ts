// Tells watchers of changes. A commit names the keys that it wrote; only what is watched under these keys is read, once for
// all of its watchers, and nobody else is woken. The work is done in rounds, outside of the commit.
//
// The ledger may go back and on between any two reads. So what the watchers know is a point, a version with a mark of its
// history: a round tells what comes after it only if the ledger still has it, and every view that the round reads must
// have the point that the round leads to.
import { toMapKey } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { nextTurn, pause } from "../../base/wait.ts";
import { decodeRecord } from "../formats/record.ts";
import type { EncodedWrite } from "../state-writes.ts";
import { type Ledger, type LedgerPosition, type LedgerView, withView } from "../view.ts";
import { hasPoint, openHistory, pointAt, type ResumePoint } from "./event-id.ts";
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

/** Whether a subscriber joined; behind the feed it must read the history first; an undone one is in no history now. */
export type Joining = "joined" | "behind" | "undone";

export class ChangeFeed {
  readonly #ledger: Ledger;
  readonly #headOf: (position: LedgerPosition) => bigint;
  readonly #topics = new Set<AnyTopic>();
  readonly #topicsByKey = new Map<string, Set<AnyTopic>>();
  /** What every commit changes. */
  readonly #alwaysTouched = new Set<AnyTopic>();
  /** Topics that may have changed after `#told`. */
  #touched = new Set<AnyTopic>();
  /** Up to this version, what was written is in `#touched`. */
  #known = -1n;
  /** Up to this point, every subscriber was told all changes; undefined until somebody watches. */
  #told: ResumePoint | undefined;
  /** The ledger at the last round: a store hands out the same object until something is written. */
  #position: LedgerPosition | undefined;
  /** Rounds and joins, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #isRunning = false;
  #isClosed = false;

  /** `headOf` names the last version of a ledger that is told; it may throw LedgerError. */
  constructor(ledger: Ledger, headOf: (position: LedgerPosition) => bigint) {
    this.#ledger = ledger;
    this.#headOf = headOf;
  }

  get isWatched(): boolean {
    return this.#topics.size > 0;
  }

  /** Up to this point, every subscriber was told all changes. */
  get told(): ResumePoint | undefined {
    return this.#told;
  }

  /** Adds a subscriber that knows the state at a point. */
  join<E extends WatchEvent>(
    watched: Watched<E>,
    subscriber: Subscriber<E>,
    point: ResumePoint,
  ): Promise<Joining> {
    return this.#inTurn(async () => {
      const joining = await withView(this.#ledger.openView(), async (view) => {
        if (!(await hasPoint(view, point))) return "undone";
        if (!this.isWatched || !(await this.#isInHistory(view))) await this.#begin(view);
        return this.#told === undefined || point.version < this.#told.version ? "behind" : "joined";
      });
      if (joining !== "joined") return joining;
      if (this.#isClosed) {
        subscriber.end(undefined);
        return joining;
      }
      const topic = watched.kind.find(this, watched) ?? this.#add(watched.kind.add(this, watched));
      topic.join(subscriber);
      // Commits that were noted before the topic was there.
      if (point.version < this.#known) this.#touched.add(topic);
      this.#start();
      return joining;
    });
  }

  leave<E extends WatchEvent>(watched: Watched<E>, subscriber: Subscriber<E>): void {
    const topic = watched.kind.find(this, watched);
    topic?.leave(subscriber);
    if (topic?.isEmpty === true) this.#remove(topic);
  }

  /** Takes note of a commit, and tells it soon. Costs a look-up for each key written, nothing if nobody watches. */
  note(commit: Commit): void {
    this.#take(commit);
    this.#start();
  }

  /** Tells what is new in the ledger. Throws what opening a view throws. */
  round(): Promise<void> {
    return this.#inTurn(() => this.#round());
  }

  /** The ledger went back: ends all subscriptions. */
  goBack(): void {
    this.#endAll(undefined);
    this.#told = undefined;
    this.#known = -1n;
  }

  /** Ends all subscriptions, those that come later included. */
  close(): void {
    this.#isClosed = true;
    this.#endAll(undefined);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Begins to tell what comes after the head of a view. */
  async #begin(view: LedgerView): Promise<void> {
    const head = this.#headOf(view.position);
    this.goBack();
    this.#told = await pointAt(view, head);
    if (head > this.#known) this.#known = head;
    this.#touched.clear();
    this.#position = view.position;
  }

  async #isInHistory(view: LedgerView): Promise<boolean> {
    if (this.#told === undefined) return false;
    return view.position === this.#position || (await hasPoint(view, this.#told));
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

  #take({ previous, version, writes }: Commit): void {
    if (version <= this.#known) return;
    // Commits that this process did not hear of may have written anything.
    if (writes === undefined || previous !== this.#known) this.#touched = new Set(this.#topics);
    else {
      for (const topic of this.#alwaysTouched) this.#touched.add(topic);
      if (this.#topicsByKey.size > 0) this.#touch(writes);
    }
    this.#known = version;
  }

  #touch(writes: readonly KeyWrite[]): void {
    for (const { keyHash } of writes) {
      for (const topic of this.#topicsByKey.get(toMapKey(keyHash)) ?? []) this.#touched.add(topic);
    }
  }

  /** True if commits are noted that watchers were not told of. */
  get #isBehind(): boolean {
    return this.isWatched && (this.#told === undefined || this.#told.version < this.#known);
  }

  #start(): void {
    if (!this.#isRunning && this.#isBehind) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Out of the commit that is being noted.
    await nextTurn();
    while (this.#isBehind) {
      await this.round().catch((error: unknown) => this.#endAll(error));
      await pause(PAUSE_MS);
    }
    this.#isRunning = false;
  }

  /** One round: tells the changes up to the head. */
  async #round(): Promise<void> {
    if (!this.isWatched) return;
    const told = this.#told;
    const { to, position } = await withView(this.#ledger.openView(), async (view) => {
      const { position } = view;
      if (position === this.#position && !this.#isBehind) return { to: undefined, position };
      if (told === undefined || !(await this.#isInHistory(view))) {
        await this.#begin(view);
        return { to: undefined, position };
      }
      const head = this.#headOf(position);
      this.#position = position;
      if (head <= told.version) return { to: undefined, position };
      const previous = this.#known;
      if (head > previous) {
        const writes = this.#topicsByKey.size === 0 ? [] : await writesAfter(view, previous, head);
        this.#take({ previous, version: head, writes });
      }
      return { to: await pointAt(view, head), position };
    });
    // The ledger may have gone back meanwhile.
    if (to === undefined || told === undefined || this.#told !== told) return;
    const touched = this.#touched;
    this.#touched = new Set(to.version < this.#known ? touched : []);
    const range = { from: told.version + 1n, to: to.version };
    for (const topic of touched) {
      if (topic.isEmpty) continue;
      try {
        await topic.tell(() => openHistory(this.#ledger, to, position), range);
      } catch (error) {
        this.#end(topic, error);
      }
    }
    if (this.#told === told) this.#told = to;
  }

  #endAll(error: unknown): void {
    for (const topic of [...this.#topics]) this.#end(topic, error);
  }

  #end(topic: AnyTopic, error: unknown): void {
    this.#remove(topic);
    topic.end(error);
  }
}
