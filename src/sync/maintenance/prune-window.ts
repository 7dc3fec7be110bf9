// The pruning window: how much history stays readable, as ledger time or as a count of versions. Both round to block
// starts, so the pruner never removes more than the window allows.
import { ConfigError } from "../../base/errors.ts";
import { USEC_PER_SEC } from "../../base/numbers.ts";
import type { LedgerView } from "../../ledger/view.ts";

/** How much history stays readable. */
export type PruneWindow =
  | { readonly kind: "off" }
  | { readonly kind: "count"; readonly versions: bigint }
  | { readonly kind: "time"; readonly amount: bigint; readonly unit: TimeUnit };

/** How far back proofs can be made: `all` that is readable, or `off` for none. */
export type ProofWindow = PruneWindow | { readonly kind: "all" };

/** Second, minute, hour, day. */
export type TimeUnit = "s" | "m" | "h" | "d";

const USEC_OF_UNIT: Readonly<Record<TimeUnit, bigint>> = {
  s: USEC_PER_SEC,
  m: 60n * USEC_PER_SEC,
  h: 3600n * USEC_PER_SEC,
  d: 86_400n * USEC_PER_SEC,
};

const MAX_DIGITS = 12;

/** Reads `24h`, `30d`, `90m`, `3600s`, a count of versions, or `off`. Throws ConfigError. */
export function parsePruneWindow(text: string, name = "prune window", words = "or off"): PruneWindow {
  if (text === "off") return { kind: "off" };
  const last = text.at(-1);
  const unit = isTimeUnit(last) ? last : undefined;
  const digits = unit === undefined ? text : text.slice(0, -1);
  if (digits.length > MAX_DIGITS || !/^[1-9][0-9]*$/.test(digits)) {
    throw new ConfigError(
      `${name}: expected a time such as 24h or 30d (s, m, h, d), a count of versions above zero, ${words}; ` +
        `got ${JSON.stringify(text.slice(0, 40))}`,
    );
  }
  const amount = BigInt(digits);
  return unit === undefined ? { kind: "count", versions: amount } : { kind: "time", amount, unit };
}

/** As `parsePruneWindow`, or `all`. */
export function parseProofWindow(text: string, name = "proof window"): ProofWindow {
  return text === "all" ? { kind: "all" } : parsePruneWindow(text, name, "all or off");
}

/** The text that `parsePruneWindow` or `parseProofWindow` reads. */
export function formatPruneWindow(window: ProofWindow): string {
  if (window.kind === "off" || window.kind === "all") return window.kind;
  return window.kind === "count" ? `${window.versions}` : `${window.amount}${window.unit}`;
}

/** The oldest version that must stay readable: a block start at or above the view's oldest version. */
export async function floorFor(window: PruneWindow, view: LedgerView): Promise<bigint> {
  const { position } = view;
  if (window.kind === "off") return position.oldestVersion;
  if (window.kind === "count") {
    const wanted = position.version - window.versions + 1n;
    if (wanted <= position.oldestVersion) return position.oldestVersion;
    const block = await view.getBlockByVersion(wanted);
    return block?.firstVersion ?? position.oldestVersion;
  }
  const before = await view.getBlockAtTime(cutoffUsec(window, position.timestampUsec) - 1n);
  // The genesis has no time: it leaves with the first block after it.
  return before === undefined || before.timestampUsec === 0n
    ? position.oldestVersion
    : before.lastVersion + 1n;
}

/** True when the window covers more history than the view still has. */
export async function exceedsHistory(window: PruneWindow, view: LedgerView): Promise<boolean> {
  const { position } = view;
  if (position.oldestVersion === 0n) return false;
  if (window.kind === "off") return true;
  if (window.kind === "count") return position.version - window.versions + 1n < position.oldestVersion;
  const oldest = await view.getBlockByVersion(position.oldestVersion);
  return oldest !== undefined && cutoffUsec(window, position.timestampUsec) < oldest.timestampUsec;
}

/** The earliest time inside a window that ends at the latest block. */
export function cutoffUsec(
  window: { readonly amount: bigint; readonly unit: TimeUnit },
  latestUsec: bigint,
): bigint {
  return latestUsec - window.amount * USEC_OF_UNIT[window.unit];
}

function isTimeUnit(text: string | undefined): text is TimeUnit {
  return text === "s" || text === "m" || text === "h" || text === "d";
}
