// The store's contract: what every engine does alike. Semantic, async and batch-first, with no cursor that
// outlives a call and none that crosses keys, so that a wide-column cluster can implement it: one partition
// per key hash, clustered by version, and a watermark that readers never look past.
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Position } from "../ledger/position.ts";
import type { Ledger, LedgerView, StoredRecord } from "../ledger/view.ts";

/** One state write. */
export interface StateWrite {
  readonly keyHash: Uint8Array;
  readonly version: bigint;
  /** BCS of the StateValue; undefined deletes. */
  readonly value: Uint8Array | undefined;
}

/** A block that starts inside the batch. Its last version follows from the next block or the head. */
export interface BlockStart {
  readonly height: bigint;
  readonly firstVersion: bigint;
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
}

/** One record as it arrived. */
export type RawRecord = StoredRecord;

/** A change of the state tree's own table; undefined removes the node. */
export interface TreeNodeWrite {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** A row beside the versioned state that only the writer's own parts understand; undefined removes it. */
export interface SideRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** A run of consecutive versions with everything that belongs to them. Written whole or not at all. */
export interface CommitBatch {
  /** Latest version before this batch; undefined for the first commit of an empty store. */
  readonly previous: bigint | undefined;
  /** Position after the batch. Its oldest version and block are the store's own business and are ignored. */
  readonly position: Position;
  /** Ordered by version; at most one write per key and version. */
  readonly writes: readonly StateWrite[];
  readonly blocks: readonly BlockStart[];
  readonly records: readonly RawRecord[];
  readonly treeNodes: readonly TreeNodeWrite[];
  /** Written with the batch. */
  readonly sideRows?: readonly SideRow[];
}

/** A part of what lies before the first version of a ledger that does not begin at version 0. */
export interface BaseBatch {
  /** Values of versions before the first one, at most one for each key, none of them deletions. */
  readonly writes: readonly StateWrite[];
  /** Nodes of the state tree that the first commit builds on. */
  readonly treeNodes: readonly TreeNodeWrite[];
  readonly sideRows?: readonly SideRow[];
}

/** What a store was made for; fixed by its first commit. */
export interface StoreIdentity {
  readonly chainId: number;
  /** Hash of the TransactionInfo of version 0: tells two chains with one id apart. */
  readonly genesisHash: Uint8Array;
}

/** Result of one bounded pruning step. */
export interface PruneStep {
  /** Oldest version after the step. */
  readonly oldestVersion: bigint;
  /** Values and other rows removed. */
  readonly removed: number;
  /** True when the asked-for floor is reached. */
  readonly done: boolean;
}

/** A read view that also knows what the writer needs. */
export interface StoreView extends LedgerView {
  readonly position: Position;
}

/** A versioned store of one ledger. */
export interface Store extends Ledger {
  /** Name of the engine, for the info page. */
  readonly engine: string;
  readonly identity: StoreIdentity | undefined;
  openView(): MaybePromise<StoreView>;
  /** Current nodes of the state tree, in the order asked. Writer only. */
  getTreeNodes(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Rows beside the state, in the order asked. They are never pruned and belong to no version. */
  getSideRows(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Writes rows beside the state, all or none. Keys are at most 128 bytes. */
  putSideRows(rows: readonly SideRow[]): Promise<void>;
  /** Commits a batch atomically. `identity` is given with the first commit only. */
  commit(batch: CommitBatch, identity?: StoreIdentity): Promise<void>;
  /**
   * Writes what the first commit builds on, part by part, into a store that holds no ledger yet. Nobody sees it
   * before the first commit; the same part may be written again. Throws StoreError `order` after the first commit.
   */
  preload(base: BaseBatch): Promise<void>;
  /**
   * Removes what no version at or above `floor` can see, at most about `maxRows` rows, and moves the oldest
   * version and block in the same durable write. `floor` must be the first version of a block.
   */
  prune(floor: bigint, maxRows: number): Promise<PruneStep>;
  close(): Promise<void>;
}
