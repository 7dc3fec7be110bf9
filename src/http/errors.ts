// The error of the http room: a condition of the catalogue with what is to be said about it.
import { CodedError } from "../base/errors.ts";
import type { Condition } from "./error-catalogue.ts";

/** Thrown to answer with a condition of the catalogue. The message goes to the client. */
export class HttpError extends CodedError<Condition> {
  /** Extra response headers, name and value in turn. */
  readonly headers: readonly string[];
  /** True when another node may serve what is not served here. */
  readonly isElsewhere: boolean;

  constructor(
    condition: Condition,
    message: string,
    options: { headers?: readonly string[]; cause?: unknown; isElsewhere?: boolean } = {},
  ) {
    super(condition, message, { cause: options.cause });
    this.headers = options.headers ?? [];
    this.isElsewhere = options.isElsewhere ?? false;
  }
}

const SHOWN_LENGTH = 120;

/** Quotes what came, cut to a length that is fit for a message. */
export function quoteInput(text: string): string {
  return JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);
}
