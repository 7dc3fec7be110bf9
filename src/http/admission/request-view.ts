// The view that a request reads from, and what keeps its answer from being sent: its age, or its trust level.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { USEC_PER_MS } from "../../base/numbers.ts";
import { spanText } from "../../base/settings.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { compareTrust, formatTrust, TRUSTED, type TrustLevel, weakestTrust } from "../../ledger/trust.ts";
import { type Ledger, type LedgerPosition, type LedgerView, trustOfAnswer } from "../../ledger/view.ts";
import type { Condition } from "../error-catalogue.ts";
import { HttpError, NO_LEDGER } from "../errors.ts";
import type { AnyAnswer, Operation } from "../operation.ts";

/** Runs an operation without a view if it allows that; throws otherwise. */
function withoutView(operation: Operation, error: unknown): undefined {
  const code = error instanceof LedgerError ? error.code : undefined;
  const isAwaited = code === "no_ledger" || code === "unavailable";
  if (operation.ledger === "optional" || (operation.ledger === "awaited" && isAwaited)) return undefined;
  const known =
    error instanceof LedgerError && code === "replaced" ? error.message : "the storage is out of reach";
  const message = code === "no_ledger" ? NO_LEDGER : known;
  throw new HttpError(operation.unavailable, message, { cause: error });
}

/** The time limit of probes is a second, and a cluster without a quorum lets a read wait for several. */
const PROBE_MS = 500;

/** The view of a probe; one that opens late is released. */
function openInTime(opening: Promise<LedgerView>): Promise<LedgerView> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new LedgerError("unavailable", "the storage does not answer in time"));
    }, PROBE_MS);
    opening
      .then((view) => (isLate ? view.release() : resolve(view)), reject)
      .finally(() => clearTimeout(timer));
  });
}

/** A view of the latest version; undefined if there is none and the operation can do without. Throws HttpError. */
export function openRequestView(
  ledger: Pick<Ledger, "openView">,
  operation: Operation,
): MaybePromise<LedgerView | undefined> {
  try {
    const opened = ledger.openView();
    if (!(opened instanceof Promise)) return opened;
    const inTime = operation.unavailable === "unhealthy" ? openInTime(opened) : opened;
    return inTime.catch((error: unknown) => withoutView(operation, error));
  } catch (error) {
    return withoutView(operation, error);
  }
}

/** What an answer rests on. One in pieces reads further items as it is sent, so those count at their weakest. */
export function trustOf(view: LedgerView, answer: AnyAnswer): TrustLevel {
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

/** Why a ledger is too old to serve; undefined if it is not, and with a limit of 0. */
export function lagReason(
  { timestampUsec }: Pick<LedgerPosition, "timestampUsec">,
  maxLagMs: number,
  nowMs: number,
): string | undefined {
  const lagMs = nowMs - Number(timestampUsec / USEC_PER_MS);
  if (maxLagMs === 0 || lagMs <= maxLagMs) return undefined;
  const allowed = `the max-lag of ${spanText(maxLagMs)}`;
  return timestampUsec === 0n
    ? `the latest block is the genesis, which has no time: ${allowed} needs a later one`
    : `the latest block is ${spanText(lagMs)} old, more than ${allowed}`;
}
