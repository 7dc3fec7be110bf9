// What every engine checks before it prunes, and where pruning up to a version puts the oldest one.
import type { Position } from "../ledger/position.ts";
import { type BlockReader, findBlockByVersion, findBlockStart } from "./block-search.ts";
import { StoreError } from "./errors.ts";

/** Throws StoreError `order` unless the floor is the first version of a block; below the oldest kept is fine. */
export function assertPruneFloor(read: BlockReader, position: Position, floor: bigint): void {
  if (floor <= position.oldestVersion) return;
  if (findBlockByVersion(read, position, floor)?.firstVersion !== floor) {
    throw new StoreError(
      "order",
      `pruning floor ${floor} is not the first version of a block up to ${position.version}`,
    );
  }
}

/** The oldest block once everything superseded below `reached` may be gone: never before the current one. */
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
