// The read view: the ledger as of one moment. Everything that answers a user reads through this face and
// knows nothing of where the bytes are kept. What is near is given at once, so a caller that waits for nothing else
// need not wait at all.
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { KeyTrace } from "./key-trace.ts";

/** Where the ledger stands. State at version V is the state after transaction V. */
export interface LedgerPosition {
  readonly chainId: number;
  /** Latest version. */
  readonly version: bigint;
  /** Time of the latest block, in microseconds. */
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
  readonly blockHeight: bigint;
  /** Oldest version whose state can be read. */
  readonly oldestVersion: bigint;
  readonly oldestBlockHeight: bigint;
}

/** One stored state item as some version sees it. */
export interface StateItem {
  /** The version that wrote it. */
  readonly version: bigint;
  /** BCS of the StateValue; undefined when that version deleted the item. */
  readonly value: Uint8Array | undefined;
}

/** One record as it arrived: transaction, info, events, accumulator root and changes, in BCS. */
export interface StoredRecord {
  readonly version: bigint;
  readonly bytes: Uint8Array;
}

/** One block of the index. */
export interface Block {
  readonly height: bigint;
  readonly firstVersion: bigint;
  readonly lastVersion: bigint;
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
}

/**
 * The ledger as of one moment. Reads check their version against this view's own position and read in the
 * same snapshot, so a pruner or a commit that runs meanwhile cannot make them wrong. Byte arrays handed out
 * are valid until `release`.
 */
export interface LedgerView {
  readonly position: LedgerPosition;
  /** Where keys are to be noted whose hashes `getItems` gets; only a view that asks other nodes has one. */
  readonly keyTrace?: KeyTrace;
  /**
   * The items that the given version sees, by state key hash: undefined where the key was never written
   * (or its deletion is older than anything kept). Throws LedgerError `version_not_found` or
   * `version_pruned`.
   */
  getItems(
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): MaybePromise<readonly (StateItem | undefined)[]>;
  /**
   * The writes of one key with `from <= version <= to`, oldest first, at most `limit`. Throws as `getItems`
   * for either end outside the kept range.
   */
  getHistory(keyHash: Uint8Array, range: HistoryRange): Promise<readonly StateItem[]>;
  getBlockByHeight(height: bigint): Promise<Block | undefined>;
  /** The block that holds the version. */
  getBlockByVersion(version: bigint): Promise<Block | undefined>;
  /** The last block whose time is at or before the given one. */
  getBlockAtTime(timestampUsec: bigint): Promise<Block | undefined>;
  /**
   * Records from `start` on, at most `limit`, and at most about `maxBytes` (always at least one). Throws as
   * `getItems`.
   */
  getRecords(start: bigint, limit: number, maxBytes: number): Promise<readonly StoredRecord[]>;
  /** Gives the snapshot back. Must be called once; a view is short-lived. */
  release(): void;
}

export interface HistoryRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly limit: number;
}

/** Something that can be read: opens views. Throws LedgerError `no_ledger` while nothing is committed. */
export interface Ledger {
  openView(): MaybePromise<LedgerView>;
}
