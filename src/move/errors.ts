// Errors of the move room.
import { CodedError } from "../base/errors.ts";

/** The kind of input that was wrong. */
export type MoveErrorCode = "address" | "identifier" | "type" | "bytecode" | "layout" | "value";

/** Text, bytecode or a value that Move does not allow. */
export class MoveError extends CodedError<MoveErrorCode> {}
