// Pages of records as upstreams give them: what they must have, and why one does not verify.
import { equalBytes } from "../../base/bytes.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { decodePage, decodePageInSlices, type RecordSpans } from "../../ledger/formats/record.ts";
import { transactionHash } from "../../ledger/formats/transaction.ts";
import { writeSetHash } from "../../ledger/formats/write-set.ts";
import { UpstreamError } from "./errors.ts";
import type { RecordSource, UpstreamHead } from "./upstream.ts";

/** A page whose records decode, and are 1 to `limit` from the version on that was asked for. */
export interface ReadPage {
  readonly head: UpstreamHead;
  readonly bytes: Uint8Array;
  readonly records: readonly RecordSpans[];
}

/** Throws UpstreamError `malformed` for any other page, and as `getRecords` does. */
export async function readPage(
  upstream: RecordSource,
  start: bigint,
  limit: number,
  signal: AbortSignal,
): Promise<ReadPage> {
  const { head, bytes } = await upstream.getRecords(start, limit, signal);
  let records: readonly RecordSpans[];
  try {
    records = await decodePageInSlices(bytes, limit);
  } catch (error) {
    throw new UpstreamError("malformed", `a page of records from version ${start} on does not decode`, {
      cause: error,
    });
  }
  if (records.length === 0) throw new UpstreamError("malformed", `asked for 1 to ${limit} records, got 0`);
  const wrong = records.findIndex(({ version }, i) => version !== start + BigInt(i));
  if (wrong < 0) return { head, bytes, records };
  throw new UpstreamError("malformed", `asked for version ${start + BigInt(wrong)}, got another version`);
}

/** The record of one version. Throws as `readPage`. */
export async function readOne(
  upstream: RecordSource,
  version: bigint,
  signal: AbortSignal,
): Promise<RecordSpans> {
  const [record] = (await readPage(upstream, version, 1, signal)).records;
  if (record === undefined) throw new Error("a page without records");
  return record;
}

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
