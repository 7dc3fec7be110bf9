// Checks the items that a ledger with a partly known state fetched: no hash covers them, but what they rest on must be there.
import { toHex } from "../../base/hex.ts";
import { ANCHORED, compareTrust, confirmedVersion, formatTrust } from "../../ledger/trust.ts";
import type { StoreWalk } from "../../store/lmdb/walk.ts";
import { type BaseRow, decodeBaseRow, decodeRewinds, SIDE_KEYS } from "../base-rows.ts";
import type { CheckPace } from "./check-pace.ts";
import type { Findings } from "./findings.ts";

/** Finds fetched items that no history here confirms. Those of removed versions are never used, and no fault. */
export async function checkBaseRows(walk: StoreWalk, findings: Findings, pace: CheckPace): Promise<void> {
  const { position } = walk;
  const confirmed = confirmedVersion(position) ?? -1n;
  let rewoundTo: readonly bigint[] = [];
  for (const { key, value } of walk.sideRows())
    if (key[0] === SIDE_KEYS.rewinds) rewoundTo = decodeRewinds(value);
  for (const { key, value } of walk.sideRows()) {
    const turn = pace.turn();
    if (turn !== undefined) await turn;
    if (key[0] !== SIDE_KEYS.filled) continue;
    const keyHash = key.slice(1);
    const fault = faultOf(decodeBaseRow(value), walk.peekNewestItem(keyHash)?.version);
    findings.expect(fault === undefined, () => `fetched item ${toHex(keyHash)}: ${fault}`);
  }

  function faultOf({ fetched }: BaseRow, written: bigint | undefined): string | undefined {
    if (fetched === undefined) return "it does not say where it was read";
    const { at, level, rewinds } = fetched;
    if (rewoundTo.slice(Number(rewinds)).some((to) => at > to)) return undefined;
    if (at > position.version) return `read at version ${at}, above the head`;
    if (compareTrust(level, ANCHORED) >= 0 && at > confirmed) {
      return `${formatTrust(level)} at version ${at}, where nothing confirms the history`;
    }
    return written !== undefined && written <= at
      ? `read at version ${at}, but version ${written} wrote it before`
      : undefined;
  }
}
