// What the operations that stream events share: where a stream begins, and how an event is written.
import type { WatchEvent, Watched } from "../../ledger/watch/watched.ts";
import type { AnswerForm, Context, EventAnswer, Field, JsonSchema } from "../operation.ts";
import { ledgerVersionField, U64_SCHEMA } from "./integer.ts";
import { named } from "./named.ts";

/** Where to resume. */
export const afterField: Field<bigint> = {
  ...ledgerVersionField,
  description:
    "Sends the changes after this version instead of the state now: for clients that cannot send `Last-Event-ID`, which overrides it.",
  omitExample: true,
};

/** Parameters of reads, which a stream would otherwise ignore. */
export const streamRefusedQuery: Readonly<Record<string, string>> = {
  ledger_version: "name the version to resume behind by `after`",
  at: "name the version to resume behind by `after`",
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
    description: `Server-sent events. An event \`${name}\` gives the current state, then each change; its \`id\` is the version. An event \`gap\` says that changes after \`Last-Event-ID\` have been pruned, or that the local chain went back below it; the current state follows it. A comment is a heartbeat; its \`id\` is the version that the stream has reached. \`x-event-data\` names the schema of the JSON in \`data\`, by event. Generated clients have types for it but read the response as one text, which never ends: read it line by line.`,
    encode: (event) => eventText(name, event.version, toData(event)),
  };
}

/** Where a stream begins: with the state now, or behind the version that the client names. */
export async function beginEvents<E extends WatchEvent>(
  watched: Watched<E>,
  { view, mayBeUndone }: Pick<Context<"required">, "view" | "mayBeUndone">,
  after: bigint | undefined,
): Promise<EventAnswer<E>> {
  const { version, oldestVersion } = view.position;
  const isUndone = after !== undefined && mayBeUndone(after);
  if (after !== undefined && !isUndone && (oldestVersion === 0n || after >= oldestVersion)) {
    return { watched, opening: "", state: undefined, after, version: undefined };
  }
  const opening =
    after === undefined
      ? ""
      : eventText("gap", undefined, {
          message: isUndone
            ? `the ledger went back and version ${after} may be another one now; changes may be missing`
            : `changes after version ${after} are pruned; the oldest version kept is ${oldestVersion}`,
          last_event_id: `${after}`,
          oldest_version: `${oldestVersion}`,
        });
  return { watched, opening, state: await watched.current(view), after: version, version };
}
