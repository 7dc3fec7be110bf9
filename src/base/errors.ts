// The one error base. Every error a room throws on purpose carries a code from that room's literal union,
// typed details, and its cause; a bare Error means "cannot happen".

/** An error with a stable code and machine-readable details. */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: Code,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Marks a branch that the type checker proves unreachable. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`);
}

/** Message of any thrown value, for error messages and logs. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Something that this process needs, such as a port or a host, is not there now. Trying again may help. */
export class TryAgainError extends CodedError<"try_again"> {
  constructor(message: string, cause?: unknown) {
    super("try_again", message, { cause });
  }
}

/** An unusable option, configuration key or environment variable; the message names it. */
export class ConfigError extends CodedError<"config"> {
  constructor(message: string, cause?: unknown) {
    super("config", message, { cause });
  }
}
