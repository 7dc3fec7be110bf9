// Checks of every engine before it writes: a batch follows the head, stays inside its version range and belongs to this
// chain; a pruner removes the oldest versions, a rewind the newest.
import { equalBytes } from "../base/bytes.ts";
import type { Position } from "../ledger/position.ts";
import { type BlockReader, findBlockByVersion } from "./block-search.ts";
import type { BlockStart, CommitBatch, RewindBatch, StoreIdentity } from "./contract.ts";
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

/** Throws StoreError `order` unless the batch follows the head, which nothing refutes, and is ordered. */
export function assertFollows(batch: CommitBatch, head: Position | undefined): void {
  if (batch.previous !== head?.version) {
    throw new StoreError(
      "order",
      `batch follows version ${batch.previous ?? "none"}, head is ${head?.version ?? "none"}`,
    );
  }
  if (head?.refuted !== undefined) {
    throw new StoreError(
      "order",
      `the store takes no commits, because its history from version ${head.refuted.firstVersion} on is refuted`,
    );
  }
  const { version } = batch.position;
  if (head !== undefined && version <= head.version) {
    throw new StoreError("order", `batch ends at version ${version}, must be above the head ${head.version}`);
  }
  const first = head === undefined ? (batch.blocks[0]?.firstVersion ?? version) : head.version + 1n;
  assertOrdered("write", batch.writes, first, version, true);
  for (const write of batch.writes) {
    // Engines may store a deletion as an empty value; no StateValue encodes to zero bytes.
    if (write.value?.length === 0) throw new Error(`empty state value at version ${write.version}`);
  }
  assertOrdered("record", batch.records, first, version, false);
  assertBlocks(batch, head, first);
}

/** Returns the store's identity. Throws StoreError `identity` if the first commit has none, or if it does not match. */
export function assertIdentity(
  batch: CommitBatch,
  known: StoreIdentity | undefined,
  given: StoreIdentity | undefined,
): StoreIdentity {
  if (known === undefined && given === undefined) {
    throw new StoreError("identity", "the first commit needs a chain identity");
  }
  if (known !== undefined && given !== undefined && !sameIdentity(known, given)) {
    throw new StoreError(
      "identity",
      `this store holds chain ${known.chainId} of another genesis than chain ${given.chainId}`,
    );
  }
  const identity = known ?? given;
  if (identity === undefined || batch.position.chainId !== identity.chainId) {
    throw new StoreError(
      "identity",
      `this store holds chain ${identity?.chainId}, got chain ${batch.position.chainId}`,
    );
  }
  return identity;
}

function sameIdentity(a: StoreIdentity, b: StoreIdentity): boolean {
  return a.chainId === b.chainId && equalBytes(a.genesisHash, b.genesisHash);
}

function assertOrdered(
  name: string,
  rows: readonly { readonly version: bigint }[],
  first: bigint,
  last: bigint,
  mayRepeat: boolean,
): void {
  let floor = first;
  for (const { version } of rows) {
    if (version < floor || version > last) {
      throw new StoreError("order", `${name} of version ${version}, expected ${floor} to ${last}`);
    }
    floor = mayRepeat ? version : version + 1n;
  }
}

function assertBlocks(batch: CommitBatch, head: Position | undefined, first: bigint): void {
  let height = head?.blockHeight;
  let floor = first;
  for (const block of batch.blocks) {
    if (height !== undefined && block.height !== height + 1n) {
      throw new StoreError("order", `block ${block.height} follows block ${height}`);
    }
    if (block.firstVersion < floor || block.firstVersion > batch.position.version) {
      throw new StoreError(
        "order",
        `block ${block.height} starts at version ${block.firstVersion}, expected ${floor} to ${batch.position.version}`,
      );
    }
    height = block.height;
    floor = block.firstVersion + 1n;
  }
  if (height !== undefined && batch.position.blockHeight !== height) {
    throw new StoreError(
      "order",
      `position is in block ${batch.position.blockHeight}, last block is ${height}`,
    );
  }
}

/** The position to store after a batch: the batch's, with the store's oldest version and block. */
export function toStoredPosition(batch: CommitBatch, head: Position | undefined): Position {
  const first = batch.blocks[0];
  const oldestVersion = head?.oldestVersion ?? first?.firstVersion ?? batch.position.version;
  const oldestBlockHeight = head?.oldestBlockHeight ?? first?.height ?? batch.position.blockHeight;
  return { ...batch.position, oldestVersion, oldestBlockHeight };
}
