// The operations that send transactions or events: live, or a range of versions that ends; and the same in the process.
import { ConfigError } from "../../../base/errors.ts";
import { andThen, type MaybePromise } from "../../../base/maybe-promise.ts";
import { Slices } from "../../../base/wait.ts";
import { LedgerError } from "../../../ledger/errors.ts";
import {
  formatTrust,
  lastToldVersion,
  lastVersionWith,
  type TrustLevel,
  trustAt,
} from "../../../ledger/trust.ts";
import type { LedgerPosition } from "../../../ledger/view.ts";
import { formatPoint, pointAt, type ResumePoint } from "../../../ledger/watch/event-id.ts";
import type { RecordFilter } from "../../../ledger/watch/record-filter.ts";
import { changesAfter, changesBetween } from "../../../ledger/watch/watch-changes.ts";
import { heldTo } from "../../../ledger/watch/watched.ts";
import type { Asker } from "../../calls/asker.ts";
import { fieldOf } from "../../calls/operands.ts";
import { knownOptions, type OptionNames } from "../../calls/options.ts";
import { HttpError } from "../../errors.ts";
import type { Fields, JsonSchema } from "../../field.ts";
import type { AnswerForm, Context, EventAnswer, StreamedAnswer } from "../../operation.ts";
import { AnswerText, addPieces, type PrintedText } from "../../printing/answer-text.ts";
import type { Form } from "../../response/negotiation.ts";
import { begun } from "../../response/write-pieces.ts";
import {
  beginEvents,
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
  beginningOf,
  type RecordEvent,
  type RecordFeed,
  type RecordItem,
  watchedRecords,
} from "./record-stream.ts";

const START_SCHEMA = named(
  "StartEvent",
  object({
    version: { ...U64_SCHEMA, description: "The stream sends what comes after this version." },
    trust: TRUST_SCHEMA,
  }),
);

/** Where a stream begins and ends. */
export const rangeFields = {
  start: {
    ...startField,
    description:
      "The first version to send. When left out, the stream begins behind the latest version. `Last-Event-ID` overrides it.",
    omitExample: true,
  },
  end: {
    ...ledgerVersionField,
    description:
      "The last version to send: the response ends behind it. At most the latest version, or the last one of the level that is asked for. When left out, the stream goes on with each new version. CSV and BCS need it.",
    omitExample: true,
  },
} as const satisfies Fields;

interface RangeArgs {
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
  readonly min_trust: TrustLevel | undefined;
}

type RecordArgs = Parameters<typeof filterOf>[0] & RangeArgs;

const CSV_END = "\r\n";

