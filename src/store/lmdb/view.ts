// A view of the LMDB engine: one read transaction, with the position read inside it.
import { numberKey } from "../../base/bytes.ts";
import type { Position } from "../../ledger/position.ts";
import type { Block, HistoryRange, IndexName, OwnedKey, OwnedPage, StateItem } from "../../ledger/view.ts";
import { findBlockAtTime, findBlockByHeight, findBlockByVersion } from "../block-search.ts";
import type { BlockStart, RawRecord, StoreView } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { INDEX_REACH_KEYS, readIndexReach } from "../index-reach.ts";
import { assertReadable, collectRecords, hideOldDeletion } from "../read-check.ts";
import { listIndexRows } from "./index-rows.ts";
import type { FastTable } from "./native.ts";
import { isDifference, type NewerRow, openOlder } from "./older-values.ts";
import { decodeBlock } from "./position-row.ts";
import { groupsFrom, type RecordGroup, recordIn } from "./record-groups.ts";
import { checkedBytes, getRow } from "./sealed-rows.ts";
import type { Snapshot, SnapshotSource } from "./snapshot.ts";
import { ITEM_KEY_BYTES, NEWEST_HEAD_BYTES, readVersion, type Tables, writeOlderKey } from "./tables.ts";

/** Shared by all views of a store. */
export interface ViewSource extends SnapshotSource {
  readonly tables: Tables;
  readonly items: FastTable;
  readonly blocks: FastTable;
}

/** Row key of a newest value; lmdb copies it in each call, so all reads share one buffer. */
const latestKey = Buffer.alloc(ITEM_KEY_BYTES);
/** Row key of an older value. */
const foundKey = Buffer.alloc(ITEM_KEY_BYTES);

/** A read view on one transaction. */
export class LmdbView implements StoreView {
  readonly position: Position;
  readonly #source: ViewSource;
  readonly #snapshot: Snapshot;
  #open = true;

  constructor(source: ViewSource, snapshot: Snapshot, position: Position = snapshot.position) {
    this.#source = source;
    this.#snapshot = snapshot;
    this.position = position;
    snapshot.use();
  }

