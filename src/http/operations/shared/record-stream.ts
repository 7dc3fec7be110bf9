// Streams of transactions and of events: what they read, where they begin, and how they write it.
import { toPrefixedHex } from "../../../base/hex.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { nextTurn, Slices } from "../../../base/wait.ts";
import type { OpenView } from "../../../ledger/balances/balance-history.ts";
import { LedgerError } from "../../../ledger/errors.ts";
import type { RecordSpans } from "../../../ledger/formats/record.ts";
import type { StateTypes } from "../../../ledger/items/state-types.ts";
import { assertNotRefuted, type TrustLevel, trustAt } from "../../../ledger/trust.ts";
import type { VersionRange } from "../../../ledger/version-range.ts";
import { type LedgerView, type StoredRecord, trustOfAnswer, withView } from "../../../ledger/view.ts";
import {
  assertKept,
  assertPoint,
  eventIdAt,
  formatPoint,
  markedId,
  pointBefore,
  type ResumePoint,
  resumingAt,
} from "../../../ledger/watch/event-id.ts";
import {
  type Group,
  groupOf,
  RecordFacts,
  type RecordFilter,
  valuesIn,
} from "../../../ledger/watch/record-filter.ts";
import { type WatchEvent, type Watched, WatchKind } from "../../../ledger/watch/watched.ts";
import { HttpError } from "../../errors.ts";
import { AnswerText } from "../../printing/answer-text.ts";
import { KnownTypes } from "../../printing/modules-at.ts";
import { RecordsPrinter } from "../../printing/records-text.ts";
import type { Form } from "../../response/negotiation.ts";

/** A transaction, or what else is told of a version; the text is JSON or BCS. */
export interface RecordItem<Text extends AnswerText | Uint8Array = AnswerText | Uint8Array> {
  readonly index: number;
  readonly text: Text;
}

/** What a stream sends of a version. */
export class RecordEvent implements WatchEvent {
  readonly version: bigint;
  trust: TrustLevel;
  /** Undefined in the event that tells where a stream begins. */
  readonly facts: RecordFacts | undefined;
  /** The transaction, or its events; none if nobody asks for them. */
  readonly items: readonly RecordItem[];
  /** What is sent of it where it is printed so; streams that ask for it add theirs before it is printed. */
  readonly parts = new Map<Print, RecordEvent | undefined>();
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

/** Prints what is told of a version. */
type Print = (
  printer: RecordsPrinter,
  record: StoredRecord,
  facts: RecordFacts,
  view: LedgerView,
) => MaybePromise<readonly RecordItem[]>;

/** What is sent of records: the transactions, their events, or what else is found in them. */
export interface RecordFeed {
  /** Name of its events. */
  readonly name: "transaction" | "event" | "movement";
  /** The indexes that a filter asks for; a transaction has the index 0. */
  readonly matching: (filter: RecordFilter, facts: RecordFacts) => ReadonlySet<number>;
  /** In each form: as for JSON where the form has none of its own. */
  readonly print: Readonly<Record<"json", Print>> & Readonly<Partial<Record<"csv" | "bcs", Print>>>;
  /** The id of an item, from its version's id. */
  readonly idOf: (id: string, index: number) => string;
  /** Columns of CSV: members of the JSON, with a dot between nested ones. */
  readonly columns: readonly string[];
  /** See Watched. */
  readonly tellsChanges?: boolean;
}

/** Streams of all feeds and filters share one topic, so that a record is read once, and printed once for a form. */
const RECORDS = new WatchKind<RecordEvent>();

/** Prints JSON. What is too large to print says so, for each of `count` items. */
export function printing(
  print: (
    printer: RecordsPrinter,
    record: StoredRecord,
    spans: RecordSpans,
  ) => Promise<readonly AnswerText[]>,
  count: (spans: RecordSpans) => number,
): Print {
  return async (printer, record, { spans }) => {
    try {
      return (await print(printer, record, spans)).map((text, index) => ({ index, text }));
    } catch (error) {
      if (!(error instanceof HttpError) || error.code !== "unprintable") throw error;
      const { message: unprintable } = error;
      const [version, hash] = [`${record.version}`, toPrefixedHex(spans.info.transactionHash)];
      return Array.from({ length: count(spans) }, (_, index) => {
        const json = JSON.stringify({ version, hash, index, unprintable });
        return { index, text: new AnswerText().add(json) };
      });
    }
  };
}

/** Records that are read in one piece. */
const PIECE_RECORDS = 64;
const PIECE_BYTES = 256 << 10;

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
  // Where modules must be fetched for what an answer rests on, nothing is known of types.
  if (view.fetchedTrust !== undefined || known.next !== from) known.forget();
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
    for (const print of event.parts.keys()) {
      const printed = print(printer, record, facts, view);
      const items = printed instanceof Promise ? await printed : printed;
      // Printing may have fetched modules, on which the text rests then.
      event.trust = trustOfAnswer(view, version);
      event.parts.set(print, event.with(items));
    }
    // What is not read changes what is known of types, as far as anybody can tell.
    if (facts.isRead) known.moveTo(version, facts.spans.writes);
    if (isSent || i === records.length - 1) events.push(event);
    const pausing = slices.pause();
    if (pausing !== undefined) await pausing;
  }
  return events;
}

