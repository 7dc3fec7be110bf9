// Errors of the move room.
import { CodedError } from "../base/errors.ts";

/** What was wrong: text that does not parse, or bytecode that the format rejects. */
export type MoveErrorCode = "address" | "identifier" | "type" | "bytecode" | "layout" | "value";

/** Text, bytecode or a value that is not what Move allows. */
export class MoveError extends CodedError<MoveErrorCode> {}
