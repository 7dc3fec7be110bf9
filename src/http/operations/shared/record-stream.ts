// Streams of transactions and of events: what they read, where they begin, and how they write it.
import { concatBytes } from "../../../base/bytes.ts";
import { toPrefixedHex } from "../../../base/hex.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { nextTurn, Slices } from "../../../base/wait.ts";
import { BcsWriter } from "../../../bcs/writer.ts";
import type { OpenView } from "../../../ledger/balances/balance-history.ts";
import { LedgerError } from "../../../ledger/errors.ts";
import type { RecordSpans } from "../../../ledger/formats/record.ts";
import type { StateTypes } from "../../../ledger/items/state-types.ts";
import { assertNotRefuted, type TrustLevel, trustAt } from "../../../ledger/trust.ts";
import type { VersionRange } from "../../../ledger/version-range.ts";
import {
  type LedgerPosition,
  type LedgerView,
  type StoredRecord,
  trustOfAnswer,
  withView,
} from "../../../ledger/view.ts";
import {
  assertPoint,
  eventIdAt,
  formatPoint,
  indexedId,
  markedId,
  pointAt,
  type ResumePoint,
} from "../../../ledger/watch/event-id.ts";
import {
  type Group,
  groupOf,
  matchesTransaction,
  matchingEvents,
  RecordFacts,
  type RecordFilter,
} from "../../../ledger/watch/record-filter.ts";
import { type WatchEvent, type Watched, WatchKind } from "../../../ledger/watch/watched.ts";
import { HttpError } from "../../errors.ts";
import type { Context, EventAnswer } from "../../operation.ts";
import type { AnswerText, PrintedText } from "../../printing/answer-text.ts";
import { KnownTypes } from "../../printing/modules-at.ts";
import { RecordsPrinter } from "../../printing/records-text.ts";
import { beginEvents } from "../../schemas/event-stream.ts";

/** JSON, or BCS. */
export type RecordText = PrintedText | Uint8Array;

interface RecordItem {
  readonly index: number;
  readonly text: RecordText;
}

/** What a stream sends of a version. */
export class RecordEvent implements WatchEvent {
  readonly version: bigint;
  trust: TrustLevel;
  /** Undefined in the event that tells where a stream begins. */
  readonly facts: RecordFacts | undefined;
  /** The transaction, or its events; none if nobody asks for them. */
  readonly items: readonly RecordItem[];
  /** What streams of each kind are sent of it; those that ask add theirs before it is printed. */
  readonly parts = new Map<RecordKind, RecordEvent | undefined>();
  readonly #idOf: () => string;

  constructor(
    { version, trust }: Pick<WatchEvent, "version" | "trust">,
    idOf: () => string,
    facts?: RecordFacts,
    items: readonly RecordItem[] = [],
  ) {
    this.version = version;
    this.trust = trust;
    this.#idOf = idOf;
    this.facts = facts;
    this.items = items;
  }

  /** Read from the record on use: a range in BCS needs none. */
  get id(): string {
    return this.#idOf();
  }

