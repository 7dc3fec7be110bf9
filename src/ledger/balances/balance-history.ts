// How a balance changed: every version between two where it differs from the version before. What that costs follows from
// the writes of the balance's own keys, not from the versions between them.
import { mapSome } from "../../base/map-some.ts";
import { nextTurn } from "../../base/wait.ts";
import type { Address } from "../../move/address.ts";
import { LedgerError } from "../errors.ts";
import { recordTransactionHash } from "../formats/record.ts";
import { BlockFinder, blockOf } from "../read-point.ts";
import type { TrustLevel } from "../trust.ts";
import type { VersionRange } from "../version-range.ts";
import { type LedgerView, type StateItem, type StoredRecord, withView } from "../view.ts";
import type { Asset } from "./asset.ts";
import { balanceKeys } from "./balance-keys.ts";
import { addParts, amountOfPart } from "./balance-parts.ts";

/** One version that changed a balance. */
export interface BalanceChange {
  readonly version: bigint;
  /** Time of its block, in microseconds since 1970. */
  readonly timestampUsec: bigint;
  readonly before: bigint;
  readonly after: bigint;
  readonly transactionHash: Uint8Array;
}

/** A change before its block and its record are looked up. */
type BareChange = Pick<BalanceChange, "version" | "before" | "after">;

/** Opens a view for one piece of work. A walk over many changes holds none in between: a view keeps old pages in use. */
export type OpenView = () => LedgerView | Promise<LedgerView>;

/** Whose balance, and between which versions. */
export interface HistoryQuery extends VersionRange {
  readonly owner: Address;
  readonly asset: Asset;
}

/** A page of changes. */
export interface HistoryPage {
  readonly changes: readonly BalanceChange[];
  /** Where the next page begins; undefined after the last change. */
  readonly next: bigint | undefined;
}

/** Writes of a key read in one piece: a few milliseconds. */
const WRITES_AT_ONCE = 512;
/** Writes looked at for one page. Those that leave the amount as it was are no changes, so a page may need many. */
const WRITES_PER_PAGE = 16_384;
/** Writes looked at for one sampled answer. */
const WRITES_PER_SAMPLE = 65_536;
/** Changes described in one piece of a stream. */
const CHANGES_AT_ONCE = 64;
/** Changes whose blocks and records are looked up side by side. */
const LOOK_UPS = 16;

/** Walks over the changes in a range, piece by piece; each piece may be read in another view. */
class ChangeWalk {
  readonly #query: HistoryQuery;
  readonly #keys: readonly Uint8Array[];
  /** Amount under each key before `#next`. Amounts, because the items' bytes go with their view. */
  readonly #parts: bigint[];
  #amount: bigint;
  #next: bigint;
  /** The weakest level of the items that were fetched for the state before the range. */
  readonly fetched: TrustLevel | undefined;

  private constructor(
    query: HistoryQuery,
    keys: readonly Uint8Array[],
    parts: bigint[],
    fetched: TrustLevel | undefined,
  ) {
    this.#query = query;
    this.fetched = fetched;
    this.#keys = keys;
    this.#parts = parts;
    this.#amount = addParts(parts);
    this.#next = query.from;
  }

  /** Begins with the state before the range, which must be kept. Throws LedgerError. */
  static async begin(view: LedgerView, query: HistoryQuery): Promise<ChangeWalk> {
    const { owner, asset, from, to } = query;
    const keys = balanceKeys(owner, asset, view.keyTrace);
    // Before the first version there is nothing.
    const items = from === 0n || from > to ? [] : await view.getItems(keys, from - 1n);
    return new ChangeWalk(
      query,
      keys,
      keys.map((_, place) => amountOfPart(place, items[place])),
      view.fetchedTrust?.(),
    );
  }

  /** The first version that was not looked at; undefined at the end of the range. */
  get next(): bigint | undefined {
    return this.#next > this.#query.to ? undefined : this.#next;
  }

