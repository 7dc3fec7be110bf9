// What the ledger rests on, in the info response and on the metrics page. Read from the position alone, so that the
// writer, its workers and read-only processes say the same.
import {
  ANCHORED,
  compareTrust,
  formatTrust,
  refutedText,
  TRUST_KINDS,
  TRUSTED,
  trustAt,
  trustRank,
  trustSpans,
  weakestTrust,
} from "../ledger/trust.ts";
import type { LedgerPosition } from "../ledger/view.ts";

/** Most ranges in the info response: the latest ones. */
const SHOWN_RANGES = 20;

/** Text for the metrics page. */
export const TRUST_RANK_HELP: string = `Trust level of the latest version: ${[...TRUST_KINDS]
  .reverse()
  .map((kind) => `${trustRank(kind)} ${kind}`)
  .join(", ")}`;

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
export function latestTrustRank({ trust, version }: LedgerPosition): number {
  return trustRank(trustAt(trust, version).kind);
}

/** The highest version at `anchored` or `proven`; 0 if there is none. */
export function anchoredVersion({ trust, version }: LedgerPosition): bigint {
  const spans = trustSpans(trust, version).filter(({ level }) => compareTrust(level, ANCHORED) >= 0);
  return spans.at(-1)?.last ?? 0n;
}
