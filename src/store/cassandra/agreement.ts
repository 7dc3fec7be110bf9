// Whether the nodes of a cluster agree on their members and on the schema. A node that has just come up may know only
// some of the others, and tables that were created a moment ago.
import { StoreError } from "../errors.ts";

/** How one node sees the cluster. */
export interface NodeView {
  /** Ids of all nodes that it knows, itself included, up or down, of any data centre. */
  readonly members: readonly string[];
  /** Those of the local data centre. */
  readonly local: readonly string[];
  readonly schema: string;
}

/** What all nodes that are up agree on. */
export interface Agreement {
  /** Number of nodes that the cluster knows. */
  readonly members: number;
  /** Those of the local data centre. */
  readonly local: number;
}

/** Ways to look at a cluster and to wait. */
export interface Observer {
  /** For messages. */
  readonly where: string;
  /** The views of the nodes that are up; undefined while one of them does not respond. */
  look(): Promise<readonly NodeView[] | undefined>;
  /** Milliseconds. */
  now(): number;
  pause(ms: number): Promise<void>;
  isClosed(): boolean;
}

/** Gossip brings news of a node within some rounds of one second each. */
const DEADLINE_MS = 30_000;
const LOOK_EVERY_MS = 250;

/** What the nodes must agree on. A node that was removed may stay in another one's list of members. */
export type AgreedOn = "members and schema" | "schema";

/**
 * Waits until the nodes agree, and until nothing has changed for `steadyMs`. Throws StoreError `unreachable` if they do
 * not in time.
 */
export async function awaitAgreement(
  observer: Observer,
  steadyMs: number,
  on: AgreedOn = "members and schema",
): Promise<Agreement> {
  const textOf = ({ members, local, schema }: NodeView): string =>
    on === "schema" ? schema : JSON.stringify([members.toSorted(), local.toSorted(), schema]);
  const deadline = observer.now() + DEADLINE_MS;
  let steady: { readonly view: string; readonly since: number } | undefined;
  for (;;) {
    const looked = observer.now();
    const views = (await observer.look()) ?? [];
    const [first] = views;
    const view = first === undefined ? undefined : textOf(first);
    const isCommon = first !== undefined && views.every((other) => textOf(other) === view);
    if (!isCommon || view === undefined) steady = undefined;
    else if (steady?.view !== view) steady = { view, since: looked };
    if (isCommon && steady !== undefined && looked - steady.since >= steadyMs)
      return { members: first.members.length, local: first.local.length };
    if (observer.isClosed()) {
      throw new StoreError("unreachable", `the session with ${observer.where} was closed`);
    }
    if (observer.now() > deadline) throw disagreement(observer.where, on, views);
    await observer.pause(LOOK_EVERY_MS);
  }
}

function disagreement(where: string, on: AgreedOn, views: readonly NodeView[]): StoreError {
  const schemas = new Set(views.map(({ schema }) => schema)).size;
  const members = views.map(({ members }) => members.length).join(", ");
  const seen =
    views.length === 0
      ? "not all of them respond"
      : `they have ${schemas} version(s) of the schema, and know ${members} node(s)`;
  return new StoreError(
    "unreachable",
    `the nodes of ${where} do not agree on ${on} after ${DEADLINE_MS / 1000} s: ${seen}`,
    { details: { where } },
  );
}
