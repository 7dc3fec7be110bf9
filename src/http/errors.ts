// The error of the http room: a condition of the catalogue with its message.
import { CodedError } from "../base/errors.ts";
import type { Condition } from "./error-catalogue.ts";

/** Becomes an error response. The message goes to the client. */
export class HttpError extends CodedError<Condition> {
  /** Extra response headers, name and value in turn. */
  readonly headers: readonly string[];
  /** Further keys of the body. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;

  constructor(
    condition: Condition,
    message: string,
    options: {
      headers?: readonly string[];
      extra?: Readonly<Record<string, unknown>>;
      cause?: unknown;
    } = {},
  ) {
    super(condition, message, { cause: options.cause });
    this.headers = options.headers ?? [];
    this.extra = options.extra;
  }
}

/** Said where a ledger is needed and none is there. */
export const NO_LEDGER = "there is no ledger yet";

const SHOWN_LENGTH = 120;

/** Quotes input, shortened for a message. */
export function quoteInput(text: string): string {
  return JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);
}

/** Refuses a body above the limit of its operation. */
export function assertBodySize(bytes: Uint8Array, maxBytes: number): void {
  if (bytes.length <= maxBytes) return;
  throw new HttpError("body_too_large", `body: expected at most ${maxBytes} bytes, got ${bytes.length}`);
}
