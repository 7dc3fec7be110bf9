// What can go wrong with an upstream, told apart by what the follower does about it.
import { CodedError } from "../../base/errors.ts";
import type { UpstreamHead } from "./upstream.ts";

/**
 * `unreachable`: no connection, a cut or a timeout; `busy`: asked to come back later; `beyond_head`: the
 * version is not there yet; `pruned`: no longer there; `refused`: an answer that says no; `malformed`: an
 * answer that is not what the interface says; `too_large`: more bytes than were agreed to; `wrong_chain`:
 * another chain's node; `unverified`: its records do not check; `disagrees`: others say otherwise.
 */
export type UpstreamErrorCode =
  | "unreachable"
  | "busy"
  | "beyond_head"
  | "pruned"
  | "refused"
  | "malformed"
  | "too_large"
  | "wrong_chain"
  | "unverified"
  | "disagrees";

/** A fault of an upstream. Messages hold nothing that came from the network as raw text. */
export class UpstreamError extends CodedError<UpstreamErrorCode> {
  /** How long it asked to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: UpstreamErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Code `beyond_head`, with the head that the upstream named. */
export class BeyondHead extends UpstreamError {
  readonly head: UpstreamHead;

  constructor(version: bigint, head: UpstreamHead) {
    super("beyond_head", `version ${version} is not there yet, the head is ${head.version}`);
    this.head = head;
  }
}
