// Checks whether there is a ledger, and whether a view can read a version of it.
import { LedgerError } from "../ledger/errors.ts";
import type { Position } from "../ledger/position.ts";
import { assertNotRefuted } from "../ledger/trust.ts";
import type { LedgerPosition, StateItem, StoredRecord } from "../ledger/view.ts";

/** Returns what only a store with a commit has. Throws LedgerError `no_ledger` where it is missing. */
export function requireLedger<T>(found: T | undefined): T {
  if (found !== undefined) return found;
  throw new LedgerError("no_ledger", "nothing is committed yet");
}

/**
 * Throws LedgerError `version_not_found` or `version_pruned` unless the position covers the version, and `refuted`
 * if the version is refuted.
 */
export function assertReadable(position: LedgerPosition, version: bigint): void {
  if (position.refuted !== undefined) assertNotRefuted(position, version);
  if (version > position.version) {
    throw new LedgerError(
      "version_not_found",
      `version ${version} is above the latest, ${position.version}`,
      {
        details: { version, latest: position.version },
      },
    );
  }
  if (version < position.oldestVersion) {
    throw new LedgerError(
      "version_pruned",
      `version ${version} is below the oldest kept, ${position.oldestVersion}`,
      {
        details: { version, oldest: position.oldestVersion },
      },
    );
  }
}

/** Consecutive records from a version on, up to the limits; the first one however large it is. */
export function collectRecords(
  read: (version: bigint) => Uint8Array | undefined,
  position: LedgerPosition,
  start: bigint,
  limit: number,
  maxBytes: number,
): readonly StoredRecord[] {
  assertReadable(position, start);
  const records: StoredRecord[] = [];
  let size = 0;
  const last = lastReadable(position);
  for (let version = start; version <= last && records.length < limit; version++) {
    const bytes = read(version);
    if (bytes === undefined) break;
    size += bytes.length;
    if (records.length > 0 && size > maxBytes) break;
    records.push({ version, bytes });
  }
  return records;
}

/** The position of a raw view: the same object where it can be, because readers remember things by it. */
export function withoutRefutation(position: Position): Position {
  return position.refuted === undefined ? position : { ...position, refuted: undefined };
}

/** The last version whose record may be handed out. */
export function lastReadable({ version, refuted }: LedgerPosition): bigint {
  return refuted === undefined ? version : refuted.firstVersion - 1n;
}

/**
 * Returns the item, or undefined for a deletion before the oldest kept version. Whether such a deletion is still
 * stored depends on the pruner's progress; a response must not.
 */
export function hideOldDeletion(
  item: StateItem | undefined,
  position: LedgerPosition,
): StateItem | undefined {
  if (item === undefined || item.value !== undefined || item.version >= position.oldestVersion) return item;
  return undefined;
}
