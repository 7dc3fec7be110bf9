// The contract of every store engine. Async and batch-first; no cursor outlives a call or crosses keys, so that a
// wide-column cluster can implement it: one partition per key hash, clustered by version, and a watermark that readers
// never read beyond.
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Position } from "../ledger/position.ts";
import type { TrustFacts } from "../ledger/trust.ts";
import type { Ledger, LedgerView, OwnedKey, StoredRecord } from "../ledger/view.ts";

/** One state write. */
export interface StateWrite {
  readonly keyHash: Uint8Array;
  readonly version: bigint;
  /** BCS of the StateValue; undefined deletes. */
  readonly value: Uint8Array | undefined;
  /** BCS of the state key, where it is known. Engines do not store it; the index is made from it. */
  readonly key?: Uint8Array | undefined;
}

/**
 * A row of the index: an item of an owner. A write of the item gives the row, and engines keep it until the item is deleted
 * and that deletion is pruned. Rows of items that never existed do no harm: readers look up every item.
 */
export interface IndexRow extends OwnedKey {
  /** 33 bytes: the kind of row and the owner's address or table handle. */
  readonly owner: Uint8Array;
  /** The item. */
  readonly keyHash: Uint8Array;
  readonly version: bigint;
  /** True if the write at this version deletes the item. */
  readonly isDeletion: boolean;
}

/** A block that starts inside the batch. Its last version follows from the next block or the head. */
export interface BlockStart {
  readonly height: bigint;
  readonly firstVersion: bigint;
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
}

/** One record as received. */
export type RawRecord = StoredRecord;

