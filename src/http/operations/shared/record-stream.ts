// Streams of transactions and of events: what they read, where they begin, and how they write it.
import { toPrefixedHex } from "../../../base/hex.ts";
import { nextTurn, Slices } from "../../../base/wait.ts";
import type { OpenView } from "../../../ledger/balances/balance-history.ts";
import { LedgerError } from "../../../ledger/errors.ts";
import type { StateTypes } from "../../../ledger/items/state-types.ts";
import { assertNotRefuted, formatTrust, type TrustLevel, trustAt } from "../../../ledger/trust.ts";
import type { VersionRange } from "../../../ledger/version-range.ts";
import { type LedgerView, type StoredRecord, trustOfAnswer, withView } from "../../../ledger/view.ts";
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
import type { Field, JsonSchema } from "../../field.ts";
import type { AnswerForm, Context, EventAnswer } from "../../operation.ts";
import type { AnswerText } from "../../printing/answer-text.ts";
import { RecordsPrinter } from "../../printing/records-text.ts";
import type { Form } from "../../response/negotiation.ts";
import { beginEvents, GAP_SCHEMA, TRUST_SCHEMA, wireOf } from "../../schemas/event-stream.ts";
import { startField, U64_SCHEMA } from "../../schemas/integer.ts";
import { named } from "../../schemas/named.ts";

export interface RecordItem {
  readonly index: number;
  readonly id: string;
  readonly json: string;
}

/** What a stream sends of a version. */
class RecordEvent implements WatchEvent {
  readonly version: bigint;
  readonly id: string;
  trust: TrustLevel;
  /** Undefined in the event that tells where a stream begins. */
  readonly facts: RecordFacts | undefined;
  /** The transaction, or its events; none if nobody asks for them. */
  items: readonly RecordItem[] = [];
  /** What streams of each kind are sent of it; those that ask add theirs before it is printed. */
  readonly parts = new Map<RecordKind, RecordEvent | undefined>();

  constructor({ version, id, trust }: WatchEvent, facts?: RecordFacts) {
    this.version = version;
    this.id = id;
    this.trust = trust;
    this.facts = facts;
  }
}

/** Transactions, or their events. */
export interface RecordKind {
  /** The indexes that a filter asks for; a transaction has the index 0. */
  readonly matching: (filter: RecordFilter, facts: RecordFacts) => ReadonlySet<number>;
  readonly print: (printer: RecordsPrinter, record: StoredRecord) => Promise<readonly AnswerText[]>;
  /** Members before those of the printed text. */
  readonly head: (version: bigint, index: number, hash: string, timestamp: string) => string;
  readonly idOf: (id: string, index: number) => string;
}

/** Streams of both kinds and all filters share one topic, so that a record is read once, and printed once for a kind. */
const RECORDS = new WatchKind<RecordEvent>();
const ONLY = new Set([0]);
const NONE = new Set<number>();

export const TRANSACTIONS: RecordKind = {
  matching: (filter, facts) => (matchesTransaction(filter, facts) ? ONLY : NONE),
  print: async (printer, record) => [await printer.print(record)],
  head: () => "",
  idOf: (id) => id,
};

export const EVENTS: RecordKind = {
  matching: matchingEvents,
  print: (printer, record) => printer.printEventsOf(record),
  head: (version, index, hash, timestamp) =>
    `"version":"${version}","index":${index},"transaction_hash":"${hash}","timestamp":"${timestamp}",`,
  idOf: indexedId,
};

/** The JSON of a version's items. What is too large to print says so. */
async function printItems(
  kind: RecordKind,
  printer: RecordsPrinter,
  record: StoredRecord,
  { spans }: RecordFacts,
): Promise<string[]> {
  const hash = toPrefixedHex(spans.info.transactionHash);
  const { version } = record;
  try {
    const timestamp = `${await printer.timeOf(version)}`;
    const texts = await kind.print(printer, record);
    return await Promise.all(
      texts.map(async (text, i) => {
        const json = `${Buffer.from(await text.finish())}`;
        return `{${kind.head(version, i, hash, timestamp)}${json.slice(1)}`;
      }),
    );
  } catch (error) {
    if (!(error instanceof HttpError) || error.code !== "unprintable") throw error;
    const { message: unprintable } = error;
    const count = kind === EVENTS ? spans.events.length : 1;
    return Array.from({ length: count }, (_, index) =>
      JSON.stringify({ version: `${version}`, hash, index, unprintable }),
    );
  }
}

/** Records that are read in one piece. */
const PIECE_RECORDS = 64;
const PIECE_BYTES = 256 << 10;

/** Reads the first records of a range: those that are wanted, and the last one, which tells how far the piece leads. */
async function readPiece(
  view: LedgerView,
  types: StateTypes,
  { from, to }: VersionRange,
  isWanted: (event: RecordEvent) => boolean,
): Promise<RecordEvent[]> {
  const { position } = view;
  assertNotRefuted(position, to);
  const most = to - from + 1n;
  const limit = most < PIECE_RECORDS ? Number(most) : PIECE_RECORDS;
  const records = await view.getRecords(from, limit, PIECE_BYTES);
  const slices = new Slices();
  const printer = new RecordsPrinter(types, view, slices);
  const events: RecordEvent[] = [];
  for (const [i, { version, bytes }] of records.entries()) {
    // The store's bytes end with the view, and filters look at the record later.
    const record = { version, bytes: Uint8Array.prototype.slice.call(bytes) };
    const facts = new RecordFacts(record.bytes);
    const id = markedId(version, facts.spans.accumulatorRoot);
    const event = new RecordEvent({ version, id, trust: trustAt(position.trust, version) }, facts);
    const isSent = isWanted(event);
    for (const kind of event.parts.keys()) {
      const texts = await printItems(kind, printer, record, facts);
      // Printing may have fetched modules, on which the text rests then.
      event.trust = trustOfAnswer(view, version);
      const part = new RecordEvent(event, facts);
      part.items = texts.map((json, index) => ({ index, id: kind.idOf(id, index), json }));
      event.parts.set(kind, part);
    }
    if (isSent || i === records.length - 1) events.push(event);
    await slices.pause();
  }
  return events;
}

