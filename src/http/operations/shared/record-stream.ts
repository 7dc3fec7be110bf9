// Streams of transactions and of events: what they read, where they begin, and how they write it.
import { concatBytes } from "../../../base/bytes.ts";
import { toPrefixedHex } from "../../../base/hex.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { nextTurn, Slices } from "../../../base/wait.ts";
import { BcsWriter } from "../../../bcs/writer.ts";
import type { OpenView } from "../../../ledger/balances/balance-history.ts";
import { LedgerError } from "../../../ledger/errors.ts";
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
  eventIdAt,
  formatPoint,
  indexedId,
  markedId,
  pointAt,
  type ResumePoint,
} from "../../../ledger/watch/event-id.ts";
import {
  groupOf,
  matchesTransaction,
  matchingEvents,
  RecordFacts,
  type RecordFilter,
  valuesIn,
} from "../../../ledger/watch/record-filter.ts";
import { type WatchEvent, type Watched, WatchKind } from "../../../ledger/watch/watched.ts";
import { HttpError } from "../../errors.ts";
import type { Context, EventAnswer } from "../../operation.ts";
import type { AnswerText } from "../../printing/answer-text.ts";
import { KnownTypes } from "../../printing/modules-at.ts";
import { RecordsPrinter } from "../../printing/records-text.ts";
import { beginEvents } from "../../schemas/event-stream.ts";

interface RecordItem {
  readonly index: number;
  readonly text: RecordText;
}

/** JSON, or BCS. */
type RecordText = string | Uint8Array;

/** What a stream sends of a version. */
export class RecordEvent implements WatchEvent {
  readonly version: bigint;
  trust: TrustLevel;
  /** Undefined in the event that tells where a stream begins. */
  readonly facts: RecordFacts | undefined;
  /** The transaction, or its events; none if nobody asks for them. */
  items: readonly RecordItem[] = [];
  /** What streams of each kind are sent of it; those that ask add theirs before it is printed. */
  readonly parts: Map<RecordKind, RecordEvent | undefined>;

  readonly #idOf: () => string;

  constructor(
    { version, trust }: Pick<WatchEvent, "version" | "trust">,
    idOf: () => string,
    facts?: RecordFacts,
    parts = new Map<RecordKind, RecordEvent | undefined>(),
  ) {
    this.parts = parts;
    this.version = version;
    this.trust = trust;
    this.#idOf = idOf;
    this.facts = facts;
  }

  /** Read from the record on use: a range in BCS needs only that of its last one. */
  get id(): string {
    return this.#idOf();
  }

