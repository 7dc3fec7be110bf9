// The least version that a read asks for: read-your-writes on a node that may be behind the one that was written to.
import { LedgerError } from "../errors.ts";

/** The ledger must be at this version; a read waits for it for some time. */
export interface MinVersion {
  readonly version: bigint;
  readonly waitMs: number;
}

/** Longest wait of one read. */
export const MAX_WAIT_MS = 30_000;

/** Throws LedgerError `behind`, which tells how far, if the latest version is below the least one. */
export function assertReached(latest: bigint, { version, waitMs }: MinVersion): void {
  if (latest >= version) return;
  const behind = version - latest;
  throw new LedgerError(
    "behind",
    `the ledger is at version ${latest}, ${behind} behind version ${version}, after a wait of at most ${waitMs} ms`,
    { details: { latest, behind } },
  );
}