/** Doubling quotes costs a hundred times what copying does. */
const QUOTED_LENGTH = 16 << 10;
const NEEDS_QUOTES = /[",\r\n]/;
const LOW_SURROGATE = /[\udc00-\udfff]/;
/** It, and all before it, is in the first part of an event's text. */
const DATA = ',"data":';

/** A cell of a text in parts. */
function* csvCell(parts: readonly string[]): Generator<string> {
  if (!parts.some((part) => NEEDS_QUOTES.test(part))) return yield* parts;
  yield '"';
  for (const part of parts) {
    for (let at = 0, end = 0; at < part.length; at = end) {
      end = at + QUOTED_LENGTH;
      // Half of a pair has no UTF-8.
      if (LOW_SURROGATE.test(part.charAt(end))) end++;
      yield part.slice(at, end).replaceAll('"', '""');
    }
  }
  yield '"';
}

/** An event may nest so much that parsing it takes seconds: the text of its data is what the cell has. */
function* csvLine(columns: readonly string[], text: AnswerText, trust: string): Generator<string> {
  const [first = "", ...more] = text.parts();
  const at = columns.includes("data") ? first.indexOf(DATA) : -1;
  const data = [first.slice(at + DATA.length), ...more];
  const isCut = at >= 0 && data.find((part) => part !== "")?.[0] === "{";
  if (isCut) data.push(`${data.pop()}`.slice(0, -1));
  const json = isCut ? `${first.slice(0, at)}}` : [first, ...more].join("");
  const members: unknown = { ...(JSON.parse(json) as object), trust };
  for (const column of columns) {
    const toPart = (part: unknown, name: string) =>
      (part as Readonly<Record<string, unknown>> | undefined)?.[name];
    const value = column.split(".").reduce(toPart, members);
    const cell = typeof value === "object" ? JSON.stringify(value) : `${value ?? ""}`;
    yield* csvCell(isCut && column === "data" ? data : [cell]);
    yield column === columns.at(-1) ? CSV_END : ",";
  }
}

/** How a feed is written. */
type SentForm = Pick<RecordFeed, "name" | "idOf" | "columns">;

/** The text of versions, in pieces. */
function* textsOf(
  { name, columns, idOf }: SentForm,
  form: Form,
  events: readonly RecordEvent[],
): Generator<PrintedText> {
  const wire = wireOf(form);
  for (const { version, id, trust: level, facts, items } of events) {
    const trust = formatTrust(level);
    if (facts === undefined) yield eventText(wire, "start", id, { version: `${version}`, trust });
    for (const { index, text } of items as readonly RecordItem<AnswerText>[]) {
      if (form === "csv") {
        yield* csvLine(columns, text, trust);
        continue;
      }
      const [before, behind] = wire.around(name, idOf(id, index));
      yield before;
      yield text.withMember(`"trust":"${trust}"`);
      yield behind;
    }
  }
}

/** All that is sent of versions. */
function encodeRecords(
  feed: SentForm,
  form: Form,
  events: readonly RecordEvent[],
  slices: Slices,
): MaybePromise<string | Uint8Array> {
  if (form === "bcs") {
    return Buffer.concat(events.flatMap(({ items }) => items.map(({ text }) => text as Uint8Array)));
  }
  return andThen(addPieces(new AnswerText(), textsOf(feed, form, events), slices), (out) => out.finish());
}

/** Pieces of a range without a match before the client is told how far the node is. */
const QUIET_PIECES = 256;

/** A range as it is sent. */
async function* rangeTexts(
  feed: SentForm,
  form: Form,
  changes: AsyncIterable<readonly RecordEvent[]>,
  to: ResumePoint,
): AsyncGenerator<string | Uint8Array> {
  if (form === "csv") yield feed.columns.join(",") + CSV_END;
  const isTold = form === "events" || form === "ndjson";
  const slices = new Slices();
  let quiet = 0;
  for await (const events of changes) {
    const text = await encodeRecords(feed, form, events, slices);
    yield text;
    await slices.pause();
    quiet = text.length === 0 ? quiet + 1 : 0;
    if (isTold && quiet > 0 && quiet % QUIET_PIECES === 0) yield wireOf(form).beat(events.at(-1)?.id);
  }
  // Tells that the range is whole, also where its last versions do not match, or the client has them all.
  if (isTold) yield wireOf(form).beat(formatPoint(to));
}

/** What all operations share that send records; `bcs` says what BCS has. */
export function recordOperation(feed: SentForm, schema: JsonSchema, bcs: string) {
  const { name, columns } = feed;
  const data = { "x-event-data": { [name]: schema, start: START_SCHEMA, gap: GAP_SCHEMA } };
  const meaning = `An event \`${name}\` for each that fits the filter, in the order of the ledger, with the trust level that it has when it is sent. A stream that begins behind the latest version first sends \`start\`, which names it. \`gap\` says that versions after \`Last-Event-ID\` have been pruned, or that the ledger does not have that history, as after a rewind; \`start\` follows it and says where the stream goes on.`;
  const form = (which: Form, description: string, more: JsonSchema): AnswerForm<RecordEvent> => ({
    schema: { type: "string", ...more },
    description,
    encode: (event, slices) => encodeRecords(feed, which, [event], slices),
  });
  return {
    switchable: false,
    sendsEvents: true,
    refusedQuery: streamRefusedQuery("start"),
    answer: {
      events: form(
        "events",
        `Server-sent events. ${meaning} A comment is a heartbeat; its \`id\` says how far the stream is. \`x-event-data\` names the schema of the JSON in \`data\`, by event.`,
        data,
      ),
      ndjson: form(
        "ndjson",
        "The same in lines of JSON, each with `event`, `id` and `data`. An event `heartbeat` has no data; a range ends with one.",
        data,
      ),
      csv: form("csv", `Of a range: a header line and a line for each: ${columns.join(", ")}.`, {}),
      bcs: form("bcs", `Of a range: ${bcs}`, { format: "binary" }),
    },
    errors: ["invalid_page", "invalid_range", "version_not_found", "version_pruned"],
  } as const;
}

/** What the two operations with a filter share. */
export function recordStream(feed: RecordFeed, schema: JsonSchema, module: string, bcs: string) {
  return {
    ...recordOperation(feed, schema, bcs),
    method: "GET",
    query: { ...rangeFields, ...filterFields(module), min_trust: minTrustField },
    handle: (args: RecordArgs, context: Context<"required">) =>
      sendRecords(feed, context, filterOf(args), args),
  } as const;
}

/** Answers with a stream, or with the versions from `start`, or from behind the client's last event, to `end`. */
export async function sendRecords(
  feed: RecordFeed,
  context: Context<"required">,
  filter: RecordFilter,
  { start, end, min_trust: least }: RangeArgs,
): Promise<EventAnswer<RecordEvent> | StreamedAnswer> {
  const { form, services, lastEventId: behind, view, ledger, streamHead } = context;
  const { position } = view;
  const watched = watchedRecords(feed, form, services.types, filter, behind);
  const asked = behind ?? start;
  if (end === undefined && (form === "csv" || form === "bcs")) {
    throw new HttpError("malformed_request", `end: expected for an answer in ${form.toUpperCase()}`);
  }
  if (end === undefined && typeof asked !== "bigint") {
    return beginEvents(watched, context, undefined, least);
  }
  if (asked === undefined) throw new HttpError("malformed_request", "end: expected together with `start`");
  // Before anything else is said of the versions: after a rewind they mean others.
  const after = await beginningOf(view, watched, asked);
  const head = streamHead(position, least);
  if (end === undefined) {
    const trust = trustAt(position.trust, head);
    return { watched, opening: "", state: undefined, after, trust, least, version: undefined };
  }
  const first = typeof asked === "bigint" ? asked : asked.version;
  if (first > end) {
    throw new LedgerError("reversed_range", `start: expected at most \`end\`, ${end}, got ${first}`);
  }
  if (end > head) {
    throw new LedgerError("version_not_found", `end: version ${end} is above the latest to send, ${head}`);
  }
  const to = await pointAt(view, end);
  const changes = changesBetween(ledger, view, heldTo(watched, least), after, to);
  return { stream: rangeTexts(feed, form, await begun(changes), to), version: end };
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
  feed: RecordFeed,
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
  // Before a version has the level, everything is held back.
  const headOf = (position: LedgerPosition): bigint => lastVersionWith(position, least) ?? -1n;
  const records = watchedRecords(feed, "json", node.types, filterFromOptions(filter), cursor);
  const watched = heldTo(records, least);
  const asked = cursor ?? start;
  const point = await node.withView((view) =>
    asked === undefined
      ? pointAt(view, lastToldVersion(view.position, least))
      : beginningOf(view, watched, asked),
  );
  const ends = signal === undefined ? node.closing : AbortSignal.any([signal, node.closing]);
  for await (const events of changesAfter(node, { headOf }, watched, point, { end, signal: ends })) {
    const last = events.at(-1);
    if (last === undefined) continue;
    const items = events.flatMap(({ version, trust, items }) =>
      items.map(({ index, text }) => {
        const data = JSON.parse(`${text}`) as RecordAnswer["data"];
        return { version, index, trust, data };
      }),
    );
    yield { items, cursor: last.id };
  }
  if (node.closing.aborted) throw new LedgerError("unavailable", "the node is closed");
}