  /** The same with other items. */
  with(items: readonly RecordItem[]): RecordEvent {
    const part = new RecordEvent(this, this.#idOf, this.facts, this.parts);
    part.items = items;
    return part;
  }
}

/** Transactions, or their events, in JSON or in BCS. */
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

/** Streams of both kinds and all filters share one topic, so that a record is read once, and printed once for a kind. */
const RECORDS = new WatchKind<RecordEvent>();
const ONLY = new Set([0]);
const NONE = new Set<number>();

/** Prints JSON. What is too large to print says so, for each of `count` items. */
function printing(
  print: (printer: RecordsPrinter, record: StoredRecord) => Promise<readonly AnswerText[]>,
  /** Members before those of the printed text. */
  head: (version: bigint, index: number, hash: string, timestamp: string) => string,
  count: (facts: RecordFacts) => number,
): RecordKind["print"] {
  return async (printer, record, facts) => {
    const hash = toPrefixedHex(facts.spans.info.transactionHash);
    const { version } = record;
    try {
      const timestamp = `${await printer.timeOf(version)}`;
      const texts = await print(printer, record);
      return await Promise.all(
        texts.map(async (text, i) => {
          const printed = await text.finish();
          const json = typeof printed === "string" ? printed : `${Buffer.from(printed)}`;
          return `{${head(version, i, hash, timestamp)}${json.slice(1)}`;
        }),
      );
    } catch (error) {
      if (!(error instanceof HttpError) || error.code !== "unprintable") throw error;
      const { message: unprintable } = error;
      return Array.from({ length: count(facts) }, (_, index) =>
        JSON.stringify({ version: `${version}`, hash, index, unprintable }),
      );
    }
  };
}

export const TRANSACTIONS: RecordKind = {
  matching: (filter, facts) => (matchesTransaction(filter, facts) ? ONLY : NONE),
  print: printing(
    async (printer, record) => [await printer.print(record)],
    () => "",
    () => 1,
  ),
  idOf: (id) => id,
};

export const RAW_TRANSACTIONS: RecordKind = { ...TRANSACTIONS, print: (_, { bytes }) => [bytes] };

export const EVENTS: RecordKind = {
  matching: matchingEvents,
  print: printing(
    (printer, record) => printer.printEventsOf(record),
    (version, index, hash, timestamp) =>
      `"version":"${version}","index":${index},"transaction_hash":"${hash}","timestamp":"${timestamp}",`,
    ({ spans }) => spans.events.length,
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

/** What is known of types behind the last version that was read. */
interface CarriedTypes {
  readonly known: KnownTypes;
  /** Of that version. */
  id: string | undefined;
}

/** Left by the last reader of changes. The next one takes it, so that no two share it. */
const lastCarried = new WeakMap<StateTypes, CarriedTypes>();

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
  carried: CarriedTypes,
  isWanted: (event: RecordEvent) => boolean,
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
    view.fetchedTrust === undefined &&
    carried.known.next === from &&
    (await eventIdAt(view, from - 1n)) === carried.id;
  if (!isKnown) carried.known.forget();
  const { known } = carried;
  const printer = new RecordsPrinter(types, view, slices, known);
  const events: RecordEvent[] = [];
  for (const [i, { version, bytes, historyHash }] of records.entries()) {
    // The store's bytes end with the view, and filters look at the record later.
    const record = { version, bytes: new Uint8Array(bytes) };
    const facts = new RecordFacts(record.bytes);
    const idOf = (): string => markedId(version, historyHash ?? facts.spans.accumulatorRoot);
    const event = new RecordEvent({ version, trust: trustAt(position.trust, version) }, idOf, facts);
    const isSent = isWanted(event);
    known.moveTo(version, facts.spans.writes);
    for (const kind of event.parts.keys()) {
      const printed = kind.print(printer, record, facts, view);
      const texts = printed instanceof Promise ? await printed : printed;
      // Printing may have fetched modules, on which the text rests then.
      event.trust = trustOfAnswer(view, version);
      event.parts.set(kind, event.with(itemsOf(texts)));
    }
    if (isSent || i === records.length - 1) events.push(event);
    const pausing = slices.pause();
    if (pausing !== undefined) await pausing;
  }
  const last = events.at(-1);
  const isCarried = view.fetchedTrust === undefined && last !== undefined && known.next > last.version;
  carried.id = isCarried ? last.id : undefined;
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
  const isAsked = (event: RecordEvent): ((index: number) => boolean) => {
    const matching = event.facts === undefined ? NONE : kind.matching(filter, event.facts);
    const first = behind?.index !== undefined && event.id === behindId ? behind.index + 1 : 0;
    return (index) => index >= first && matching.has(index);
  };
  return {
    kind: RECORDS,
    id: "",
    keys: undefined,
    current: async (view, version) => {
      const id = await eventIdAt(view, version);
      return new RecordEvent({ version, trust: trustOfAnswer(view, version) }, () => id);
    },
    changes: async function* (openView: OpenView, { from, to }, isWanted = () => true) {
      const carried = lastCarried.get(types) ?? { known: new KnownTypes(), id: undefined };
      lastCarried.delete(types);
      for (let next = from; next <= to; ) {
        await nextTurn();
        const range = { from: next, to };
        const events = await withView(openView(), (view) => readPiece(view, types, range, carried, isWanted));
        yield events;
        next = (events.at(-1)?.version ?? to) + 1n;
      }
      lastCarried.set(types, carried);
    },
    choice: {
      ...groupOf(filter),
      valuesIn: ({ facts }, group) => (facts === undefined ? [] : valuesIn(facts, group)),
      accepts: (event) => {
        if (event.facts === undefined || kind.matching(filter, event.facts).size === 0) return false;
        event.parts.set(kind, undefined);
        return true;
      },
      pick: (event) => {
        const part = event.parts.get(kind);
        // Nothing but how far the stream is.
        if (part === undefined) return event;
        const asked = isAsked(part);
        const items = part.items.filter(({ index }) => asked(index));
        return items.length === part.items.length ? part : part.with(items);
      },
    },
  };
}

/** The point before a version. */
export async function pointBefore(view: LedgerView, version: bigint): Promise<ResumePoint> {
  const before = version - 1n;
  return before < 0n ? { version: before, mark: undefined } : pointAt(view, before);
}

/** Throws if a stream cannot begin at a version. */
export function assertStart(
  { version: head, oldestVersion: oldest }: LedgerPosition,
  start: bigint,
  tellsChanges = false,
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
  { start, min_trust: least }: { start: bigint | undefined; min_trust: TrustLevel | undefined },
  tellsChanges = false,
): Promise<EventAnswer<RecordEvent>> {
  const { view, streamHead, lastEventId } = context;
  if (lastEventId !== undefined || start === undefined) {
    const answer = await beginEvents(watched, context, undefined, least);
    const isWithin = answer.state === undefined && lastEventId?.index !== undefined;
    return isWithin ? { ...answer, after: await pointBefore(view, answer.after.version) } : answer;
  }
  const { position } = view;
  assertStart(position, start, tellsChanges);
  return {
    watched,
    opening: "",
    state: undefined,
    after: await pointBefore(view, start),
    trust: trustAt(position.trust, streamHead(position, least)),
    least,
    version: undefined,
  };
}
