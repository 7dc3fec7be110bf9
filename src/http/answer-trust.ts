// The trust level of an answer, and the weakest level that the operator allows.
import { compareTrust, formatTrust, TRUSTED, type TrustLevel, weakestTrust } from "../ledger/trust.ts";
import { type LedgerView, trustOfAnswer } from "../ledger/view.ts";
import type { WatchEvent } from "../ledger/watch/watched.ts";
import type { Condition } from "./error-catalogue.ts";
import { HttpError } from "./errors.ts";
import type { Answer, EventAnswer, StreamedAnswer } from "./operation.ts";

/** What an answer rests on. One in pieces reads further items as it is sent, so those count at their weakest. */
export function trustOf(
  view: LedgerView,
  answer: Answer<unknown> | StreamedAnswer | EventAnswer<WatchEvent>,
): TrustLevel {
  if ("watched" in answer) return answer.trust;
  const level = trustOfAnswer(view, answer.version ?? view.position.version);
  return !("data" in answer) && view.fetchedTrust !== undefined ? weakestTrust(level, TRUSTED) : level;
}

/** Throws HttpError for an answer that rests on less than `minTrust`; undefined allows any. */
export function assertTrust(
  trust: TrustLevel,
  minTrust: TrustLevel | undefined,
  unavailable: Condition,
): void {
  if (minTrust === undefined || compareTrust(trust, minTrust) >= 0) return;
  throw new HttpError(
    unavailable,
    `the answer would rest on trust level ${formatTrust(trust)}, and this node answers from ${formatTrust(minTrust)} on`,
  );
}
