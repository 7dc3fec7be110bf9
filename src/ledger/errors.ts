// Errors of the ledger room: what a read or a check can find.
import { CodedError } from "../base/errors.ts";

/**
 * `version_not_found`: above the latest; `version_pruned`: below the oldest kept; `no_ledger`: nothing is
 * committed yet; `corrupt`: stored or received bytes are not what the format allows; `mismatch`: a hash or
 * root differs from the one claimed; `unavailable`: it must be asked elsewhere, and that failed.
 */
export type LedgerErrorCode =
  | "version_not_found"
  | "version_pruned"
  | "no_ledger"
  | "corrupt"
  | "mismatch"
  | "unavailable";

export class LedgerError extends CodedError<LedgerErrorCode> {}
