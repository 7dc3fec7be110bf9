// Errors of the ledger room, thrown by reads and checks.
import { CodedError } from "../base/errors.ts";

/**
 * - `version_not_found`: above the latest
 * - `version_pruned`: below the oldest kept
 * - `reversed_range`: a range ends before it begins
 * - `no_ledger`: nothing is committed yet
 * - `corrupt`: stored or received bytes break the format
 * - `mismatch`: a hash or root differs from the claimed one
 * - `damaged`: stored bytes fail their checksum
 * - `unavailable`: cannot be answered now; a later try may work
 * - `refuted`: a stronger statement refuted the version
 * - `replaced`: the store holds another ledger than the one that this process opened
 * - `not_indexed`: the ledger is not indexed and cannot be
 * - `behind`: the ledger did not reach the version that a read asked to wait for
 * - `no_signatures`: the ledger has none that a proof could rest on
 * - `unprovable`: no proof can be made of that version, or from that waypoint
 */
export type LedgerErrorCode =
  | "version_not_found"
  | "version_pruned"
  | "reversed_range"
  | "no_ledger"
  | "corrupt"
  | "mismatch"
  | "damaged"
  | "unavailable"
  | "refuted"
  | "replaced"
  | "not_indexed"
  | "behind"
  | "no_signatures"
  | "unprovable";

export class LedgerError extends CodedError<LedgerErrorCode> {}