  /** Goes on by up to `maxWrites` writes of each key. */
  async step(view: LedgerView, maxWrites: number): Promise<BareChange[]> {
    const { to } = this.#query;
    const range = { from: this.#next, to, limit: maxWrites };
    const histories = await Promise.all(this.#keys.map((key) => view.getHistory(key, range)));
    // A list that was cut says nothing of the versions behind its end.
    const end = histories.reduce((least, history) => {
      const last = history.at(-1)?.version ?? to;
      return history.length === maxWrites && last < least ? last : least;
    }, to);
    const changes: BareChange[] = [];
    for (const [version, items] of byVersion(histories, end)) {
      for (const [place, item] of items) this.#parts[place] = amountOfPart(place, item);
      // One transaction may write both stores, and what it moves between them changes nothing.
      const after = addParts(this.#parts);
      if (after !== this.#amount) changes.push({ version, before: this.#amount, after });
      this.#amount = after;
    }
    this.#next = end + 1n;
    return changes;
  }
}

/** The writes of several keys up to a version, in order of version: those of one version together, each with its key's place. */
function* byVersion(
  histories: readonly (readonly StateItem[])[],
  end: bigint,
): Generator<readonly [version: bigint, items: readonly (readonly [place: number, item: StateItem])[]]> {
  const reached = histories.map(() => 0);
  for (;;) {
    let version: bigint | undefined;
    for (const [place, history] of histories.entries()) {
      const next = history[reached[place] ?? 0]?.version;
      if (next !== undefined && next <= end && (version === undefined || next < version)) version = next;
    }
    if (version === undefined) return;
    const items: [number, StateItem][] = [];
    for (const [place, history] of histories.entries()) {
      const item = history[reached[place] ?? 0];
      if (item?.version !== version) continue;
      items.push([place, item]);
      reached[place] = (reached[place] ?? 0) + 1;
    }
    yield [version, items];
  }
}

/** Makes of a change what a walk gives, with the change's record. */
type Describe<T> = (change: BalanceChange, record: StoredRecord) => T;

const asItIs: Describe<BalanceChange> = (change) => change;

/** Adds the times and the transactions of changes. */
function describeChanges<T>(
  view: LedgerView,
  changes: readonly BareChange[],
  describe: Describe<T>,
): Promise<T[]> {
  const blocks = new BlockFinder(view);
  return mapSome(changes, LOOK_UPS, async (change) => {
    const [{ timestampUsec }, [record]] = await Promise.all([
      blocks.find(change.version),
      view.getRecords(change.version, 1, 0),
    ]);
    if (record === undefined) throw new LedgerError("corrupt", `no record of version ${change.version}`);
    const transactionHash = Uint8Array.from(recordTransactionHash(record.bytes));
    return describe({ ...change, timestampUsec, transactionHash }, record);
  });
}

/** Up to `limit` changes from the beginning of the range, in one view. Fewer may come although there are more. */
export async function readHistoryPage(
  view: LedgerView,
  query: HistoryQuery,
  limit: number,
): Promise<HistoryPage> {
  const walk = await ChangeWalk.begin(view, query);
  const found: BareChange[] = [];
  // One more than wanted tells where the next page begins.
  for (let writes = 0; walk.next !== undefined && found.length <= limit && writes < WRITES_PER_PAGE; ) {
    const some = Math.max(CHANGES_AT_ONCE, Math.min(WRITES_AT_ONCE, limit + 1));
    if (writes > 0) await nextTurn();
    for (const change of await walk.step(view, some)) found.push(change);
    writes += some;
  }
  const changes = await describeChanges(view, found.slice(0, limit), asItIs);
  return { changes, next: found[limit]?.version ?? walk.next };
}

/**
 * All changes of a range, in pieces that may be empty, each as `describe` makes it of the view that it was read from and of
 * the weakest level of the items fetched. A walk that the pruner overtakes throws LedgerError `version_pruned`.
 */
export async function* walkChanges<T>(
  openView: OpenView,
  query: HistoryQuery,
  describe: (view: LedgerView, fetched: TrustLevel | undefined) => Describe<T>,
): AsyncGenerator<readonly T[]> {
  const walk = await withView(openView(), (view) => ChangeWalk.begin(view, query));
  while (walk.next !== undefined) {
    await nextTurn();
    yield await withView(openView(), async (view) =>
      describeChanges(view, await walk.step(view, CHANGES_AT_ONCE), describe(view, walk.fetched)),
    );
  }
}

/** All changes of a range, see `walkChanges`. */
export function walkHistory(
  openView: OpenView,
  query: HistoryQuery,
): AsyncGenerator<readonly BalanceChange[]> {
  return walkChanges(openView, query, () => asItIs);
}

/** The changes in a span of time that a chart needs: a line through these covers the same places as one through all. */
interface Span {
  /** Last version that belongs to it. */
  readonly end: bigint;
  readonly first: BareChange;
  lowest: BareChange;
  highest: BareChange;
  last: BareChange;
}

/** Changes that are kept of a span. */
const KEPT_PER_SPAN = 4;

/** Equal spans of time over a range. */
class TimeSpans {
  readonly #to: bigint;
  readonly #count: bigint;
  readonly #startUsec: bigint;
  readonly #spanUsec: bigint;

  private constructor(to: bigint, count: number, startUsec: bigint, endUsec: bigint) {
    this.#to = to;
    this.#count = BigInt(count);
    this.#startUsec = startUsec;
    this.#spanUsec = endUsec - startUsec;
  }

  static async over(view: LedgerView, { from, to }: VersionRange, count: number): Promise<TimeSpans> {
    const [first, last] = await Promise.all([blockOf(view, from), blockOf(view, to)]);
    // Genesis has no time of its own: the blocks begin with the one after it.
    const start =
      first.timestampUsec > 0n ? first : ((await view.getBlockByHeight(first.height + 1n)) ?? first);
    const isRange = start.timestampUsec < last.timestampUsec;
    return new TimeSpans(to, count, isRange ? start.timestampUsec : last.timestampUsec, last.timestampUsec);
  }

  /** Last version of the span that holds a version. */
  async endOf(view: LedgerView, version: bigint): Promise<bigint> {
    if (this.#spanUsec === 0n) return this.#to;
    const sinceUsec = (await blockOf(view, version)).timestampUsec - this.#startUsec;
    const index = sinceUsec < 0n ? 0n : (sinceUsec * this.#count) / this.#spanUsec;
    if (index + 1n >= this.#count) return this.#to;
    // The first time that belongs to the next span, rounded up to a whole microsecond.
    const nextUsec = this.#startUsec + ((index + 1n) * this.#spanUsec + this.#count - 1n) / this.#count;
    const block = await view.getBlockAtTime(nextUsec - 1n);
    return block === undefined || block.lastVersion > this.#to ? this.#to : block.lastVersion;
  }
}

/** What a sampled history is made with. */
export interface Sampling {
  /** How many changes it may have, about. */
  readonly points: number;
  /** Goes on at this version of the range. */
  readonly start?: bigint | undefined;
  /** True when nobody waits for it any more. */
  readonly isGone: () => boolean;
}

/**
 * The course of a balance in about `points` changes: the range is cut into equal spans of time, and of the changes of each
 * the first, the last, the lowest and the highest are kept. Looks at WRITES_PER_SAMPLE writes at most; a span that is cut
 * there may give changes twice, to this page and to the next.
 */
export async function sampleHistory(
  view: LedgerView,
  query: HistoryQuery,
  { points, start = query.from, isGone }: Sampling,
): Promise<HistoryPage> {
  if (start > query.to) return { changes: [], next: undefined };
  const spans = await TimeSpans.over(view, query, Math.max(1, Math.floor(points / KEPT_PER_SPAN)));
  const walk = await ChangeWalk.begin(view, { ...query, from: start });
  const kept: Span[] = [];
  for (let writes = 0; walk.next !== undefined && writes < WRITES_PER_SAMPLE && !isGone(); ) {
    if (writes > 0) await nextTurn();
    for (const change of await walk.step(view, WRITES_AT_ONCE)) {
      const span = kept.at(-1);
      if (span === undefined || change.version > span.end) {
        const end = await spans.endOf(view, change.version);
        kept.push({ end, first: change, lowest: change, highest: change, last: change });
      } else keepChange(span, change);
    }
    writes += WRITES_AT_ONCE;
  }
  const changes: BalanceChange[] = [];
  for (const { first, lowest, highest, last } of kept) {
    const some = [...new Set([first, lowest, highest, last])].sort((a, b) =>
      a.version < b.version ? -1 : 1,
    );
    changes.push(...(await describeChanges(view, some, asItIs)));
  }
  return { changes, next: walk.next };
}

function keepChange(span: Span, change: BareChange): void {
  if (change.after < span.lowest.after) span.lowest = change;
  if (change.after > span.highest.after) span.highest = change;
  span.last = change;
}
