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

/** A view of the latest version; undefined if there is none and the operation can do without. Throws HttpError. */
export function openRequestView(
  ledger: Pick<Ledger, "openView">,
  operation: Operation,
): MaybePromise<LedgerView | undefined> {
  try {
    const opened = ledger.openView();
    if (!(opened instanceof Promise)) return opened;
    return opened.catch((error: unknown) => withoutView(operation, error));
  } catch (error) {
    return withoutView(operation, error);
  }
}
