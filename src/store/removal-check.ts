// Checks of every engine before it removes versions: a pruner the oldest, a rewind the newest.
import type { Position } from "../ledger/position.ts";
import { type BlockReader, findBlockByVersion } from "./block-search.ts";
import type { BlockStart, RewindBatch } from "./contract.ts";
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

/**
 * Throws StoreError `order` unless the batch starts at the head and returns to the end of a kept block. `next` is the
 * block after that one.
 */
export function assertRewinds(batch: RewindBatch, head: Position, next: BlockStart | undefined): void {
  if (batch.previous !== head.version) {
    throw new StoreError("order", `the rewind starts at version ${batch.previous}, head is ${head.version}`);
  }
  const { version, blockHeight } = batch.position;
  if (version < head.oldestVersion || version >= head.version) {
    throw new StoreError(
      "order",
      `cannot rewind to version ${version}: expected ${head.oldestVersion} to ${head.version - 1n}`,
    );
  }
  if (next?.firstVersion !== version + 1n) {
    throw new StoreError(
      "order",
      `cannot rewind to version ${version}: it does not end block ${blockHeight}`,
    );
  }
}

/** The position to store after a rewind: the batch's, with the store's oldest version and block. */
export function toRewoundPosition(
  { position }: RewindBatch,
  { oldestVersion, oldestBlockHeight }: Position,
): Position {
  return { ...position, oldestVersion, oldestBlockHeight };
}