/** `behind` is what the client got last, if that is in the middle of a version. */
export function watchedRecords(
  { matching, print: prints, tellsChanges }: RecordFeed,
  form: Form,
  types: StateTypes,
  filter: RecordFilter,
  behind: ResumePoint | undefined,
): Watched<RecordEvent> {
  const print = prints[form as "csv" | "bcs"] ?? prints.json;
  let kept: KnownTypes | undefined;
  // By its mark: after a rewind, another version has the number.
  const behindId = behind === undefined ? "" : formatPoint(behind);
  return {
    kind: RECORDS,
    id: "",
    keys: undefined,
    tellsChanges,
    current: async (view, version) => {
      const id = await eventIdAt(view, version);
      return new RecordEvent({ version, trust: trustOfAnswer(view, version) }, () => id);
    },
    changes: async function* (openView: OpenView, { from, to }, isWanted = () => true) {
      // A caller that goes on from a version has checked that the ledger still has it. No two readers share what is known.
      const known = kept ?? new KnownTypes();
      kept = undefined;
      for (let next = from; next <= to; ) {
        await nextTurn();
        const range = { from: next, to };
        const events = await withView(openView(), (view) => readPiece(view, types, range, known, isWanted));
        yield events;
        next = (events.at(-1)?.version ?? to) + 1n;
      }
      kept = known;
    },
    choice: {
      ...groupOf(filter),
      valuesIn: ({ facts }, group) => (facts === undefined ? [] : valuesIn(facts, group as Group)),
      accepts: (event) => {
        if (event.facts === undefined || matching(filter, event.facts).size === 0) return false;
        event.parts.set(print, undefined);
        return true;
      },
      pick: (event) => {
        const part = event.parts.get(print);
        // Nothing but how far the stream is.
        if (part?.facts === undefined) return event;
        const wanted = matching(filter, part.facts);
        const first = behind?.index !== undefined && event.id === behindId ? behind.index + 1 : 0;
        const items = part.items.filter(({ index }) => index >= first && wanted.has(index));
        return items.length === part.items.length ? part : part.with(items);
      },
    },
  };
}

/** The point behind which a stream or a range begins: behind what the client got last, or at a version. Throws what refuses it. */
export async function beginningOf(
  view: LedgerView,
  watched: Watched<RecordEvent>,
  asked: ResumePoint | bigint,
): Promise<ResumePoint> {
  if (typeof asked === "bigint") {
    assertStart(view, asked, watched);
    return pointBefore(view, asked);
  }
  await assertPoint(view, asked);
  return resumingAt(view, asked);
}

/** Throws if a stream cannot begin at a version. */
function assertStart(view: LedgerView, start: bigint, { tellsChanges = false }: Watched<RecordEvent>): void {
  const { version: head, oldestVersion: oldest } = view.position;
  assertKept(view, { version: start });
  if (tellsChanges && start === oldest && oldest > 0n) {
    const unknown = "is the oldest kept, so what it changed is not known";
    throw new LedgerError("version_pruned", `version ${start} ${unknown}; ask from ${start + 1n}`);
  }
  if (start <= head + 1n) return;
  const most = `expected at most the version after the latest, ${head + 1n}`;
  throw new HttpError("invalid_page", `start: ${most}, got ${start}`);
}
