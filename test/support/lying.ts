// Lies that hashes of a record alone do not reveal.
import { equalBytes } from "../../src/base/bytes.ts";
import { decodeRecord, type RecordSpans } from "../../src/ledger/formats/record.ts";
import { writeSetHash } from "../../src/ledger/formats/write-set.ts";

/**
 * The record with another value in one of its writes and the state change hash that belongs to it. Only the hash of its
 * info, or other upstreams, show that it is forged. Undefined for a record without such a write.
 */
export function forgeWrite(bytes: Uint8Array): Uint8Array | undefined {
  const honest = decodeRecord(bytes);
  const start = honest.changes.byteOffset - honest.bytes.byteOffset;
  for (let at = start + honest.changes.length - 1; at >= start; at--) {
    const forged = new Uint8Array(bytes);
    forged[at] = (forged[at] ?? 0) ^ 1;
    const record = tryDecode(forged);
    if (record === undefined || !hasOtherValue(honest, record)) continue;
    const hashAt = Buffer.from(forged).indexOf(honest.info.stateChangeHash);
    if (hashAt < 0) return undefined;
    forged.set(writeSetHash(record.changes), hashAt);
    return forged;
  }
  return undefined;
}

function tryDecode(bytes: Uint8Array): RecordSpans | undefined {
  try {
    return decodeRecord(bytes);
  } catch {
    return undefined;
  }
}

/** True if the keys are the same and one value differs but is still there. */
function hasOtherValue(a: RecordSpans, b: RecordSpans): boolean {
  if (a.writes.length !== b.writes.length) return false;
  let differing = 0;
  for (const [i, one] of a.writes.entries()) {
    const other = b.writes[i];
    if (other === undefined || !equalBytes(one.keyHash, other.keyHash)) return false;
    if (one.value === undefined || other.value === undefined) {
      if (one.value !== other.value) return false;
    } else if (!equalBytes(one.value, other.value)) differing++;
  }
  return differing === 1;
}
