// Turns a failed verification into a fault of the upstream that served the page.
import { equalBytes } from "../../base/bytes.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { decodePage } from "../../ledger/formats/record.ts";
import { transactionHash } from "../../ledger/formats/transaction.ts";
import { writeSetHash } from "../../ledger/formats/write-set.ts";
import { UpstreamError } from "../upstream/errors.ts";

/** Converts verification errors to UpstreamError `unverified`; returns any other error unchanged. */
export function explainUnverified(error: unknown, pages: readonly Uint8Array[]): unknown {
  if (!(error instanceof LedgerError)) return error;
  if (error.code !== "corrupt" && error.code !== "mismatch") return error;
  const note = failsOnlyInEvents(error, pages)
    ? " (transaction and write set match: the upstream seems to serve translated events, which cannot be verified)"
    : "";
  const version = typeof error.details.version === "bigint" ? error.details.version : undefined;
  return new UpstreamError("unverified", `${error.message}${note}`, { cause: error, version });
}

/** True when only the events fail: some nodes translate events to an older form. */
function failsOnlyInEvents(error: LedgerError, pages: readonly Uint8Array[]): boolean {
  if (error.details.field !== "event root hash") return false;
  const record = pages
    .flatMap((page) => decodePage(page))
    .find(({ version }) => version === error.details.version);
  return (
    record !== undefined &&
    equalBytes(transactionHash(record.transaction), record.info.transactionHash) &&
    equalBytes(writeSetHash(record.changes), record.info.stateChangeHash)
  );
}
