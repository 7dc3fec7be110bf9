// Batches: many queries that are answered from one version. The body's form is checked as a whole; a query whose texts are
// not what they should be gets its error in its place, and the others their answers.
import { Slices } from "../../base/wait.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJsonInSlices } from "../../json/parse.ts";
import { HttpError } from "../errors.ts";
import { type JsonSchema, parseField } from "../field.ts";
import type { BodyField } from "../operation.ts";
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

/** A text for each name. */
type TextsOf<Names extends readonly string[]> = { readonly [Place in keyof Names]: string };

/** What makes the body of one batch differ from that of another. */
export interface BatchBodyKind<Q, Names extends readonly string[]> {
  /** Name of the request's schema. */
  readonly name: string;
  readonly description: string;
  readonly query: JsonSchema;
  /** Members of a query; all of them are texts. */
  readonly members: Names;
  readonly hasTotals: boolean;
  readonly example: unknown;
  /** Gets the texts of the members, in their order. Throws an HttpError that says what is wrong with them. */
  parse(...texts: TextsOf<Names>): Q;
}

const TOTALS_SCHEMA: JsonSchema = {
  type: "boolean",
  default: false,
  description: "`true` adds up the balances of each asset.",
};

/** Schema of the sums in a response. */
export const TOTALS_ANSWER_SCHEMA: JsonSchema = {
  type: "object",
  additionalProperties: { type: "string", pattern: "^[0-9]+$", maxLength: 39 },
  description:
    "With `totals`: the sum of the balances above by asset type, as its first query writes it; a u128. Queries with an error count 0, and a pair that is asked for twice counts twice.",
};

export function refuse(path: string, expected: string, document: JsonDocument, value: number): never {
  const got = value === ABSENT ? "nothing" : document.excerpt(value);
  throw new HttpError("malformed_request", `${path}: expected ${expected}, got ${got}`);
}

/**
 * Tape indices of an object's values, in the order of the names. A name that is not known is refused: it may be a known one
 * that is misspelt.
 */
export function membersOf(
  document: JsonDocument,
  object: number,
  names: readonly string[],
  path: () => string,
): readonly number[] {
  const refuseMembers = (at: number): never =>
    refuse(path(), `an object with ${names.join(", ")}`, document, at);
  if (document.kind(object) !== "object") refuseMembers(object);
  const found = names.map(() => ABSENT);
  const end = document.end(object);
  for (let at = document.first(object); at < end; at = document.next(at + 1)) {
    let place = 0;
    while (place < names.length && !document.isString(at, names[place] ?? "")) place++;
    if (place === names.length) refuseMembers(at);
    found[place] = at + 1;
  }
  return found;
}

export function isText(document: JsonDocument, value: number): boolean {
  return value !== ABSENT && document.kind(value) === "string";
}

function parseReadAt(document: JsonDocument, ledgerVersion: number, at: number): ReadAtArgs {
  const parse = (name: keyof ReadAtArgs, value: number): bigint | undefined => {
    if (value === ABSENT) return undefined;
    if (!isText(document, value)) refuse(name, "a string", document, value);
    return parseField(name, readAtFields[name], document.string(value));
  };
  return { ledger_version: parse("ledger_version", ledgerVersion), at: parse("at", at) };
}

async function parseQueries<Q, Names extends readonly string[]>(
  document: JsonDocument,
  list: number,
  { members, parse }: BatchBodyKind<Q, Names>,
): Promise<(Q | HttpError)[]> {
  const slices = new Slices();
  const expected = `an array of 1 to ${MAX_QUERIES} queries`;
  if (list === ABSENT || document.kind(list) !== "array") refuse("queries", expected, document, list);
  const queries: (Q | HttpError)[] = [];
  const path = (): string => `queries[${queries.length}]`;
  let before: readonly string[] = [];
  const end = document.end(list);
  for (let item = document.first(list); item < end; item = document.next(item)) {
    if (queries.length === MAX_QUERIES)
      throw new HttpError("malformed_request", `queries: expected ${expected}, got more`);
    const texts = membersOf(document, item, members, path).map((value, place) => {
      if (!isText(document, value)) refuse(`${path()}.${members[place]}`, "a string", document, value);
      // Most queries have the asset or the table of the one before: comparing costs less than another text.
      const same = before[place];
      return same !== undefined && document.isString(value, same) ? same : document.string(value);
    });
    before = texts;
    queries.push(valueOrError(() => parse(...(texts as unknown as TextsOf<Names>))));
    const pause = slices.pause();
    if (pause !== undefined) await pause;
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
export function batchBody<Q, const Names extends readonly string[]>(
  kind: BatchBodyKind<Q, Names>,
): BodyField<Batch<Q>> {
  const names = ["queries", "ledger_version", "at", ...(kind.hasTotals ? ["totals"] : [])];
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
      const [queries = ABSENT, ledgerVersion = ABSENT, at = ABSENT, totals = ABSENT] = membersOf(
        document,
        document.root,
        names,
        () => "body",
      );
      if (totals !== ABSENT && document.kind(totals) !== "boolean") {
        refuse("totals", "true or false", document, totals);
      }
      return {
        ...parseReadAt(document, ledgerVersion, at),
        queries: await parseQueries(document, queries, kind),
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
