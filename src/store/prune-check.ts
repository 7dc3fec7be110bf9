// Checks of every engine before it prunes, and the oldest block after pruning.
import type { Position } from "../ledger/position.ts";
import { type BlockReader, findBlockByVersion, findBlockStart } from "./block-search.ts";
import { StoreError } from "./errors.ts";

/** Throws StoreError `order` unless the floor is the first version of a block, or at or below the oldest version. */
export function assertPruneFloor(read: BlockReader, position: Position, floor: bigint): void {
  if (floor <= position.oldestVersion) return;
  if (findBlockByVersion(read, position, floor)?.firstVersion !== floor) {
    throw new StoreError(
      "order",
      `pruning floor ${floor} is not the first version of a block up to ${position.version}`,
    );
  }
}

/** The oldest block after pruning up to `reached`; never older than the current one. */
export function findOldest(
  read: BlockReader,
  position: Position,
  reached: bigint,
): { readonly firstVersion: bigint; readonly height: bigint } {
  if (reached <= position.oldestVersion) {
    return { firstVersion: position.oldestVersion, height: position.oldestBlockHeight };
  }
  const start = findBlockStart(read, position, reached);
  if (start === undefined) throw new StoreError("corrupt", `no block row at or after version ${reached}`);
  return start;
}
