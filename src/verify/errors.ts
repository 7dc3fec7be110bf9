// Why a verifying client gives no answer.
import { CodedError } from "../base/errors.ts";

/**
 * `options`: `verifiedFetch` was not called as it expects. `unsupported`: no proof could cover the answer, or the request is not well formed. `unproven`: the node sent
 * something else than a proof of what was asked. `stale`: proven, but older than what was seen, asked or allowed. `node`: the
 * node was not reached, or refused.
 */
export type VerifiedFetchErrorCode = "options" | "unsupported" | "unproven" | "stale" | "node";

/** No answer: the message names the request and the reason. */
export class VerifiedFetchError extends CodedError<VerifiedFetchErrorCode> {}
