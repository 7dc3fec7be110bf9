// The check of every engine before it prunes.
import type { Position } from "../ledger/position.ts";
import { type BlockReader, findBlockByVersion } from "./block-search.ts";
import { StoreError } from "./errors.ts";

/**
 * The oldest block after pruning up to a floor; never older than the current one. Throws StoreError `order` unless the
 * floor is the first version of a block, or at or below the oldest version.
 */
export function findOldest(
  read: BlockReader,
  position: Position,
  floor: bigint,
): { readonly firstVersion: bigint; readonly height: bigint } {
  if (floor <= position.oldestVersion) {
    return { firstVersion: position.oldestVersion, height: position.oldestBlockHeight };
  }
  const block = findBlockByVersion(read, position, floor);
  if (block?.firstVersion === floor) return block;
  throw new StoreError(
    "order",
    `pruning floor ${floor} is not the first version of a block up to ${position.version}`,
  );
}