/** A change of the state tree's table; undefined removes the node. */
export interface TreeNodeWrite {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** A row outside the versioned state, opaque to the store; undefined removes it. */
export interface SideRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** A change that adds no version. */
export interface SideChange {
  /** Keys are at most 128 bytes. */
  readonly sideRows: readonly SideRow[];
  /** Rows of committed versions to add. */
  readonly index?: readonly IndexRow[] | undefined;
  /** Replaces the trust of the position. */
  readonly trust?: TrustFacts | undefined;
}

/** Consecutive versions with all their data. Written atomically. */
export interface CommitBatch {
  /** Latest version before this batch; undefined for the first commit of an empty store. */
  readonly previous: bigint | undefined;
  /** Position after the batch. The store ignores its oldest version and block and keeps its own. */
  readonly position: Position;
  /** Ordered by version; at most one write per key and version. */
  readonly writes: readonly StateWrite[];
  readonly blocks: readonly BlockStart[];
  readonly records: readonly RawRecord[];
  readonly treeNodes: readonly TreeNodeWrite[];
  /** Rows of the writes, in their order, without those that are stored already; undefined if this commit is not indexed. */
  readonly index?: readonly IndexRow[] | undefined;
  /** Written in the same transaction. */
  readonly sideRows?: readonly SideRow[];
}

/** A part of the state below the first version of a ledger that does not start at version 0. */
export interface BaseBatch {
  /** Values of versions before the first one: at most one per key, no deletions. */
  readonly writes: readonly StateWrite[];
  /** Nodes of the state tree that the first commit builds on. */
  readonly treeNodes: readonly TreeNodeWrite[];
  readonly index?: readonly IndexRow[] | undefined;
  readonly sideRows?: readonly SideRow[];
}

/** Whole blocks to remove from the head. Written atomically. */
export interface RewindBatch {
  /** Latest version before this batch. */
  readonly previous: bigint;
  /** Position to return to: the end of a kept block. The store ignores its oldest version and block and keeps its own. */
  readonly position: Position;
  /** Every key that was written above the position's version, once. */
  readonly keyHashes: readonly Uint8Array[];
  /**
   * Index rows of the items among them that do not exist at the position. Engines may keep these, and keep the row of an
   * item that is still stored: a deletion that only waits to be pruned.
   */
  readonly index: readonly Pick<IndexRow, "owner" | "place" | "keyHash">[];
  /** Changes that bring the state tree back. */
  readonly treeNodes: readonly TreeNodeWrite[];
  readonly sideRows: readonly SideRow[];
}

/** The chain of a store; fixed by its first commit. */
export interface StoreIdentity {
  readonly chainId: number;
  /** Hash of the TransactionInfo of version 0: distinguishes chains with the same id. */
  readonly genesisHash: Uint8Array;
}

/** Result of one bounded pruning step. */
export interface PruneStep {
  /** Oldest version after the step. */
  readonly oldestVersion: bigint;
  /** Values and other rows removed. */
  readonly removed: number;
  /** True when the requested floor is reached. */
  readonly done: boolean;
}

/** A read view with the full position, which the writer needs. */
export interface StoreView extends LedgerView {
  readonly position: Position;
}

/** A copy of everything in a store, as its engine keeps it. */
export interface StoreCopy {
  readonly position: Position;
  /** About what it takes beside the store and the copy before it. */
  readonly bytes: number;
}

/** Copies of a whole store, for engines that can make them at once. */
export interface StoreCopies {
  take(): StoreCopy;
  /**
   * Replaces the content of the store by a copy of it, any number of times. Views opened before keep what they see. Only
   * while nothing else writes.
   */
  restore(copy: StoreCopy): void;
}

/** A versioned store of one ledger. */
export interface Store extends Ledger {
  /** Name of the engine, for the info page. */
  readonly engine: string;
  readonly identity: StoreIdentity | undefined;
  openView(): MaybePromise<StoreView>;
  /** A view that also reads refuted versions and shows no refutation: to check and remove them, never to serve them. */
  openRawView(): MaybePromise<StoreView>;
  /** Current nodes of the state tree, in the order of `keys`. */
  getTreeNodes(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Side rows, in the order of `keys`. They are never pruned and belong to no version. */
  getSideRows(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Writes a change that adds no version, atomically. Throws LedgerError `no_ledger` for trust without a ledger. */
  writeSide(change: SideChange): Promise<void>;
  /** Commits a batch atomically. Pass `identity` with the first commit only. */
  commit(batch: CommitBatch, identity?: StoreIdentity): Promise<void>;
  /**
   * Writes the state below the first commit, part by part, into an empty store. Invisible until the first commit; a
   * part may be written again. Throws StoreError `order` after the first commit.
   */
  preload(base: BaseBatch): Promise<void>;
  /**
   * Removes rows invisible at or above `floor`, about `maxRows` at most, and moves the oldest version and block in the
   * same durable write, to the floor or as far as it removes rows. `floor` must be the first version of a block.
   */
  prune(floor: bigint, maxRows: number): Promise<PruneStep>;
  /**
   * Removes everything above an earlier position, which may then be committed again with other content. Views opened
   * before keep what they see. Throws StoreError `order` unless the position ends a kept block below the head.
   */
  rewind(batch: RewindBatch): Promise<void>;
  /** Undefined for engines that keep the ledger outside of the process. */
  readonly copies?: StoreCopies;
  close(): Promise<void>;
}

/** The lease of one process on one store. */
export interface WriterLease {
  /** Time to live, counted from the call of `acquire` or `renew`. */
  readonly ttlMs: number;
  /** The fencing token of this process; undefined without the lease. */
  readonly token: bigint | undefined;
  /** Tries once. Returns the token, or undefined while another process holds the lease. Rejects when the store cannot tell. */
  acquire(): Promise<bigint | undefined>;
  /** Extends the lease. Rejects with StoreError `locked` and drops the token if another process took the lease. */
  renew(): Promise<void>;
  /** Gives up the lease, so that the next writer need not wait for its expiry. */
  release(): Promise<void>;
}

/** A store shared by many processes: reads always work, writes reject with StoreError `locked` without the lease. */
export interface SharedStore extends Store {
  readonly lease: WriterLease;
}
