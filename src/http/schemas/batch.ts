// Batches: many queries that are answered from one version. The body's form is checked as a whole; a query whose texts are
// not what they should be gets its error in its place, and the others their answers.
import { Slices } from "../../base/slices.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJsonInSlices } from "../../json/parse.ts";
import { HttpError } from "../errors.ts";
import { type BodyField, type JsonSchema, parseField } from "../operation.ts";
import { ERROR_SCHEMA } from "./error.ts";
import { U64_REQUEST_SCHEMA, U64_SCHEMA } from "./integer.ts";
import { described, named } from "./named.ts";
import { type ReadAtArgs, readAtFields, TIME_SCHEMA } from "./read-at.ts";

/** Queries of one batch. */
const MAX_QUERIES = 1000;
/** Bytes of one batch, five times what a thousand usual queries take. */
const MAX_BODY_BYTES = 1024 * 1024;

/** A batch as it was sent. */
export interface Batch<Q> extends ReadAtArgs {
  /** In order; an error for a query that cannot be asked. */
  readonly queries: readonly (Q | HttpError)[];
  readonly totals: boolean;
}

/** What makes the body of one batch differ from that of another. */
export interface BatchBodyKind<Q, Names extends string> {
  /** Name of the request's schema. */
  readonly name: string;
  readonly description: string;
  readonly query: JsonSchema;
  /** Members of a query; all of them are texts. */
  readonly members: readonly Names[];
  readonly hasTotals: boolean;
  readonly example: unknown;
  /** Throws an HttpError that says what is wrong with the texts. */
  parse(texts: Readonly<Record<Names, string>>): Q;
}

const TOTALS_SCHEMA: JsonSchema = {
  type: "boolean",
  default: false,
  description: "`true` adds up the balances of each asset.",
};

/** Schema of the sums in a response. */
export const TOTALS_ANSWER_SCHEMA: JsonSchema = {
  type: "object",
  additionalProperties: { type: "string", pattern: "^[0-9]{1,39}$" },
  description:
    "With `totals`: the sum of the balances above by asset type, as its first query writes it; a u128. Queries with an error count 0, and a pair that is asked for twice counts twice.",
};

function refuse(path: string, expected: string, document: JsonDocument, value: number): never {
  const got = value === ABSENT ? "nothing" : document.excerpt(value);
  throw new HttpError("malformed_request", `${path}: expected ${expected}, got ${got}`);
}

/** Values of an object's members by name. A name that is not known is refused: it may be a known one that is misspelt. */
function membersOf<Names extends string>(
  document: JsonDocument,
  object: number,
  names: readonly Names[],
  path: string,
): Readonly<Record<Names, number>> {
  const expected = `an object with ${names.join(", ")}`;
  if (document.kind(object) !== "object") refuse(path, expected, document, object);
  const found = Object.fromEntries(names.map((name) => [name, ABSENT])) as Record<Names, number>;
  for (let at = document.first(object); at < document.end(object); at = document.next(at + 1)) {
    const name = names.find((one) => document.isString(at, one));
    if (name === undefined) refuse(path, expected, document, at);
    found[name] = at + 1;
  }
  return found;
}

function textOf(document: JsonDocument, value: number, path: string): string {
  if (value !== ABSENT && document.kind(value) === "string") return document.string(value);
  return refuse(path, "a string", document, value);
}

function parseReadAt(document: JsonDocument, values: Readonly<Record<keyof ReadAtArgs, number>>): ReadAtArgs {
  const parse = (name: keyof ReadAtArgs): bigint | undefined => {
    if (values[name] === ABSENT) return undefined;
    return parseField(name, readAtFields[name], textOf(document, values[name], name));
  };
  return { ledger_version: parse("ledger_version"), at: parse("at") };
}

