// Parameters of operations: how the text of one is parsed, and how it is documented.
import { CodedError } from "../base/errors.ts";
import { HttpError, quoteInput } from "./errors.ts";

/** A JSON Schema object, as OpenAPI takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One path or query parameter: how its text is parsed, and how it is documented. */
export interface Field<T> {
  readonly schema: JsonSchema;
  readonly description: string;
  readonly example: string;
  /** Leaves the example out of the document: it does not work on every ledger, or not together with the others. */
  readonly omitExample?: true;
  /** Leaves the parameter out of the document, which cannot say that it changes the type of the answer. */
  readonly isUndocumented?: true;
  /** May be given this many times; the value is a list, and each text adds to it. */
  readonly maxTimes?: number;
  /** Completes "expected …" in error messages. */
  readonly expected: string;
  /** Throws CodedError with the reason. */
  parse(text: string): T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** A parameter that may be given several times. */
export function repeatable<T>(field: Field<T>, maxTimes: number, description: string): Field<readonly T[]> {
  const { schema, parse } = field;
  return {
    ...field,
    schema: { type: "array", items: schema, maxItems: maxTimes },
    description,
    omitExample: true,
    maxTimes,
    parse: (text) => [parse(text)],
  };
}

/** Arguments during parsing. */
export type ParsedArgs = Record<string, unknown>;

function refuse(name: string, field: Field<unknown>, text: string, error: unknown): never {
  if (!(error instanceof CodedError)) throw error;
  throw new HttpError(
    "malformed_request",
    `${name}: expected ${field.expected}, got ${quoteInput(text)}: ${error.message}`,
    { cause: error },
  );
}

/** The value of a parameter's text; undefined stands for bytes that are no text. Throws HttpError. */
export function parseField<T>(name: string, field: Field<T>, text: string | undefined): T {
  if (text === undefined) {
    throw new HttpError(
      "malformed_request",
      `${name}: expected ${field.expected}, got bytes that are not UTF-8`,
    );
  }
  try {
    return field.parse(text);
  } catch (error) {
    return refuse(name, field, text, error);
  }
}
