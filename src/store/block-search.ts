// Finds blocks in the table by height: heights are consecutive, and first versions and times never decrease with height.
import type { Block, LedgerPosition } from "../ledger/view.ts";
import type { BlockStart } from "./contract.ts";

/** Reads one row of the block table. */
export type BlockReader = (height: bigint) => BlockStart | undefined;

/** The block of a height inside the kept range. */
export function findBlockByHeight(
  read: BlockReader,
  position: LedgerPosition,
  height: bigint,
): Block | undefined {
  if (height < position.oldestBlockHeight || height > position.blockHeight) return undefined;
  const start = read(height);
  if (start === undefined) return undefined;
  const next = height === position.blockHeight ? undefined : read(height + 1n);
  const lastVersion = next === undefined ? position.version : next.firstVersion - 1n;
  return { ...start, lastVersion };
}

/** The block that contains a version inside the kept range. */
export function findBlockByVersion(
  read: BlockReader,
  position: LedgerPosition,
  version: bigint,
): Block | undefined {
  if (version < position.oldestVersion || version > position.version) return undefined;
  return findLast(read, position, "firstVersion", version);
}

/** The last kept block whose time is at or before `timestampUsec`. */
export function findBlockAtTime(
  read: BlockReader,
  position: LedgerPosition,
  timestampUsec: bigint,
): Block | undefined {
  return findLast(read, position, "timestampUsec", timestampUsec);
}

/** The last block of which something is at most a limit. */
function findLast(
  read: BlockReader,
  position: LedgerPosition,
  of: "firstVersion" | "timestampUsec",
  limit: bigint,
): Block | undefined {
  let [low, high] = [position.oldestBlockHeight, position.blockHeight];
  let last = read(high);
  if (last === undefined || last[of] <= limit) return last && { ...last, lastVersion: position.version };
  let first = low < high ? read(low) : undefined;
  if (first === undefined || first[of] > limit) return undefined;
  for (let step = 0; high - low > 1n; step++) {
    // Both grow almost evenly with the height; where they do not, every third step halves the rest.
    const share: bigint = ((high - low) * (limit - first[of])) / (last[of] - first[of]);
    const guess: bigint = step % 3 === 2 ? (low + high) / 2n : low + share;
    const middle: bigint = guess <= low ? low + 1n : guess >= high ? high - 1n : guess;
    const start = read(middle);
    if (start === undefined) return undefined;
    if (start[of] <= limit) [low, first] = [middle, start];
    else [high, last] = [middle, start];
  }
  return { ...first, lastVersion: last.firstVersion - 1n };
}
