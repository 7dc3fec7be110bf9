// The one question that the official TypeScript SDK asks an indexer after it funded an account: how far the processor of
// balances is. This node serves balances itself, so the answer is its own position. There is no indexer behind this.
import { errorText } from "../../base/errors.ts";
import { USEC_PER_MS } from "../../base/numbers.ts";
import {
  listenSmall,
  type SideServer,
  type SmallRequest,
  type SmallResponse,
  type SmallServerOptions,
} from "./side-server.ts";

/** A position of the ledger. */
export interface StatusPosition {
  readonly version: bigint;
  readonly timestampUsec: bigint;
}

export interface ProcessorStatusOptions extends Pick<SmallServerOptions, "host" | "port" | "logger"> {
  /** The node's latest position; undefined while it has no ledger. */
  readonly position: () => Promise<StatusPosition | undefined>;
}

/** What this node stands for: it has the balances of every version up to its own. */
const PROCESSOR = "fungible_asset_processor";
const HERE = `here is only POST /v1/graphql with the query processor_status { processor last_success_version last_updated }, for ${PROCESSOR}: this is a local chain without an indexer. Ask the node itself for balances, resources and transactions`;
/** Longer queries are not this one. */
const MAX_QUERY_CHARACTERS = 4096;
/**
 * One root field, with or without arguments and variables, and plain names in it. The pattern is for a text whose white
 * space is single blanks: with runs of it, adjacent repetitions would take time by the cube of their length.
 */
const QUERY =
  /^ ?(?:query\b ?\w{0,100} ?(?:\([^(){}]{0,500}\) ?)?)?\{ ?processor_status ?(?:\(([^()]{0,500})\) ?)?\{([ \w,]{0,500})\} ?\} ?$/;
/** The conditions that clients write: a variable for all of it (TypeScript), or for the name (Go), or the name itself. */
const WHOLE_CONDITION = /^ ?where ?: ?\$(\w{1,100}) ?$/;
const LITERAL_CONDITION = /^ ?where ?: ?\{ ?processor ?: ?\{ ?_eq ?: ?"([\w-]{0,100})" ?\} ?\} ?$/;
const NAME_CONDITION = /^ ?where ?: ?\{ ?processor ?: ?\{ ?_eq ?: ?\$(\w{1,100}) ?\} ?\} ?$/;

const MAX_DATE_USEC = 8_640_000_000_000_000_000n;

/** The column of a Postgres timestamp without a zone. */
function timeText(timestampUsec: bigint): string | null {
  // A test may set the chain's clock, and Date ends before it.
  if (timestampUsec > MAX_DATE_USEC) return null;
  return new Date(Number(timestampUsec / USEC_PER_MS)).toISOString().slice(0, -1);
}

const COLUMNS: Readonly<Record<string, (position: StatusPosition) => unknown>> = {
  processor: () => PROCESSOR,
  // A bigint of GraphQL is a JSON number. A local chain does not reach 2^53.
  last_success_version: ({ version }) => Number(version),
  last_updated: ({ timestampUsec }) => timeText(timestampUsec),
  last_transaction_timestamp: ({ timestampUsec }) => timeText(timestampUsec),
};

function failure(message: string): SmallResponse {
  return { status: 200, body: { errors: [{ message, extensions: { code: "not-supported", path: "$" } }] } };
}

/** The processor that the arguments ask for; undefined for all. Throws Error for other conditions. */
function wantedProcessor(args: string | undefined, variables: unknown): string | undefined {
  if (args === undefined) return undefined;
  const variable = (name: string | undefined): unknown =>
    name === undefined ? undefined : (variables as Record<string, unknown> | null | undefined)?.[name];
  const literal = LITERAL_CONDITION.exec(args)?.[1];
  if (literal !== undefined) return literal;
  const byName = NAME_CONDITION.exec(args)?.[1];
  const whole = WHOLE_CONDITION.exec(args)?.[1];
  if (byName === undefined && whole === undefined) throw new Error(HERE);
  const condition = byName === undefined ? variable(whole) : { processor: { _eq: variable(byName) } };
  if (condition === undefined || condition === null || JSON.stringify(condition) === "{}") return undefined;
  const wanted = (condition as { processor?: { _eq?: unknown } }).processor?._eq;
  const isPlain = JSON.stringify(condition) === JSON.stringify({ processor: { _eq: wanted } });
  if (typeof wanted === "string" && isPlain) return wanted;
  throw new Error(`the only condition here is { processor: { _eq: "${PROCESSOR}" } }`);
}

/** Starts the server of that question. */
export function listenForStatus(options: ProcessorStatusOptions): Promise<SideServer> {
  const answer = async ({ method, path, body }: SmallRequest): Promise<SmallResponse> => {
    if (method !== "POST" || path !== "/v1/graphql") return { status: 404, body: { message: HERE } };
    let asked: { readonly query?: unknown; readonly variables?: unknown };
    try {
      asked = JSON.parse(body.toString("utf8")) ?? {};
    } catch (error) {
      return failure(`the body is not JSON: ${errorText(error)}`);
    }
    const query = typeof asked.query === "string" ? asked.query : "";
    const plain = query.length > MAX_QUERY_CHARACTERS ? "" : query.replace(/\s+/g, " ");
    const [, args, fields] = QUERY.exec(plain) ?? [];
    const columns = fields?.split(/[\s,]+/).filter((name) => name !== "");
    if (columns === undefined) return failure(HERE);
    const unknown = columns.find((name) => !Object.hasOwn(COLUMNS, name));
    if (unknown !== undefined) return failure(`processor_status has no field ${unknown}; ${HERE}`);
    let wanted: string | undefined;
    try {
      wanted = wantedProcessor(args, asked.variables);
    } catch (error) {
      return failure(errorText(error));
    }
    const position = await options.position();
    const isKnown = position !== undefined && (wanted === undefined || wanted === PROCESSOR);
    const rows = isKnown
      ? [Object.fromEntries(columns.map((name) => [name, COLUMNS[name]?.(position)]))]
      : [];
    return { status: 200, body: { data: { processor_status: rows } } };
  };
  return listenSmall({
    ...options,
    refuse: (status, message) => ({ status, body: { errors: [{ message }] } }),
    respond: answer,
  });
}
