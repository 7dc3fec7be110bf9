// Errors of the move room.
import { CodedError } from "../base/errors.ts";

/** The kind of input that was wrong. */
export type MoveErrorCode = "address" | "identifier" | "type" | "bytecode" | "layout" | "value";

/** Text, bytecode or a value that Move does not allow. */
export class MoveError extends CodedError<MoveErrorCode> {}

/** A module of the ledger whose bytes are no module. No MoveError: what a caller gave is not to blame for it. */
export class ModuleError extends CodedError<"module"> {
  constructor(
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super("module", message, options);
  }
}
