import type { RecordSpans } from "../../src/ledger/formats/record.ts";
import type { Position } from "../../src/ledger/position.ts";
import { type VerifiedBlock, Verifier } from "../../src/sync/verify/verifier.ts";

/** Verifies records after a position; returns the complete blocks among them. */
export function verifyRecords(
  position: Position | undefined,
  records: readonly RecordSpans[],
): readonly VerifiedBlock[] {
  const verifier = new Verifier(position);
  return records.map((record) => verifier.push(record)).filter((block) => block !== undefined);
}
