// What the operations that stream events share: where a stream begins, and how an event is written.
import { formatTrust, type TrustLevel, trustAt } from "../../ledger/trust.ts";
import {
  otherHistory,
  parseEventId,
  pointAt,
  type ResumePoint,
  resumingAt,
} from "../../ledger/watch/event-id.ts";
import type { WatchEvent, Watched } from "../../ledger/watch/watched.ts";
import type { Field, JsonSchema } from "../field.ts";
import type { AnswerForm, Context, EventAnswer } from "../operation.ts";
import type { Form } from "../response/negotiation.ts";
import { ledgerVersionField, U64_SCHEMA } from "./integer.ts";
import { named, object } from "./named.ts";

/** Where to resume. */
export const afterField: Field<bigint> = {
  ...ledgerVersionField,
  description:
    "Sends the changes after this version instead of the state now: for clients that cannot send `Last-Event-ID`, which overrides it.",
  omitExample: true,
};

/** Parameters of reads, which a stream would otherwise ignore. */
export const streamRefusedQuery = (begin: "after" | "start"): Readonly<Record<string, string>> => ({
  ledger_version: `name where to begin by \`${begin}\``,
  at: `name where to begin by \`${begin}\``,
});

/** The header that clients send when they connect again. */
export const lastEventIdField: Field<ResumePoint> = {
  schema: { type: "string" },
  example: "1200",
  expected: "the id of an event, or a u64 in decimal digits",
  description:
    "The id of the last event that the client got: resumes behind it. Changes since are sent from the history. The id names a version and the history up to it; a ledger with another history answers with an event `gap`.",
  omitExample: true,
  parse: (text) => parseEventId(text) ?? { version: ledgerVersionField.parse(text), mark: undefined },
};

/** What an event rests on, as a member of its data. */
export const TRUST_SCHEMA: JsonSchema = {
  type: "string",
  description:
    "The trust level of this event when it was sent, as `X-NODE-TRUST` names it for other responses.",
};

export const GAP_SCHEMA: JsonSchema = named(
  "GapEvent",
  object({
    message: { type: "string" },
    last_event_id: { ...U64_SCHEMA, description: "Where the client wanted to resume." },
    oldest_version: { ...U64_SCHEMA, description: "The oldest version that is kept." },
  }),
);

/** How a stream writes what it sends. */
export interface EventWire {
  /** Sent first. */
  readonly opening: string;
  /** What stands before and behind the data of an event, which is JSON. */
  around(name: string, id: string | undefined): readonly [before: string, behind: string];
  /** A heartbeat, which may tell how far the stream is. */
  beat(id: string | undefined): string;
}

/**
 * Server-sent events. The id comes last: common clients take it as soon as they read it, and would resume behind an event
 * whose data they never got if the connection broke in between.
 */
const SENT_EVENTS: EventWire = {
  // A client waits this long before it connects again.
  opening: "retry: 2000\n\n",
  around: (name, id) => [`event: ${name}\ndata: `, `\n${id === undefined ? "" : `id: ${id}\n`}\n`],
  beat: (id) => (id === undefined ? ":\n\n" : `: at version ${id.split("-", 1)[0]}\nid: ${id}\n\n`),
};

/** A line of JSON for each event. */
const LINES: EventWire = {
  opening: "",
  around: (name, id) => [`{"event":"${name}",${id === undefined ? "" : `"id":"${id}",`}"data":`, "}\n"],
  beat: (id) => `{"event":"heartbeat"${id === undefined ? "" : `,"id":"${id}"`}}\n`,
};

export function wireOf(form: Form): EventWire {
  return form === "ndjson" ? LINES : SENT_EVENTS;
}

/** A whole event. */
export function eventText(wire: EventWire, name: string, id: string | undefined, data: object): string {
  const [before, behind] = wire.around(name, id);
  return before + JSON.stringify(data) + behind;
}

/** The form of a stream of events. */
export function eventForm<E extends WatchEvent>(
  name: string,
  schema: JsonSchema,
  toData: (event: E) => object,
): AnswerForm<E> {
  return {
    schema: { type: "string", "x-event-data": { [name]: schema, gap: GAP_SCHEMA } },
    description: `Server-sent events. An event \`${name}\` gives the current state, then each change, with the trust level that it has when it is sent; its \`id\` names its version and the history up to it. A node with a least trust level (\`--min-trust\`) sends an event once it has that level. An event \`gap\` says that changes after \`Last-Event-ID\` have been pruned, or that the ledger does not have that history; the current state follows it. A comment is a heartbeat; its \`id\` says how far the stream is. \`x-event-data\` names the schema of the JSON in \`data\`, by event. Generated clients have types for it but read the response as one text, which never ends: read it line by line.`,
    encode: (event) => {
      const data = { ...toData(event), trust: formatTrust(event.trust) };
      return eventText(SENT_EVENTS, name, event.id, data);
    },
  };
}

/** Where a stream begins: with the state now, or behind the point that the client names. */
export async function beginEvents<E extends WatchEvent>(
  watched: Watched<E>,
  { view, streamHead, lastEventId, form }: Context<"required">,
  parameter: bigint | undefined,
  least?: TrustLevel,
): Promise<EventAnswer<E>> {
  const { oldestVersion, trust } = view.position;
  const head = streamHead(view.position, least);
  const after =
    lastEventId ?? (parameter === undefined ? undefined : { version: parameter, mark: undefined });
  let opening = "";
  if (after !== undefined) {
    // The rest of a version is told by the version before.
    const known =
      watched.tellsChanges === true && after.index !== undefined ? after.version - 1n : after.version;
    const isPruned = oldestVersion > 0n && known < oldestVersion;
    const reason = isPruned
      ? `changes after version ${known} are pruned; the oldest version kept is ${oldestVersion}`
      : await otherHistory(view, head, after);
    if (reason === undefined) {
      return {
        watched,
        opening,
        state: undefined,
        after: await resumingAt(view, after),
        trust: trustAt(trust, head),
        least,
        version: undefined,
      };
    }
    const gap = {
      message: isPruned ? reason : `${reason}; changes may be missing`,
      last_event_id: `${after.version}`,
      oldest_version: `${oldestVersion}`,
    };
    opening = eventText(wireOf(form), "gap", undefined, gap);
  }
  const state = await watched.current(view, head);
  const point = await pointAt(view, head);
  return { watched, opening, state, after: point, trust: state.trust, least, version: head };
}
