// Opens the view that a request reads from.
import type { MaybePromise } from "../base/maybe-promise.ts";
import { LedgerError } from "../ledger/errors.ts";
import type { Ledger, LedgerView } from "../ledger/view.ts";
import { HttpError, NO_LEDGER } from "./errors.ts";
import type { Operation } from "./operation.ts";

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
