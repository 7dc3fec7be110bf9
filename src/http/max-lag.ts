// How old the latest block may be.
import { USEC_PER_MS } from "../base/numbers.ts";
import { spanText } from "../base/settings.ts";
import type { LedgerPosition } from "../ledger/view.ts";

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
