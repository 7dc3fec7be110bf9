// The operations that send transactions or events: live, or a range of versions that ends; and the same in the process.
import { ConfigError } from "../../../base/errors.ts";
import { Slices } from "../../../base/wait.ts";
import { LedgerError } from "../../../ledger/errors.ts";
import { formatTrust, lastVersionWith, type TrustLevel } from "../../../ledger/trust.ts";
import type { LedgerPosition } from "../../../ledger/view.ts";
import { formatPoint, pointAt, type ResumePoint } from "../../../ledger/watch/event-id.ts";
import type { RecordFilter } from "../../../ledger/watch/record-filter.ts";
import { changesAfter, changesBetween } from "../../../ledger/watch/watch-changes.ts";
import { heldTo, type Watched } from "../../../ledger/watch/watched.ts";
import type { Asker } from "../../calls/asker.ts";
import { fieldOf } from "../../calls/operands.ts";
import { knownOptions, type OptionNames } from "../../calls/options.ts";
import { HttpError } from "../../errors.ts";
import type { Field, JsonSchema } from "../../field.ts";
import type { AnswerForm, Context, EventAnswer, StreamedAnswer } from "../../operation.ts";
import type { Form } from "../../response/negotiation.ts";
import {
  eventText,
  GAP_SCHEMA,
  lastEventIdField,
  streamRefusedQuery,
  TRUST_SCHEMA,
  wireOf,
} from "../../schemas/event-stream.ts";
import { ledgerVersionField, startField, U64_SCHEMA } from "../../schemas/integer.ts";
import { named, object } from "../../schemas/named.ts";
import {
  type FilterOptions,
  filterFields,
  filterFromOptions,
  filterOf,
  minTrustField,
} from "../../schemas/record-filter.ts";
import {
  type Beginning,
  beginningOf,
  beginRecords,
  type RecordEvent,
  type RecordKind,
  watchedRecords,
} from "./record-stream.ts";

/** What a stream sends, and in which forms. */
export interface RecordFeed {
  /** Name of its events. */
  readonly name: "transaction" | "event" | "movement";
  /** What is read for a form: as for JSON where the form has none of its own. */
  readonly kinds: Readonly<Record<"json", RecordKind>> & Readonly<Partial<Record<"csv" | "bcs", RecordKind>>>;
  /** It compares each version with the one before. */
  readonly tellsChanges?: boolean;
  /** Columns of CSV: members of the JSON, with a dot between nested ones. */
  readonly columns: readonly string[];
}

const START_SCHEMA = named(
  "StartEvent",
  object({
    version: { ...U64_SCHEMA, description: "The stream sends what comes after this version." },
    trust: TRUST_SCHEMA,
  }),
);

export const streamStartField: Field<bigint> = {
  ...startField,
  description:
    "The first version to send. When left out, the stream begins behind the latest version. `Last-Event-ID` overrides it.",
  omitExample: true,
};

export const endField: Field<bigint> = {
  ...ledgerVersionField,
  description:
    "The last version to send: the response ends behind it. At most the latest version, or the last one of the level that is asked for. When left out, the stream goes on with each new version. CSV and BCS need it.",
  omitExample: true,
};

/** Where a stream begins and ends, the filter, and the least level; `module` differs for events. */
const recordFields = (module: string) => ({
  start: streamStartField,
  end: endField,
  ...filterFields(module),
  min_trust: minTrustField,
});

interface RangeArgs {
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
  readonly min_trust: TrustLevel | undefined;
}

type RecordArgs = Parameters<typeof filterOf>[0] & RangeArgs;

const CSV_END = "\r\n";
/** What precedes it in an event's text is in the first part. */
const DATA = ',"data":';

