// What the operations that stream events share: where a stream begins, and how an event is written.
import type { LedgerView } from "../../ledger/view.ts";
import type { WatchEvent, Watched } from "../../ledger/watch/watched.ts";
import type { AnswerForm, EventAnswer, Field, JsonSchema } from "../operation.ts";
import { ledgerVersionField, U64_SCHEMA } from "./integer.ts";
import { named } from "./named.ts";

/** Where to resume. */
export const afterField: Field<bigint> = {
  ...ledgerVersionField,
  description:
    "Sends the changes after this version instead of the state now: for clients that cannot send `Last-Event-ID`, which overrides it.",
  omitExample: true,
};

/** The header that clients send when they connect again. */
export const lastEventIdField: Field<bigint> = {
  ...ledgerVersionField,
  description:
    "The id of the last event that the client got, which is a version: resumes behind it. Changes since are sent from the history.",
  omitExample: true,
};

const GAP_SCHEMA = named("GapEvent", {
  type: "object",
  required: ["message", "last_event_id", "oldest_version"],
  properties: {
    message: { type: "string" },
    last_event_id: { ...U64_SCHEMA, description: "Where the client wanted to resume." },
    oldest_version: { ...U64_SCHEMA, description: "The oldest version that is kept." },
  },
});

/** The text of an event. */
function eventText(name: string, id: bigint | undefined, data: object): string {
  const head = id === undefined ? "" : `id: ${id}\n`;
  return `${head}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The form of a stream of events. */
export function eventForm<E extends WatchEvent>(
  name: string,
  schema: JsonSchema,
  toData: (event: E) => object,
): AnswerForm<E> {
  return {
    schema: { type: "string", "x-event-data": { [name]: schema, gap: GAP_SCHEMA } },
    description: `Server-sent events. \`${name}\`: the state at once, then each change; \`id\` is its version. \`gap\`: changes behind \`Last-Event-ID\` are pruned; the state now follows. Comments are heartbeats, whose \`id\` tells how far the stream is.`,
    encode: (event) => eventText(name, event.version, toData(event)),
  };
}

/** Where a stream begins: with the state now, or behind the version that the client names. */
export async function beginEvents<E extends WatchEvent>(
  watched: Watched<E>,
  view: LedgerView,
  after: bigint | undefined,
): Promise<EventAnswer<E>> {
  const { version, oldestVersion } = view.position;
  if (after !== undefined && (oldestVersion === 0n || after >= oldestVersion)) {
    return { watched, opening: "", state: undefined, after, version: undefined };
  }
  const opening =
    after === undefined
      ? ""
      : eventText("gap", undefined, {
          message: `changes after version ${after} are pruned; the oldest version kept is ${oldestVersion}`,
          last_event_id: `${after}`,
          oldest_version: `${oldestVersion}`,
        });
  return { watched, opening, state: await watched.current(view), after: version, version };
}
