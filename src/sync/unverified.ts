// Says what a page that did not check means for the upstream that served it.
import { equalBytes } from "../base/bytes.ts";
import { LedgerError } from "../ledger/errors.ts";
import { decodePage } from "../ledger/record.ts";
import { transactionHash } from "../ledger/transaction.ts";
import { writeSetHash } from "../ledger/write-set.ts";
import { UpstreamError } from "./upstream/errors.ts";

/** The upstream's fault behind an error of the committer; any other error comes back as it is. */
export function explainUnverified(error: unknown, page: Uint8Array): unknown {
  if (!(error instanceof LedgerError)) return error;
  if (error.code !== "corrupt" && error.code !== "mismatch") return error;
  const note = isOnlyEvents(error, page)
    ? " (transaction and write set match: it seems to serve translated events, which cannot be verified)"
    : "";
  return new UpstreamError("unverified", `${error.message}${note}`, { cause: error });
}

/** True when the events alone do not match: a node may replace events by older forms of them. */
function isOnlyEvents(error: LedgerError, page: Uint8Array): boolean {
  if (error.details.field !== "event root hash") return false;
  const record = decodePage(page).find(({ version }) => version === error.details.version);
  return (
    record !== undefined &&
    equalBytes(transactionHash(record.transaction), record.info.transactionHash) &&
    equalBytes(writeSetHash(record.changes), record.info.stateChangeHash)
  );
}
