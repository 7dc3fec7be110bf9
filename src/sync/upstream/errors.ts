// Faults of an upstream, by what the follower does about them.
import { CodedError } from "../../base/errors.ts";
import { withDeadline } from "../../base/wait.ts";
import type { UpstreamHead } from "./upstream.ts";

/**
 * `unreachable`: no connection, a cut or a timeout; `busy`: it asked to retry later; `beyond_head`: it does not have
 * the version yet; `pruned`: no longer; `refused`: an error status; `malformed`: a response that breaks the
 * interface; `gap`: something is missing in the middle; `too_large`: more bytes than the limit; `endless`: more than the
 * format allows; `wrong_chain`: a node of another chain; `unverified`: its records fail verification; `disagrees`: other upstreams serve other data; `other_history`: its records differ from ours, and a
 * waypoint still to come will tell which are the network's.
 */
export type UpstreamErrorCode =
  | "unreachable"
  | "busy"
  | "beyond_head"
  | "pruned"
  | "refused"
  | "malformed"
  | "gap"
  | "too_large"
  | "endless"
  | "wrong_chain"
  | "unverified"
  | "disagrees"
  | "other_history";

/** A fault of an upstream. Messages never contain raw text from the network. */
export class UpstreamError extends CodedError<UpstreamErrorCode> {
  /** Pause that the upstream asked for. */
  readonly retryAfterMs: number | undefined;
  /** The version whose record was wrong. */
  readonly version: bigint | undefined;
  /** True if there was no complete answer in time: a shorter one may be there sooner. */
  readonly isLate: boolean;

  constructor(
    code: UpstreamErrorCode,
    message: string,
    options: {
      cause?: unknown;
      retryAfterMs?: number | undefined;
      version?: bigint | undefined;
      isLate?: boolean;
    } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.version = options.version;
    this.isLate = options.isLate ?? false;
  }
}

/** Code `beyond_head`, with the upstream's head. */
export class BeyondHead extends UpstreamError {
  readonly head: UpstreamHead;

  constructor(version: bigint, head: UpstreamHead) {
    super("beyond_head", `version ${version} is not there yet, the head is ${head.version}`);
    this.head = head;
  }
}

/** Runs one question, however many requests it takes: ends it after `ms` with `unreachable`, or with the signal's reason. */
export function askInTime<T>(
  ms: number,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = (): UpstreamError => new UpstreamError("unreachable", `no complete answer within ${ms} ms`);
  return withDeadline({ ms, signal, late }, ask);
}