const TURN_LENGTH = 128 << 10;
/** Doubling quotes costs a hundred times what copying does. */
const QUOTED_LENGTH = 16 << 10;
const NEEDS_QUOTES = /[",\r\n]/;

/** A cell of a text in parts. */
function* csvCell(parts: readonly string[]): Generator<string> {
  if (!parts.some((part) => NEEDS_QUOTES.test(part))) return yield* parts;
  yield '"';
  for (const part of parts) {
    for (let at = 0; at < part.length; at += QUOTED_LENGTH) {
      yield part.slice(at, at + QUOTED_LENGTH).replaceAll('"', '""');
    }
  }
  yield '"';
}

/** An event may nest so much that parsing it takes seconds: the text of its data is what the cell has. */
function* csvLine(columns: readonly string[], json: Iterable<string>): Generator<string> {
  const [first = "", ...more] = json;
  const last = more.pop();
  const start = columns.includes("data") ? first.indexOf(DATA) : -1;
  const end = (last ?? first).lastIndexOf(",");
  const behind = start + DATA.length;
  const data =
    last === undefined ? [first.slice(behind, end)] : [first.slice(behind), ...more, last.slice(0, end)];
  const isCut = start >= 0 && data.find((part) => part !== "")?.[0] === "{";
  const text = isCut ? first.slice(0, start) + (last ?? first).slice(end) : [first, ...more, last].join("");
  const members = JSON.parse(text) as object;
  for (const column of columns) {
    const toPart = (part: unknown, name: string) =>
      (part as Readonly<Record<string, unknown>> | undefined)?.[name];
    const value = column.split(".").reduce(toPart, members);
    const cell = typeof value === "object" ? JSON.stringify(value) : `${value ?? ""}`;
    yield* csvCell(isCut && column === "data" ? data : [cell]);
    yield column === columns.at(-1) ? CSV_END : ",";
  }
}

/** The parts of a JSON object with another end. */
function* endedWith(end: string, parts: Iterable<string>): Generator<string> {
  let held = "";
  for (const part of parts) {
    if (held !== "") yield held;
    held = part;
  }
  yield held.slice(0, -1) + end;
}

/** All that is sent of versions. */
function* encodeRecords(
  { name, columns, kinds }: RecordFeed,
  form: Form,
  events: readonly RecordEvent[],
): Generator<string | Uint8Array> {
  const wire = wireOf(form);
  for (const event of events) {
    const { version, trust, facts, items } = event;
    const level = formatTrust(trust);
    if (facts === undefined)
      yield eventText(wire, "start", event.id, { version: `${version}`, trust: level });
    const id = items.length === 0 || form === "csv" || form === "bcs" ? "" : event.id;
    for (const { index, text } of items) {
      if (text instanceof Uint8Array) {
        yield text;
        continue;
      }
      const json = endedWith(`,"trust":"${level}"}`, typeof text === "string" ? [text] : text.parts());
      if (form === "csv") yield* csvLine(columns, json);
      else {
        const [before, behind] = wire.around(name, kinds.json.idOf(id, index));
        yield before;
        yield* json;
        yield behind;
      }
    }
  }
}

/** Pieces together, as far as one turn of the event loop takes them. */
function* joined(pieces: Iterable<string | Uint8Array>): Generator<string | Uint8Array> {
  let [parts, length]: [(string | Uint8Array)[], number] = [[], 0];
  const join = () => (typeof parts[0] === "string" ? parts.join("") : Buffer.concat(parts as Uint8Array[]));
  for (const piece of pieces) {
    parts.push(piece);
    length += piece.length;
    if (length < TURN_LENGTH) continue;
    yield join();
    [parts, length] = [[], 0];
  }
  yield join();
}

/** The bytes of pieces, of which the first ones are there. */
async function inSlices(
  first: readonly (string | Uint8Array)[],
  rest: Iterable<string | Uint8Array>,
  slices: Slices,
): Promise<Uint8Array> {
  const parts = first.map((piece) => Buffer.from(piece as string));
  for (const piece of rest) {
    parts.push(Buffer.from(piece as string));
    await slices.pause();
  }
  return Buffer.concat(parts);
}

/** Pieces of a range without a match before the client is told how far the node is. */
const QUIET_PIECES = 256;

/** A range as it is sent. The first piece is read at once, so that what is wrong with the question still has its status. */
async function rangeTexts(
  feed: RecordFeed,
  form: Form,
  { choice }: Watched<RecordEvent>,
  changes: AsyncIterable<readonly RecordEvent[]>,
  to: ResumePoint,
): Promise<AsyncGenerator<string | Uint8Array>> {
  const pieces = changes[Symbol.asyncIterator]();
  const first = await pieces.next();
  const isTold = form === "events" || form === "ndjson";
  return (async function* () {
    if (form === "csv") yield feed.columns.join(",") + CSV_END;
    const slices = new Slices();
    let quiet = 0;
    for (let next = first; next.done !== true; next = await pieces.next()) {
      const picked = next.value.map((event) => choice?.pick(event) ?? event);
      quiet++;
      for (const sent of joined(encodeRecords(feed, form, picked))) {
        if (sent.length > 0) quiet = 0;
        yield sent;
        await slices.pause();
      }
      if (isTold && quiet > 0 && quiet % QUIET_PIECES === 0) yield wireOf(form).beat(next.value.at(-1)?.id);
    }
    // Tells that the range is whole, also where its last versions do not match, or the client has them all.
    if (isTold) yield wireOf(form).beat(formatPoint(to));
  })();
}

/** Answers with the versions from `start`, or from behind the client's last event, to `end`. */
async function sendRange(
  feed: RecordFeed,
  { view, ledger, streamHead, form }: Context<"required">,
  all: Watched<RecordEvent>,
  beginning: Beginning,
  least: TrustLevel | undefined,
  end: bigint,
): Promise<StreamedAnswer> {
  const { position } = view;
  const first = beginning.behind?.version ?? beginning.start;
  if (first === undefined) throw new HttpError("malformed_request", "end: expected together with `start`");
  // Before anything else is said of the versions: after a rewind they mean others.
  const after = await beginningOf(view, beginning, position.version);
  const head = streamHead(position, least);
  if (first > end) {
    throw new LedgerError("reversed_range", `start: expected at most \`end\`, ${end}, got ${first}`);
  }
  if (end > head) {
    throw new LedgerError("version_not_found", `end: version ${end} is above the latest to send, ${head}`);
  }
  const watched = least === undefined ? all : heldTo(all, least);
  const to = await pointAt(view, end);
  const changes = changesBetween(ledger, view, watched, after, to);
  return { stream: await rangeTexts(feed, form, watched, changes, to), version: end };
}

/** The forms of a stream; the last one only where there is BCS. */
export function recordForms(
  feed: RecordFeed,
  schema: JsonSchema,
  bcs: string,
): Readonly<Record<"events" | "ndjson" | "csv" | "bcs", AnswerForm<RecordEvent>>> {
  const { name, columns } = feed;
  const data = { [name]: schema, start: START_SCHEMA, gap: GAP_SCHEMA };
  const meaning = `An event \`${name}\` for each that fits the filter, in the order of the ledger, with the trust level that it has when it is sent. A stream that begins behind the latest version first sends \`start\`, which names it. \`gap\` says that versions after \`Last-Event-ID\` have been pruned, or that the ledger does not have that history, as after a rewind; \`start\` follows it and says where the stream goes on.`;
  const form = (which: Form, description: string, more: JsonSchema): AnswerForm<RecordEvent> => ({
    schema: { type: "string", ...more },
    description,
    encode: (event, slices) => {
      const pieces = joined(encodeRecords(feed, which, [event]));
      const [first, second] = [pieces.next().value ?? "", pieces.next().value];
      return second === undefined ? first : inSlices([first, second], pieces, slices);
    },
  });
  return {
    events: form(
      "events",
      `Server-sent events. ${meaning} A comment is a heartbeat; its \`id\` says how far the stream is. \`x-event-data\` names the schema of the JSON in \`data\`, by event.`,
      { "x-event-data": data },
    ),
    ndjson: form(
      "ndjson",
      "The same in lines of JSON, each with `event`, `id` and `data`. An event `heartbeat` has no data; a range ends with one.",
      { "x-event-data": data },
    ),
    csv: form("csv", `Of a range: a header line and a line for each: ${columns.join(", ")}.`, {}),
    bcs: form("bcs", `Of a range: ${bcs}`, { format: "binary" }),
  };
}

/** What the two operations share. */
export function recordStream(feed: RecordFeed, schema: JsonSchema, module: string, bcs: string) {
  return {
    method: "GET",
    switchable: false,
    sendsEvents: true,
    query: recordFields(module),
    refusedQuery: streamRefusedQuery("start"),
    answer: recordForms(feed, schema, bcs),
    errors: ["invalid_page", "invalid_range", "version_not_found", "version_pruned"],
    handle: (args: RecordArgs, context: Context<"required">) =>
      sendRecords(feed, context, filterOf(args), args),
  } as const;
}

/** Answers with a stream, or with a range. */
export function sendRecords(
  feed: RecordFeed,
  context: Context<"required">,
  filter: RecordFilter,
  { start, end, min_trust: least }: RangeArgs,
): Promise<EventAnswer<RecordEvent> | StreamedAnswer> {
  const { form, services, lastEventId: behind } = context;
  const beginning = { behind, start, tellsChanges: feed.tellsChanges };
  const kind = feed.kinds[form as "csv" | "bcs"] ?? feed.kinds.json;
  const watched = watchedRecords(kind, services.types, filter, behind);
  if (end !== undefined) return sendRange(feed, context, watched, beginning, least, end);
  if (form === "csv" || form === "bcs") {
    throw new HttpError("malformed_request", `end: expected for an answer in ${form.toUpperCase()}`);
  }
  return beginRecords(watched, context, beginning, least);
}

/** Which transactions or events a call gives. */
export interface RecordsOptions {
  /** The first version; when left out, those behind the latest. */
  readonly from?: bigint | undefined;
  /** Goes on behind a batch with this cursor, or behind an event of a stream with this id. Overrides `from`. */
  readonly after?: string | undefined;
  /** The last version; when left out, the batches go on with each new version. */
  readonly to?: bigint | undefined;
  readonly filter?: FilterOptions | undefined;
  /** Holds each back until it has this trust level. */
  readonly minTrust?: string | undefined;
  /** Ends the batches. */
  readonly signal?: AbortSignal | undefined;
}

const RECORDS_NAMES: OptionNames<RecordsOptions> = {
  from: true,
  after: true,
  to: true,
  filter: true,
  minTrust: true,
  signal: true,
};

/** A transaction or an event. */
export interface RecordAnswer {
  readonly version: bigint;
  /** Place of an event in its transaction; 0 for a transaction. */
  readonly index: number;
  readonly trust: TrustLevel;
  /** As the HTTP interface answers it. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Whole versions, oldest first. */
export interface RecordBatch {
  /** None where no version of the batch fits the filter. */
  readonly items: readonly RecordAnswer[];
  /** Store it with what you made of the items, and go on behind it with `after`. */
  readonly cursor: string;
}

/** The batches of a call. Throws LedgerError `version_pruned`, or `version_not_found` after a rewind. */
export async function* recordBatches(
  { kinds }: RecordFeed,
  node: Asker,
  options: RecordsOptions,
): AsyncGenerator<RecordBatch> {
  const { from, after, to, filter = {}, minTrust, signal } = knownOptions(RECORDS_NAMES, options);
  const [start, end] = [fieldOf("from", ledgerVersionField, from), fieldOf("to", ledgerVersionField, to)];
  if (start !== undefined && end !== undefined && start > end) {
    throw new ConfigError("from: expected at most `to`, got more");
  }
  const cursor = fieldOf("after", lastEventIdField, after);
  const least = fieldOf("minTrust", minTrustField, minTrust);
  const headOf = (position: LedgerPosition): bigint =>
    least === undefined ? position.version : lastVersionWith(position, least);
  const all = watchedRecords(kinds.json, node.types, filterFromOptions(filter), cursor);
  const watched = least === undefined ? all : heldTo(all, least);
  const point = await node.withView((view) =>
    beginningOf(view, { behind: cursor, start }, headOf(view.position)),
  );
  const ends = signal === undefined ? node.closing : AbortSignal.any([signal, node.closing]);
  for await (const events of changesAfter(node, { headOf }, watched, point, { end, signal: ends })) {
    const last = events.at(-1);
    if (last === undefined) continue;
    const items = events.flatMap((event) => {
      const { version, trust, items: picked } = watched.choice?.pick(event) ?? event;
      return picked.map(({ index, text }) => ({
        version,
        index,
        trust,
        data: JSON.parse(`${text}`) as RecordAnswer["data"],
      }));
    });
    yield { items, cursor: last.id };
  }
  if (node.closing.aborted) throw new LedgerError("unavailable", "the node is closed");
}
