// Ranges of versions whose changes are asked for, named by versions or times.
import { LedgerError } from "./errors.ts";
import { firstVersionFrom, resolveReadPoint } from "./read-point.ts";
import type { LedgerPosition, LedgerView } from "./view.ts";

/** One end of a range. */
export type RangeEnd = { readonly version: bigint } | { readonly timestampUsec: bigint };

/** True when both ends are of one kind and in the wrong order. Ends of two kinds are compared by `resolveRange`. */
export function isReversed(from: RangeEnd | undefined, to: RangeEnd | undefined): boolean {
  if (from === undefined || to === undefined) return false;
  return "version" in from
    ? "version" in to && from.version > to.version
    : "timestampUsec" in to && from.timestampUsec > to.timestampUsec;
}

/** Both ends belong to the range; it is empty where `from` is above `to`. */
export interface VersionRange {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * The versions between two ends: from the first one whose block is not before `from` to the last one whose block is not
 * after `to`. Without `from` it begins with the first change that can be told, without `to` it ends with the latest version.
 * Throws LedgerError `version_not_found` for an end after the latest, `version_pruned` where the state before the first
 * version is not kept, so that what changed there cannot be told, and `reversed_range` for ends in the wrong order. The
 * message names the beginning by `name`.
 */
export async function resolveRange(
  view: LedgerView,
  ends: { readonly from?: RangeEnd | undefined; readonly to?: RangeEnd | undefined },
  name = "from",
): Promise<VersionRange> {
  const { position } = view;
  const { version: to } = await resolveReadPoint(view, ends.to ?? {});
  assertKept(position, to, position.oldestVersion);
  const first = firstTold(position);
  if (ends.from === undefined) return { from: first, to };
  const from =
    "version" in ends.from ? ends.from.version : await firstVersionFrom(view, ends.from.timestampUsec);
  assertKept(position, from, first);
  // Two times may have no block between them; every other empty range has its ends in the wrong order.
  const isBetweenBlocks = "timestampUsec" in ends.from && ends.to !== undefined && "timestampUsec" in ends.to;
  if (from > to && !isBetweenBlocks) {
    throw new LedgerError(
      "reversed_range",
      `${name}: expected at most \`to\`, which ends at version ${to}, got version ${from}`,
    );
  }
  return { from, to };
}

/** The first version whose change can be told: the state before it is kept, or there is none. */
function firstTold({ oldestVersion }: LedgerPosition): bigint {
  return oldestVersion === 0n ? 0n : oldestVersion + 1n;
}

function assertKept(
  { version: latest, oldestVersion }: LedgerPosition,
  version: bigint,
  first: bigint,
): void {
  if (version > latest) {
    throw new LedgerError("version_not_found", `version ${version} is above the latest, ${latest}`);
  }
  if (version >= first) return;
  throw new LedgerError(
    "version_pruned",
    version < oldestVersion
      ? `version ${version} is below the oldest kept, ${oldestVersion}`
      : `version ${version} is the oldest kept, so what it changed is not known; ask from ${first}`,
  );
}
