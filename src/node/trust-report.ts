// What the ledger rests on, in the info response and on the metrics page. Read from the position alone, so that the
// writer, its workers and read-only processes say the same.
import {
  formatTrust,
  refutedText,
  TRUSTED,
  type TrustKind,
  trustAt,
  trustSpans,
  weakestTrust,
} from "../ledger/trust.ts";
import type { LedgerPosition } from "../ledger/view.ts";

/** Most ranges in the info response: the latest ones. */
const SHOWN_RANGES = 20;

/** As a number for metrics: higher is stronger. */
const RANKS: Readonly<Record<TrustKind, number>> = {
  forked: -2,
  local: -1,
  trusted: 0,
  agreed: 1,
  chained: 2,
  anchored: 3,
  proven: 4,
};

/** Text for the metrics page. */
export const TRUST_RANK_HELP =
  "Trust level of the latest version: -2 forked, -1 local, 0 trusted, 1 agreed, 2 chained, 3 anchored, 4 proven";

/** Keys of the info response. Without the whole state, an answer may rest on an item that one upstream gave. */
export function trustInfo(position: LedgerPosition, isWhole: boolean): Record<string, unknown> {
  const spans = trustSpans(position.trust, position.version);
  const level = trustAt(position.trust, position.version);
  return {
    trust_level: formatTrust(level),
    weakest_trust_level: formatTrust(isWhole ? level : weakestTrust(level, TRUSTED)),
    trust_ranges: spans.slice(-SHOWN_RANGES).map(({ first, last, level }) => ({
      first_version: `${first}`,
      last_version: `${last}`,
      level: formatTrust(level),
    })),
    ...(position.refuted === undefined
      ? {}
      : {
          refuted_from: `${position.refuted.firstVersion}`,
          refutation: refutedText(position.refuted),
        }),
  };
}

/** The level of the latest version as a number. */
export function trustRank({ trust, version }: LedgerPosition): number {
  return RANKS[trustAt(trust, version).kind];
}

/** The highest version at `anchored` or `proven`; 0 if there is none. */
export function anchoredVersion({ trust, version }: LedgerPosition): bigint {
  const spans = trustSpans(trust, version).filter(({ level }) => RANKS[level.kind] >= RANKS.anchored);
  return spans.at(-1)?.last ?? 0n;
}