  /** The same with other items. */
  with(items: readonly RecordItem[]): RecordEvent {
    return new RecordEvent(this, this.#idOf, this.facts, items);
  }
}

/** Transactions, or their events, in one form. */
export interface RecordKind {
  /** The indexes that a filter asks for; a transaction has the index 0. */
  readonly matching: (filter: RecordFilter, facts: RecordFacts) => ReadonlySet<number>;
  /** What a version has, by index; empty for what is not told. */
  readonly print: (
    printer: RecordsPrinter,
    record: StoredRecord,
    facts: RecordFacts,
    view: LedgerView,
  ) => MaybePromise<readonly RecordText[]>;
  readonly idOf: (id: string, index: number) => string;
}

/** Streams of all kinds and filters share one topic, so that a record is read once, and printed once for a kind. */
const RECORDS = new WatchKind<RecordEvent>();
const ONLY = new Set([0]);
const NONE = new Set<number>();

/** Prints JSON. What is too large to print says so, for each of `count` items. */
function printing(
  print: (
    printer: RecordsPrinter,
    record: StoredRecord,
    spans: RecordSpans,
  ) => Promise<readonly AnswerText[]>,
  count: (spans: RecordSpans) => number,
): RecordKind["print"] {
  return async (printer, record, { spans }) => {
    try {
      return await print(printer, record, spans);
    } catch (error) {
      if (!(error instanceof HttpError) || error.code !== "unprintable") throw error;
      const { message: unprintable } = error;
      const [version, hash] = [`${record.version}`, toPrefixedHex(spans.info.transactionHash)];
      return Array.from({ length: count(spans) }, (_, index) =>
        JSON.stringify({ version, hash, index, unprintable }),
      );
    }
  };
}

const transactions = (isBrief: boolean): RecordKind => ({
  matching: (filter, facts) => (matchesTransaction(filter, facts) ? ONLY : NONE),
  print: printing(
    async (printer, record, spans) => [await printer.print(record, spans, isBrief)],
    () => 1,
  ),
  idOf: (id) => id,
});

export const TRANSACTIONS: RecordKind = transactions(false);

/** What a line of CSV has of a transaction. */
export const BRIEF_TRANSACTIONS: RecordKind = transactions(true);

export const RAW_TRANSACTIONS: RecordKind = { ...TRANSACTIONS, print: (_, { bytes }) => [bytes] };

export const EVENTS: RecordKind = {
  matching: matchingEvents,
  print: printing(
    async (printer, { version }, spans) => {
      const hash = toPrefixedHex(spans.info.transactionHash);
      const timestamp = await printer.timeOf(version);
      return printer.printEventsOf(
        spans,
        (index) =>
          `"version":"${version}","index":${index},"transaction_hash":"${hash}","timestamp":"${timestamp}",`,
      );
    },
    ({ events }) => events.length,
  ),
  idOf: indexedId,
};

export const RAW_EVENTS: RecordKind = {
  ...EVENTS,
  print: (_, { version }, { spans }) =>
    spans.events.map((event, index) =>
      concatBytes(new BcsWriter(16).u64(version).u64(BigInt(index)).take(), event),
    ),
};

/** What the last reader of changes knew of types. The next one takes it, so that no two share it. */
const lastKnown = new WeakMap<StateTypes, KnownTypes>();

/** Records that are read in one piece. */
const PIECE_RECORDS = 64;
const PIECE_BYTES = 256 << 10;

function itemsOf(texts: readonly RecordText[]): RecordItem[] {
  return texts.flatMap((text, index) => (text.length === 0 ? [] : [{ index, text }]));
}

/** Reads the first records of a range: those that are wanted, and the last one, which tells how far the piece leads. */
async function readPiece(
  view: LedgerView,
  types: StateTypes,
  { from, to }: VersionRange,
  known: KnownTypes,
  isWanted: (event: RecordEvent) => MaybePromise<boolean>,
): Promise<RecordEvent[]> {
  const { position } = view;
  assertNotRefuted(position, to);
  const most = to - from + 1n;
  const limit = most < PIECE_RECORDS ? Number(most) : PIECE_RECORDS;
  const records = await view.getRecords(from, limit, PIECE_BYTES);
  if (records.length === 0) throw new LedgerError("corrupt", `no record of version ${from}`);
  const slices = new Slices();
  // Behind a rewind, and where modules must be fetched for what an answer rests on, nothing is known of types.
  const isKnown =
    view.fetchedTrust === undefined && known.next === from && (await eventIdAt(view, from - 1n)) === known.id;
  if (!isKnown) known.forget();
  const printer = new RecordsPrinter(types, view, slices, known);
  const events: RecordEvent[] = [];
  for (const [i, { version, bytes, historyHash }] of records.entries()) {
    // The store's bytes end with the view, and filters look at the record later.
    const record = { version, bytes: new Uint8Array(bytes) };
    const facts = new RecordFacts(record.bytes);
    const idOf = (): string => markedId(version, historyHash ?? facts.spans.accumulatorRoot);
    const event = new RecordEvent({ version, trust: trustAt(position.trust, version) }, idOf, facts);
    const isSent = await isWanted(event);
    await slices.pause();
    for (const kind of event.parts.keys()) {
      const printed = kind.print(printer, record, facts, view);
      const texts = printed instanceof Promise ? await printed : printed;
      // Printing may have fetched modules, on which the text rests then.
      event.trust = trustOfAnswer(view, version);
      event.parts.set(kind, event.with(itemsOf(texts)));
    }
    // What is not read changes what is known of types, as far as anybody can tell.
    if (facts.isRead) known.moveTo(version, facts.spans.writes);
    if (isSent || i === records.length - 1) events.push(event);
    const pausing = slices.pause();
    if (pausing !== undefined) await pausing;
  }
  const last = events.at(-1);
  const isCarried = view.fetchedTrust === undefined && last !== undefined && known.next > last.version;
  known.id = isCarried ? last.id : undefined;
  return events;
}

/** `behind` is what the client got last, if that is in the middle of a version. */
export function watchedRecords(
  kind: RecordKind,
  types: StateTypes,
  filter: RecordFilter,
  behind: ResumePoint | undefined,
): Watched<RecordEvent> {
  // By its mark: after a rewind, another version has the number.
  const behindId = behind === undefined ? "" : formatPoint(behind);
  return {
    kind: RECORDS,
    id: "",
    keys: undefined,
    current: async (view, version) => {
      const id = await eventIdAt(view, version);
      return new RecordEvent({ version, trust: trustOfAnswer(view, version) }, () => id);
    },
    changes: async function* (openView: OpenView, { from, to }, isWanted = () => true) {
      const known = lastKnown.get(types) ?? new KnownTypes();
      lastKnown.delete(types);
      for (let next = from; next <= to; ) {
        await nextTurn();
        const range = { from: next, to };
        const events = await withView(openView(), (view) => readPiece(view, types, range, known, isWanted));
        yield events;
        next = (events.at(-1)?.version ?? to) + 1n;
      }
      lastKnown.set(types, known);
    },
    choice: {
      ...groupOf(filter),
      valuesIn: ({ facts }, group) => facts?.values(group as Group) ?? [],
      accepts: (event) => {
        if (event.facts === undefined || kind.matching(filter, event.facts).size === 0) return false;
        event.parts.set(kind, undefined);
        return true;
      },
      pick: (event) => {
        const part = event.parts.get(kind);
        // Nothing but how far the stream is.
        if (part?.facts === undefined) return event;
        const matching = kind.matching(filter, part.facts);
        const first = behind?.index !== undefined && event.id === behindId ? behind.index + 1 : 0;
        const items = part.items.filter(({ index }) => index >= first && matching.has(index));
        return items.length === part.items.length ? part : part.with(items);
      },
    },
  };
}

/** Where the client asks a stream or a range to begin. */
export interface Beginning {
  /** What the client got last; overrides `start`. */
  readonly behind: ResumePoint | undefined;
  /** The first version; behind the latest one when left out. */
  readonly start: bigint | undefined;
  /** Each version is compared with the one before. */
  readonly tellsChanges?: boolean | undefined;
}

/** The point behind which a stream or a range begins. Throws what refuses it. */
export async function beginningOf(
  view: LedgerView,
  { behind, start, tellsChanges = false }: Beginning,
  head: bigint,
): Promise<ResumePoint> {
  if (behind !== undefined) await assertPoint(view, behind);
  else if (start !== undefined) assertStart(view.position, start, tellsChanges);
  return behind ?? (start === undefined ? pointAt(view, head) : pointBefore(view, start));
}

/** The point before a version. Before the oldest one it has no mark: a fork could tell it, and nobody could compare it. */
async function pointBefore(view: LedgerView, version: bigint): Promise<ResumePoint> {
  const before = version - 1n;
  return before < view.position.oldestVersion ? { version: before, mark: undefined } : pointAt(view, before);
}

/** Throws if a stream cannot begin at a version. */
function assertStart(
  { version: head, oldestVersion: oldest }: LedgerPosition,
  start: bigint,
  tellsChanges: boolean,
): void {
  if (start < oldest) {
    throw new LedgerError("version_pruned", `version ${start} is below the oldest kept, ${oldest}`);
  }
  if (tellsChanges && start === oldest && oldest > 0n) {
    const unknown = "is the oldest kept, so what it changed is not known";
    throw new LedgerError("version_pruned", `version ${start} ${unknown}; ask from ${start + 1n}`);
  }
  if (start <= head + 1n) return;
  const most = `expected at most the version after the latest, ${head + 1n}`;
  throw new HttpError("invalid_page", `start: ${most}, got ${start}`);
}

/** Begins a stream behind the latest version, at `start`, or behind the client's last event. */
export async function beginRecords(
  watched: Watched<RecordEvent>,
  context: Context<"required">,
  beginning: Beginning,
  least: TrustLevel | undefined,
): Promise<EventAnswer<RecordEvent>> {
  const { view, streamHead } = context;
  const { behind, start, tellsChanges } = beginning;
  if (behind !== undefined || start === undefined) {
    const answer = await beginEvents(watched, context, undefined, least, tellsChanges);
    const isWithin = answer.state === undefined && behind?.index !== undefined;
    return isWithin ? { ...answer, after: await pointBefore(view, answer.after.version) } : answer;
  }
  const head = streamHead(view.position, least);
  const after = await beginningOf(view, beginning, head);
  const trust = trustAt(view.position.trust, head);
  return { watched, opening: "", state: undefined, after, trust, least, version: undefined };
}