  getItems(keyHashes: readonly Uint8Array[], version: bigint): readonly (StateItem | undefined)[] {
    this.#assertOpen();
    assertReadable(this.position, version);
    const items: (StateItem | undefined)[] = [];
    for (const keyHash of keyHashes)
      items.push(hideOldDeletion(this.#findItem(keyHash, version), this.position));
    return items;
  }

  async getHistory(keyHash: Uint8Array, range: HistoryRange): Promise<readonly StateItem[]> {
    this.#assertOpen();
    assertReadable(this.position, range.from);
    assertReadable(this.position, range.to);
    if (range.from > range.to || range.limit < 1) return [];
    const items: StateItem[] = [];
    const { items: table, seeker } = this.#source;
    latestKey.set(keyHash);
    const row = table.getBinaryFast(latestKey, this.#snapshot.options);
    if (row === undefined) return items;
    const latest = readVersion(row);
    if (latest < range.from) return items;
    for (let from = range.from; items.length < range.limit; ) {
      const found = seeker.findVersion(this.#snapshot.cursor, keyHash, from, "after");
      if (found === undefined || found > range.to) break;
      items.push(this.#openFound(keyHash, found, latest, row));
      from = found + 1n;
    }
    if (items.length === range.limit) return items;
    const newest = this.#findItem(keyHash, this.position.version);
    const fits = newest !== undefined && newest.version >= range.from && newest.version <= range.to;
    if (fits) items.push(newest);
    return items;
  }

  getOwnedKeys(owner: Uint8Array, page: OwnedPage): readonly OwnedKey[] {
    this.#assertOpen();
    assertReadable(this.position, page.version);
    return listIndexRows(this.#source.tables.index, owner, page, this.#snapshot.options);
  }

  getIndexedTo(index: IndexName = "items"): bigint | undefined {
    this.#assertOpen();
    const { side } = this.#source.tables;
    return readIndexReach(getRow(side, INDEX_REACH_KEYS[index], this.#snapshot.options));
  }

  async getBlockByHeight(height: bigint): Promise<Block | undefined> {
    this.#assertOpen();
    return findBlockByHeight((at) => this.#readBlock(at), this.position, height);
  }

  async getBlockByVersion(version: bigint): Promise<Block | undefined> {
    this.#assertOpen();
    return findBlockByVersion((at) => this.#readBlock(at), this.position, version);
  }

  async getBlockAtTime(timestampUsec: bigint): Promise<Block | undefined> {
    this.#assertOpen();
    return findBlockAtTime((at) => this.#readBlock(at), this.position, timestampUsec);
  }

  async getRecords(start: bigint, limit: number, maxBytes: number): Promise<readonly RawRecord[]> {
    this.#assertOpen();
    const groups = groupsFrom(this.#source.tables.records, start, this.#snapshot.options);
    let group: RecordGroup | undefined;
    const read = (version: bigint): Uint8Array | undefined => {
      if (group === undefined || version > group.last) group = groups.next().value ?? undefined;
      return recordIn(group, version);
    };
    try {
      return collectRecords(read, this.position, start, limit, maxBytes);
    } finally {
      groups.return(undefined);
    }
  }

  release(): void {
    this.#assertOpen();
    this.#open = false;
    this.#snapshot.release();
  }

  #findItem(keyHash: Uint8Array, version: bigint): StateItem | undefined {
    const { items } = this.#source;
    latestKey.set(keyHash);
    const row = items.getBinaryFast(latestKey, this.#snapshot.options);
    if (row === undefined) return undefined;
    const end = checkedBytes(latestKey, row, items.lastSize);
    const latest = readVersion(row);
    if (latest <= version) return toItem(latest, copyBytes(row, Math.min(end, NEWEST_HEAD_BYTES), end));
    return this.#findOlder(keyHash, version, latest, row);
  }

  #findOlder(
    keyHash: Uint8Array,
    version: bigint,
    latest: bigint,
    fastBuffer: Uint8Array,
  ): StateItem | undefined {
    const found = this.#source.seeker.findVersion(this.#snapshot.cursor, keyHash, version);
    return found === undefined ? undefined : this.#openFound(keyHash, found, latest, fastBuffer);
  }

  /** The older value that the seeker found. */
  #openFound(keyHash: Uint8Array, found: bigint, latest: bigint, fastBuffer: Uint8Array): StateItem {
    const content = this.#readFound(keyHash, found, fastBuffer);
    if (!isDifference(content)) {
      return toItem(found, copyBytes(content, Math.min(1, content.length), content.length));
    }
    return toItem(
      found,
      openOlder(found, content, (newer) => this.#readNewer(keyHash, newer, latest, fastBuffer)),
    );
  }

  #readNewer(
    keyHash: Uint8Array,
    version: bigint,
    latest: bigint,
    fastBuffer: Uint8Array,
  ): NewerRow | undefined {
    if (version === latest) {
      latestKey.set(keyHash);
      const content = this.#readRow(latestKey);
      return content && { isNewest: true, content };
    }
    const found = this.#source.seeker.findVersion(this.#snapshot.cursor, keyHash, version);
    if (found !== version) return undefined;
    return { isNewest: false, content: this.#readFound(keyHash, found, fastBuffer) };
  }

  /** The content of the row that the seeker found, until the next read. */
  #readFound(keyHash: Uint8Array, found: bigint, fastBuffer: Uint8Array): Uint8Array {
    const { seeker, tables } = this.#source;
    writeOlderKey(foundKey, keyHash, found);
    const size = seeker.valueSize(fastBuffer);
    if (size !== undefined) {
      const end = checkedBytes(foundKey, fastBuffer, size);
      return new Uint8Array(fastBuffer.buffer, fastBuffer.byteOffset, end);
    }
    const content = getRow(tables.items, foundKey, this.#snapshot.options);
    if (content === undefined)
      throw new StoreError("corrupt", `version ${found} of a key is listed but missing`);
    return content;
  }

  /** The content of a row, until the next read. */
  readonly #readRow = (key: Uint8Array, table = this.#source.items): Uint8Array | undefined => {
    const row = table.getBinaryFast(key, this.#snapshot.options);
    return row && new Uint8Array(row.buffer, row.byteOffset, checkedBytes(key, row, table.lastSize));
  };

  #readBlock(height: bigint): BlockStart | undefined {
    const row = this.#readRow(numberKey(height), this.#source.blocks);
    return row === undefined ? undefined : decodeBlock(height, row);
  }

  #assertOpen(): void {
    if (!this.#open || this.#snapshot.hasEnded) throw new Error("the view was released");
  }
}

function toItem(version: bigint, value: Uint8Array): StateItem {
  return { version, value: value.length === 0 ? undefined : value };
}

/** lmdb's shared buffer reports a wrong length, so this copies by explicit offsets. */
export function copyBytes(source: Uint8Array, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start);
  copy.set(new Uint8Array(source.buffer, source.byteOffset + start, end - start));
  return copy;
}
