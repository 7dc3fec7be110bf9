// Finds blocks by binary search in the table by height: heights are consecutive, and first versions and times never
// decrease with height.
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
  return findLast(read, position, (start) => start.firstVersion <= version);
}

/** The last kept block whose time is at or before `timestampUsec`. */
export function findBlockAtTime(
  read: BlockReader,
  position: LedgerPosition,
  timestampUsec: bigint,
): Block | undefined {
  return findLast(read, position, (start) => start.timestampUsec <= timestampUsec);
}

function findLast(
  read: BlockReader,
  position: LedgerPosition,
  holds: (start: BlockStart) => boolean,
): Block | undefined {
  const oldest = position.oldestBlockHeight;
  let high = position.blockHeight;
  let low = high;
  // Most searches are for one of the newest blocks.
  for (let step = 1n; low > oldest; step *= 2n) {
    const start = read(low);
    if (start === undefined) return undefined;
    if (holds(start)) break;
    high = low - 1n;
    low = high - step;
  }
  if (low < oldest) low = oldest;
  let found: bigint | undefined;
  while (low <= high) {
    const middle = (low + high) / 2n;
    const start = read(middle);
    if (start === undefined) return undefined;
    if (holds(start)) {
      found = middle;
      low = middle + 1n;
    } else {
      high = middle - 1n;
    }
  }
  return found === undefined ? undefined : findBlockByHeight(read, position, found);
}