/** `behind` is what the client got last, if that is in the middle of a version. */
function watchedRecords(
  kind: RecordKind,
  types: StateTypes,
  filter: RecordFilter,
  behind: ResumePoint | undefined,
): Watched<RecordEvent> {
  // By its mark: after a rewind, another version has the number.
  const behindId = behind === undefined ? "" : formatPoint(behind);
  const isAsked = ({ id, facts }: RecordEvent): ((index: number) => boolean) => {
    const matching = facts === undefined ? NONE : kind.matching(filter, facts);
    const first = id === behindId ? (behind?.index ?? -1) + 1 : 0;
    return (index) => index >= first && matching.has(index);
  };
  return {
    kind: RECORDS,
    id: "",
    keys: undefined,
    current: async (view, version) =>
      new RecordEvent({
        version,
        id: await eventIdAt(view, version),
        trust: trustOfAnswer(view, version),
      }),
    changes: async function* (openView: OpenView, { from, to }, isWanted = () => true) {
      for (let next = from; next <= to; ) {
        await nextTurn();
        const range = { from: next, to };
        const events = await withView(openView(), (view) => readPiece(view, types, range, isWanted));
        yield events;
        next = (events.at(-1)?.version ?? to) + 1n;
      }
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
        return items.length === part.items.length
          ? part
          : Object.assign(new RecordEvent(part, part.facts), { items });
      },
    },
  };
}

/** Where to begin. */
export const streamStartField: Field<bigint> = {
  ...startField,
  description:
    "The first version to send, and then all later ones. When left out, the stream begins behind the latest version. `Last-Event-ID` overrides it.",
  omitExample: true,
};

async function pointBefore(view: LedgerView, version: bigint): Promise<ResumePoint> {
  const before = version - 1n;
  return before < 0n ? { version: before, mark: undefined } : pointAt(view, before);
}

/** Begins a stream behind the latest version, at `start`, or behind the client's last event. */
export async function beginRecords(
  kind: RecordKind,
  context: Context<"required">,
  filter: RecordFilter,
  { start, min_trust: least }: { start: bigint | undefined; min_trust: TrustLevel | undefined },
): Promise<EventAnswer<RecordEvent>> {
  const { view, services, streamHead, lastEventId } = context;
  const watched = watchedRecords(kind, services.types, filter, lastEventId);
  if (lastEventId !== undefined || start === undefined) {
    const answer = await beginEvents(watched, context, undefined, least);
    const isWithin = answer.state === undefined && lastEventId?.index !== undefined;
    return isWithin ? { ...answer, after: await pointBefore(view, answer.after.version) } : answer;
  }
  const { position } = view;
  const { version: head, oldestVersion: oldest, trust } = position;
  if (start < oldest) {
    throw new LedgerError("version_pruned", `version ${start} is below the oldest kept, ${oldest}`);
  }
  if (start > head + 1n) {
    const most = `expected at most the version after the latest, ${head + 1n}`;
    throw new HttpError("invalid_page", `start: ${most}, got ${start}`);
  }
  const level = trustAt(trust, streamHead(position, least));
  return {
    watched,
    opening: "",
    state: undefined,
    after: await pointBefore(view, start),
    trust: level,
    least,
    version: undefined,
  };
}

const START_SCHEMA = named("StartEvent", {
  type: "object",
  required: ["version", "trust"],
  properties: {
    version: { ...U64_SCHEMA, description: "The stream sends what comes after this version." },
    trust: TRUST_SCHEMA,
  },
});

/** The text of all that is sent of a version. */
function encodeRecord(name: string, form: Form, { version, id, trust, facts, items }: RecordEvent): string {
  const wire = wireOf(form);
  const level = `"trust":"${formatTrust(trust)}"}`;
  if (facts === undefined) return wire.event("start", id, `{"version":"${version}",${level}`);
  return items.map((item) => wire.event(name, item.id, `${item.json.slice(0, -1)},${level}`)).join("");
}

/** The forms of a stream. */
export function recordForms(
  name: string,
  schema: JsonSchema,
): Readonly<Record<"events" | "ndjson", AnswerForm<RecordEvent>>> {
  const data = { [name]: schema, start: START_SCHEMA, gap: GAP_SCHEMA };
  const meaning = `An event \`${name}\` for each that fits the filter, in the order of the ledger, with the trust level that it has when it is sent. A stream that begins behind the latest version first sends \`start\`, which names it. \`gap\` says that versions after \`Last-Event-ID\` have been pruned, or that the ledger does not have that history, as after a rewind; \`start\` follows it and says where the stream goes on.`;
  const form = (which: Form, description: string): AnswerForm<RecordEvent> => ({
    schema: { type: "string", "x-event-data": data },
    description,
    encode: (event) => encodeRecord(name, which, event),
  });
  return {
    events: form(
      "events",
      `Server-sent events. ${meaning} A comment is a heartbeat; its \`id\` says how far the stream is. \`x-event-data\` names the schema of the JSON in \`data\`, by event.`,
    ),
    ndjson: form(
      "ndjson",
      "The same in lines of JSON, each with `event`, `id` and `data`. An event `heartbeat` has no data.",
    ),
  };
}