async function parseQueries<Q, Names extends string>(
  document: JsonDocument,
  list: number,
  { members, parse }: BatchBodyKind<Q, Names>,
): Promise<(Q | HttpError)[]> {
  const slices = new Slices();
  const expected = `an array of 1 to ${MAX_QUERIES} queries`;
  if (list === ABSENT || document.kind(list) !== "array") refuse("queries", expected, document, list);
  const queries: (Q | HttpError)[] = [];
  for (let item = document.first(list); item < document.end(list); item = document.next(item)) {
    const path = `queries[${queries.length}]`;
    if (queries.length === MAX_QUERIES)
      throw new HttpError("malformed_request", `queries: expected ${expected}, got more`);
    const values = membersOf(document, item, members, path);
    const texts = {} as Record<Names, string>;
    for (const name of members) texts[name] = textOf(document, values[name], `${path}.${name}`);
    queries.push(valueOrError(() => parse(texts)));
    await slices.pause();
  }
  if (queries.length === 0)
    throw new HttpError("malformed_request", `queries: expected ${expected}, got none`);
  return queries;
}

/** What it gives, or the HttpError that it throws. */
function valueOrError<T>(make: () => T): T | HttpError {
  try {
    return make();
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

/** The body of a batch. */
export function batchBody<Q, Names extends string>(kind: BatchBodyKind<Q, Names>): BodyField<Batch<Q>> {
  const names = [
    "queries",
    "ledger_version",
    "at",
    ...(kind.hasTotals ? (["totals"] as const) : []),
  ] as const;
  return {
    schema: named(kind.name, {
      type: "object",
      required: ["queries"],
      additionalProperties: false,
      properties: {
        queries: { type: "array", minItems: 1, maxItems: MAX_QUERIES, items: kind.query },
        ledger_version: described(U64_REQUEST_SCHEMA, readAtFields.ledger_version.description),
        at: described(TIME_SCHEMA, readAtFields.at.description),
        ...(kind.hasTotals ? { totals: TOTALS_SCHEMA } : {}),
      },
    }),
    description: kind.description,
    example: kind.example,
    async parse(bytes) {
      if (bytes.length > MAX_BODY_BYTES) {
        throw new HttpError(
          "body_too_large",
          `body: expected at most ${MAX_BODY_BYTES} bytes of queries, got ${bytes.length}`,
        );
      }
      const document = await parseJsonInSlices(bytes);
      const values = membersOf(document, document.root, names, "body");
      const totals = (values as Partial<typeof values>).totals ?? ABSENT;
      if (totals !== ABSENT && document.kind(totals) !== "boolean") {
        refuse("totals", "true or false", document, totals);
      }
      return {
        ...parseReadAt(document, values),
        queries: await parseQueries(document, values.queries, kind),
        totals: totals !== ABSENT && document.boolean(totals),
      };
    },
  };
}

/** Version and time may be named in the query, as of every read, or in the body; not in both. */
export function readAtOf(query: ReadAtArgs, body: ReadAtArgs): ReadAtArgs {
  for (const name of ["ledger_version", "at"] as const) {
    if (query[name] === undefined || body[name] === undefined) continue;
    throw new HttpError("malformed_request", `${name}: expected it in the query or in the body, got both`);
  }
  return { ledger_version: body.ledger_version ?? query.ledger_version, at: body.at ?? query.at };
}

/** Schema of a result: the value under its name, or an error. */
export function resultSchema(name: string, member: string, value: JsonSchema): JsonSchema {
  return named(name, {
    type: "object",
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
    properties: { [member]: value, error: ERROR_SCHEMA },
    description: `Either \`${member}\` or \`error\`.`,
  });
}

/** Schema of a batch's answer. */
export function batchAnswerSchema(
  name: string,
  member: string,
  result: JsonSchema,
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return named(name, {
    type: "object",
    required: ["ledger_version", "timestamp_usec", member],
    properties: {
      ledger_version: { ...U64_SCHEMA, description: "The version that all of it was read at." },
      timestamp_usec: { ...U64_SCHEMA, description: "Time of its block, in microseconds." },
      [member]: {
        type: "array",
        maxItems: MAX_QUERIES,
        items: result,
        description: "In the order of the queries.",
      },
      ...more,
    },
  });
}
