// A view of the memory engine: its tables and the position at the time it was opened. Later commits only add versions
// above that position, which the view never reads.
import { toMapKey } from "../../base/bytes.ts";
import type { Position } from "../../ledger/position.ts";
import type { Block, HistoryRange, IndexName, OwnedKey, OwnedPage, StateItem } from "../../ledger/view.ts";
import { findBlockAtTime, findBlockByHeight, findBlockByVersion } from "../block-search.ts";
import type { RawRecord, StoreView } from "../contract.ts";
import { assertReadable, collectRecords, hideOldDeletion } from "../read-check.ts";
import { indexAfter, placesUpTo, type Rows } from "./rows.ts";

/** How far each index reaches. */
export type IndexReach = Readonly<Record<IndexName, bigint | undefined>>;

/** A read view on the rows. */
export class MemoryView implements StoreView {
  readonly position: Position;
  readonly #rows: Rows;
  readonly #indexedTo: IndexReach;
  #open = true;

  constructor(position: Position, rows: Rows, indexedTo: IndexReach) {
    this.position = position;
    this.#indexedTo = indexedTo;
    this.#rows = rows;
    rows.views++;
  }

  getItems(keyHashes: readonly Uint8Array[], version: bigint): readonly (StateItem | undefined)[] {
    this.#assertOpen();
    assertReadable(this.position, version);
    return keyHashes.map((keyHash) => {
      const items = this.#rows.items.get(toMapKey(keyHash)) ?? [];
      return hideOldDeletion(items[indexAfter(items, version) - 1], this.position);
    });
  }

  async getHistory(keyHash: Uint8Array, range: HistoryRange): Promise<readonly StateItem[]> {
    this.#assertOpen();
    assertReadable(this.position, range.from);
    assertReadable(this.position, range.to);
    const items = this.#rows.items.get(toMapKey(keyHash)) ?? [];
    const start = indexAfter(items, range.from - 1n);
    return items.slice(start, Math.min(indexAfter(items, range.to), start + range.limit));
  }

  getOwnedKeys(owner: Uint8Array, { version, after, limit }: OwnedPage): readonly OwnedKey[] {
    this.#assertOpen();
    assertReadable(this.position, version);
    const keys = this.#rows.index.get(toMapKey(owner)) ?? [];
    const start = after === undefined ? 0 : placesUpTo(keys, after);
    return keys.slice(start, start + limit);
  }

  getIndexedTo(index: IndexName = "items"): bigint | undefined {
    this.#assertOpen();
    return this.#indexedTo[index];
  }

  async getBlockByHeight(height: bigint): Promise<Block | undefined> {
    this.#assertOpen();
    return findBlockByHeight((at) => this.#rows.blocks.get(at), this.position, height);
  }

  async getBlockByVersion(version: bigint): Promise<Block | undefined> {
    this.#assertOpen();
    return findBlockByVersion((at) => this.#rows.blocks.get(at), this.position, version);
  }

  async getBlockAtTime(timestampUsec: bigint): Promise<Block | undefined> {
    this.#assertOpen();
    return findBlockAtTime((at) => this.#rows.blocks.get(at), this.position, timestampUsec);
  }

  async getRecords(start: bigint, limit: number, maxBytes: number): Promise<readonly RawRecord[]> {
    this.#assertOpen();
    const read = (version: bigint): Uint8Array | undefined => this.#rows.records.get(version)?.bytes;
    return collectRecords(read, this.position, start, limit, maxBytes);
  }

  release(): void {
    this.#assertOpen();
    this.#open = false;
    this.#rows.views--;
  }

  #assertOpen(): void {
    if (!this.#open) throw new Error("the view was released");
  }
}
