// Errors of the store room.
import { CodedError } from "../base/errors.ts";
import { LedgerError } from "../ledger/errors.ts";

/**
 * `locked`: another process writes here; `absent`: there is no store yet; `format`: made by a newer or unknown format; `identity`: another
 * chain's data; `unwritable`: the directory cannot be written; `full`: out of disk or map space;
 * `unreachable`: too few of the machines that keep it answer in time; `order`: a commit does not follow the head;
 * `corrupt`: stored bytes are not what was written.
 */
export type StoreErrorCode =
  | "locked"
  | "absent"
  | "format"
  | "identity"
  | "unwritable"
  | "full"
  | "unreachable"
  | "order"
  | "corrupt";

export class StoreError extends CodedError<StoreErrorCode> {}

const PASSING: readonly StoreErrorCode[] = ["full", "unwritable", "unreachable"];

/**
 * True for a failed write that may work later: when there is room again, or the store can be reached and written.
 * A read of what the write needs may be what failed.
 */
export function isPassingFault(error: unknown): error is StoreError | LedgerError {
  if (error instanceof LedgerError) return error.code === "unavailable";
  return error instanceof StoreError && PASSING.includes(error.code);
}
