// Errors of the store room.
import { CodedError } from "../base/errors.ts";
import { LedgerError } from "../ledger/errors.ts";

/**
 * `locked`: another process is the writer; `absent`: no store yet; `format`: a newer or unknown format; `identity`:
 * another chain's data; `unwritable`: the directory is not writable; `full`: out of disk or map space; `unreachable`:
 * too few replicas respond in time; `order`: a commit does not follow the head; `corrupt`: damaged bytes; `given_up`:
 * the engine gave up a write for a reason of its own, and only a new process may write again.
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
  | "corrupt"
  | "given_up";

export class StoreError extends CodedError<StoreErrorCode> {}

const TRANSIENT: readonly StoreErrorCode[] = ["full", "unwritable", "unreachable"];

/**
 * True for a transient fault: the write may succeed once there is space again, or the store is reachable and writable.
 * Covers failed reads (LedgerError `unavailable`, `refuted`), because a write may read first.
 */
export function isPassingFault(error: unknown): error is StoreError | LedgerError {
  if (error instanceof LedgerError) return error.code === "unavailable" || error.code === "refuted";
  return error instanceof StoreError && TRANSIENT.includes(error.code);
}

/** True for a write that the engine gave up for a reason of its own: nothing of it was kept, and this process must not write again. */
export function isGivenUp(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === "given_up";
}

/** True while too few nodes of a cluster respond. */
export function isOutOfReach(error: unknown): error is StoreError | LedgerError {
  if (error instanceof LedgerError) return error.code === "unavailable";
  return error instanceof StoreError && error.code === "unreachable";
}
