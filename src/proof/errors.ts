// Errors of the proof room: why a proof or a signature does not hold.
import { CodedError } from "../base/errors.ts";

/**
 * `malformed`: the bytes are no proof of this kind; `wrong_epoch`: a ledger info of another epoch than the one whose
 * validators are known; `quorum`: signed by too little stake, or by validators that do not exist; `signature`: the
 * signature is not theirs; `waypoint`: the epoch chain does not begin at the waypoint; `mismatch`: hashes do not lead to
 * the signed root; `incomplete`: an item that the claim needs is not in the bundle; `claim`: the items are proven, but
 * say something else.
 */
export type ProofErrorCode =
  | "malformed"
  | "wrong_epoch"
  | "quorum"
  | "signature"
  | "waypoint"
  | "mismatch"
  | "incomplete"
  | "claim";

export class ProofError extends CodedError<ProofErrorCode> {}
