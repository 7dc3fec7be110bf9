// The read view: a snapshot of the ledger. Every operation reads through this interface and does not know where the
// bytes are kept. Reads that need no I/O return at once instead of a promise.
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { KeyTrace } from "./key-trace.ts";
import { type TrustFacts, type TrustLevel, trustAt, weakestTrust } from "./trust.ts";

/** Head and range of the ledger. The state at version V is the state after transaction V. */
export interface LedgerPosition extends TrustFacts {
  /** The network and the version that the ledger forks; only views of a fork have it. */
  readonly fork?: ForkPoint | undefined;
  readonly chainId: number;
  /** Latest version. */
  readonly version: bigint;
  /** Time of the latest block, in microseconds. */
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
  readonly blockHeight: bigint;
  /** Oldest readable version. */
  readonly oldestVersion: bigint;
  readonly oldestBlockHeight: bigint;
}

/** Where a fork leaves its network: the state up to the version is the network's, later versions are made here. */
export interface ForkPoint {
  readonly version: bigint;
  /** Base URL of the node that serves the network's state. */
  readonly url: string;
}

/** The sentence that labels the answers of a fork. */
export function formatFork({ version, url }: ForkPoint): string {
  return `forked at ${version} from ${url}`;
}

/** One state item at some version. */
export interface StateItem {
  /** The version that wrote it. */
  readonly version: bigint;
  /** BCS of the StateValue; undefined when that version deleted the item. */
  readonly value: Uint8Array | undefined;
}

/** One record: transaction, info, events, accumulator root and changes, in BCS. */
export interface StoredRecord {
  readonly version: bigint;
  readonly bytes: Uint8Array;
  /** A hash over the history up to the record, where the bytes have zeros for the accumulator root: on a fork. */
  readonly historyHash?: Uint8Array;
}

/** An item in the index of its owner. */
export interface OwnedKey {
  /** 32 bytes; the items of an owner are in this order. */
  readonly place: Uint8Array;
  /** What else the reader needs to know the item, see indexes/owned-keys.ts. */
  readonly data: Uint8Array;
}

/** An index: of the items of addresses and tables, which is meant where none is named, or of transactions. */
export type IndexName = "items" | "transactions";

/** A part of an owner's index. */
export interface OwnedPage {
  /** The version at which the items will be read. */
  readonly version: bigint;
  /** Only places after this one. */
  readonly after: Uint8Array | undefined;
  readonly limit: number;
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
 * A snapshot of the ledger. Reads check their version against the view's position and use the same snapshot, so a
 * concurrent pruner or commit cannot make them wrong. Returned byte arrays are valid until `release`.
 */
export interface LedgerView {
  readonly position: LedgerPosition;
  /** Records the keys of the hashes given to `getItems`; only a view that asks other nodes has one. */
  readonly keyTrace?: KeyTrace;
  /** The weakest level of the items that this view fetched from other nodes; undefined if it fetched none. */
  readonly fetchedTrust?: () => TrustLevel | undefined;
  /** The nodes that items of a version were fetched from; undefined where they were not. */
  readonly originOf?: (version: bigint) => string | undefined;
  /**
   * The items at a version, by state key hash; undefined for a key never written, or deleted before the oldest kept
   * version. Throws LedgerError `version_not_found` or `version_pruned`.
   */
  getItems(
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): MaybePromise<readonly (StateItem | undefined)[]>;
  /**
   * The writes of one key with `from <= version <= to`, oldest first, at most `limit`. Throws like `getItems` if either
   * end is outside the kept range.
   */
  getHistory(keyHash: Uint8Array, range: HistoryRange): Promise<readonly StateItem[]>;
  /**
   * The indexed items of an owner in the order of their places: every item that exists at the version, and others that do
   * not. Throws like `getItems`. Says nothing about items that are not indexed: see `getIndexedTo`.
   */
  getOwnedKeys(owner: Uint8Array, page: OwnedPage): MaybePromise<readonly OwnedKey[]>;
  /**
   * The index of items has every item of the versions up to this one, that of transactions every kept transaction; undefined
   * if there is no such index.
   */
  getIndexedTo(index?: IndexName): MaybePromise<bigint | undefined>;
  getBlockByHeight(height: bigint): Promise<Block | undefined>;
  /** The block that contains the version. */
  getBlockByVersion(version: bigint): Promise<Block | undefined>;
  /** The last block whose time is at or before the given one. */
  getBlockAtTime(timestampUsec: bigint): Promise<Block | undefined>;
  /**
   * Records from `start` on: at most `limit`, and about `maxBytes` at most, but always at least one. Throws like
   * `getItems`.
   */
  getRecords(start: bigint, limit: number, maxBytes: number): Promise<readonly StoredRecord[]>;
  /** Releases the snapshot. Call it exactly once and soon. */
  release(): void;
}

export interface HistoryRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly limit: number;
}

/** Opens views. Throws LedgerError `no_ledger` while nothing is committed. */
export interface Ledger {
  openView(): MaybePromise<LedgerView>;
  /** Another number after each write that a view would show; undefined where only a view can tell. */
  lastWrite?(): bigint | undefined;
}

/**
 * The view's position if everything read at it stays as it is: a store hands out the same object until something is
 * written. Undefined for a view that fetches items, because what an answer rests on depends on each of them, and for a
 * refuted ledger.
 */
export function fixedPosition({
  position,
  keyTrace,
  fetchedTrust,
}: Pick<LedgerView, "position" | "keyTrace" | "fetchedTrust">): LedgerPosition | undefined {
  const isFixed = keyTrace === undefined && fetchedTrust === undefined && position.refuted === undefined;
  return isFixed ? position : undefined;
}

/** The level of an answer that was read from a view at a version: also the weakest of every item fetched for it. */
export function trustOfAnswer(view: LedgerView, version: bigint): TrustLevel {
  const level = trustAt(view.position.trust, version);
  const fetched = view.fetchedTrust?.();
  return fetched === undefined ? level : weakestTrust(level, fetched);
}

/** Reads from a view and releases it. Stored bytes must be copied to outlive it. */
export async function withView<View extends Pick<LedgerView, "release">, T>(
  opening: MaybePromise<View>,
  read: (view: View) => MaybePromise<T>,
): Promise<T> {
  const view = await opening;
  try {
    return await read(view);
  } finally {
    view.release();
  }
}
