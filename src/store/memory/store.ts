// The memory engine: for tests, for short-lived local chains, and as the model that tests compare other engines with.
import { toMapKey } from "../../base/bytes.ts";
import { storedTransactionRows } from "../../ledger/indexes/transaction-rows.ts";
import type { Position } from "../../ledger/position.ts";
import type { Block, HistoryRange, IndexName, OwnedKey, OwnedPage, StateItem } from "../../ledger/view.ts";
import { findBlockAtTime, findBlockByHeight, findBlockByVersion } from "../block-search.ts";
import {
  assertFollows,
  assertIdentity,
  assertRewinds,
  findOldest,
  toRewoundPosition,
  toStoredPosition,
} from "../commit-check.ts";
import type {
  BaseBatch,
  CommitBatch,
  IndexRow,
  PruneStep,
  RawRecord,
  RewindBatch,
  SideChange,
  SideRow,
  Store,
  StoreCopies,
  StoreCopy,
  StoreIdentity,
  StoreView,
} from "../contract.ts";
import { StoreError } from "../errors.ts";
import { INDEX_REACH_KEYS, readIndexReach } from "../index-reach.ts";
import {
  assertReadable,
  collectRecords,
  hideOldDeletion,
  requireLedger,
  withoutRefutation,
} from "../read-check.ts";
import {
  addOwned,
  copyRows,
  createRows,
  type DeletedRow,
  forkRows,
  indexAfter,
  placesUpTo,
  type Rows,
  removeOwned,
  type StaleRow,
} from "./rows.ts";

/** How far each index reaches. */
type IndexReach = Readonly<Record<IndexName, bigint | undefined>>;

/** A read view on the rows. */
class MemoryView implements StoreView {
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

/** An empty store in memory. */
export function createMemoryStore(): Store {
  return new MemoryStore();
}

/** Of a row in the tables of a copy, besides its value. */
const ROW_BYTES = 64;

/** The content of a store. */
interface Content extends StoreCopy {
  readonly identity: StoreIdentity;
  readonly rows: Rows;
  readonly treeNodes: ReadonlyMap<string, Uint8Array>;
  readonly sideRows: ReadonlyMap<string, Uint8Array>;
  readonly stale: readonly StaleRow[];
  readonly deleted: readonly DeletedRow[];
}

class MemoryStore implements Store {
  readonly engine = "memory";
  readonly copies: StoreCopies = {
    take: () => this.#copy(),
    restore: (copy) => this.#restore(copy as Content),
  };
  identity: StoreIdentity | undefined;
  #position: Position | undefined;
  #rows: Rows = createRows();
  #treeNodes = new Map<string, Uint8Array>();
  #sideRows = new Map<string, Uint8Array>();
  #stale: StaleRow[] = [];
  #deleted: DeletedRow[] = [];
  /** Written since the last copy was taken or put back. */
  #newBytes = 0;

  openView(): StoreView {
    return this.#viewAt(requireLedger(this.#position));
  }

  openRawView(): StoreView {
    return this.#viewAt(withoutRefutation(requireLedger(this.#position)));
  }

  #viewAt(position: Position): StoreView {
    return new MemoryView(position, this.#rows, {
      items: this.#reachOf("items"),
      transactions: this.#reachOf("transactions"),
    });
  }

  #reachOf(index: IndexName): bigint | undefined {
    return readIndexReach(this.#sideRows.get(toMapKey(INDEX_REACH_KEYS[index])));
  }

  async getTreeNodes(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return keys.map((key) => this.#treeNodes.get(toMapKey(key)));
  }

  async getSideRows(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return keys.map((key) => this.#sideRows.get(toMapKey(key)));
  }

  async writeSide({ sideRows, index = [], trust: facts }: SideChange): Promise<void> {
    if (facts !== undefined) {
      const { trust, refuted } = facts;
      this.#position = { ...requireLedger(this.#position), trust, refuted };
    }
    this.#putIndex(index);
    this.#put(this.#sideRows, sideRows);
  }

  async commit(batch: CommitBatch, identity?: StoreIdentity): Promise<void> {
    assertFollows(batch, this.#position);
    const chain = assertIdentity(batch, this.identity, identity);
    const added = this.#collectWrites(batch);

    for (const [key, items] of added) {
      const known = this.#rows.items.get(key);
      if (known === undefined) this.#rows.items.set(key, items);
      else known.push(...items);
    }
    for (const block of batch.blocks) this.#rows.blocks.set(block.height, block);
    for (const { version, bytes } of batch.records) {
      this.#newBytes += bytes.length;
      this.#rows.records.set(version, { version, bytes: new Uint8Array(bytes) });
    }
    this.#put(this.#treeNodes, batch.treeNodes);
    if (batch.index !== undefined) this.#putIndex(batch.index);
    this.#put(this.#sideRows, batch.sideRows);
    this.identity = chain;
    this.#position = toStoredPosition(batch, this.#position);
  }

  async preload(base: BaseBatch): Promise<void> {
    if (this.#position !== undefined) throw new StoreError("order", "the store already holds a ledger");
    for (const { keyHash, version, value } of base.writes) {
      if (value === undefined) continue;
      this.#rows.items.set(toMapKey(keyHash), [{ version, value: new Uint8Array(value) }]);
    }
    this.#put(this.#treeNodes, base.treeNodes);
    if (base.index !== undefined) this.#putIndex(base.index);
    this.#put(this.#sideRows, base.sideRows);
  }

  async prune(floor: bigint, maxRows: number): Promise<PruneStep> {
    const position = requireLedger(this.#position);
    const oldest = findOldest((height) => this.#rows.blocks.get(height), position, floor);
    const target = oldest.firstVersion;
    if (this.#rows.views > 0) this.#rows = copyRows(this.#rows);
    const rows = this.#rows;

    let count = 0;
    while (count < maxRows && (this.#stale[count]?.since ?? target) < target) count++;
    const stale = this.#stale.splice(0, count);
    removeItems(rows, stale);

    let removed = count;
    const next = this.#stale[0]?.since ?? target;
    const finished = next >= target;
    this.#pruneIndex(finished ? target : next);
    removed += removeBelow(rows.records, target, maxRows - removed, ({ version, bytes }) => {
      for (const { owner, place } of storedTransactionRows(version, bytes)) removeOwned(rows, owner, place);
    });
    removed += removeBelow(rows.blocks, oldest.height, maxRows - removed);
    this.#position = { ...position, oldestVersion: target, oldestBlockHeight: oldest.height };
    const done = finished && removed < maxRows;
    return { oldestVersion: target, removed, done };
  }

  async rewind(batch: RewindBatch): Promise<void> {
    const head = requireLedger(this.#position);
    assertRewinds(batch, head, this.#rows.blocks.get(batch.position.blockHeight + 1n));
    const { version, blockHeight } = batch.position;
    if (this.#rows.views > 0) this.#rows = copyRows(this.#rows);
    const { items, blocks, records } = this.#rows;
    // Commits append to the lists, and may now append versions that open views can see.
    for (const [key, known] of items) items.set(key, [...known]);
    for (const key of batch.keyHashes.map(toMapKey)) {
      const known = items.get(key) ?? [];
      const kept = known.slice(0, indexAfter(known, version));
      if (kept.length === 0) items.delete(key);
      else items.set(key, kept);
    }
    for (const at of [...blocks.keys()]) if (at > blockHeight) blocks.delete(at);
    for (const at of [...records.keys()]) if (at > version) records.delete(at);
    this.#stale = this.#stale.filter(({ since }) => since <= version);
    this.#deleted = this.#deleted.filter(({ since }) => since <= version);
    for (const { owner, place, keyHash } of batch.index) {
      if (!items.has(toMapKey(keyHash))) removeOwned(this.#rows, owner, place);
    }
    this.#put(this.#treeNodes, batch.treeNodes);
    this.#put(this.#sideRows, batch.sideRows);
    this.#position = toRewoundPosition(batch, head);
  }

  async close(): Promise<void> {}

  #copy(): Content {
    const { items, blocks, records, index } = this.#rows;
    const tables = [items, blocks, records, index, this.#treeNodes, this.#sideRows];
    const rows = tables.reduce((sum, { size }) => sum + size, this.#stale.length);
    const bytes = this.#newBytes + rows * ROW_BYTES;
    this.#newBytes = 0;
    return {
      bytes,
      position: requireLedger(this.#position),
      identity: requireLedger(this.identity),
      rows: forkRows(this.#rows),
      treeNodes: new Map(this.#treeNodes),
      sideRows: new Map(this.#sideRows),
      stale: [...this.#stale],
      deleted: [...this.#deleted],
    };
  }

  #restore(content: Content): void {
    this.#newBytes = 0;
    this.identity = content.identity;
    // Readers tell two futures of one position by the identity of its trust.
    this.#position = { ...content.position, trust: [...content.position.trust] };
    this.#rows = forkRows(content.rows);
    this.#treeNodes = new Map(content.treeNodes);
    this.#sideRows = new Map(content.sideRows);
    this.#stale = [...content.stale];
    this.#deleted = [...content.deleted];
  }

  #put(table: Map<string, Uint8Array>, rows: readonly SideRow[] = []): void {
    for (const { key, value } of rows) {
      this.#newBytes += value?.length ?? 0;
      if (value === undefined) table.delete(toMapKey(key));
      else table.set(toMapKey(key), new Uint8Array(value));
    }
  }

  #putIndex(rows: readonly IndexRow[]): void {
    for (const { owner, place, data, keyHash, version, isDeletion } of rows) {
      addOwned(this.#rows, owner, { place, data });
      if (!isDeletion) continue;
      // Copied: a caller may reuse its bytes.
      const row = { since: version, key: toMapKey(keyHash) };
      this.#deleted.push({ ...row, owner: new Uint8Array(owner), place: new Uint8Array(place) });
    }
  }

  /** Removes index rows of items that were deleted below a version and are gone. */
  #pruneIndex(below: bigint): void {
    const gone = this.#deleted.filter(({ since }) => since < below);
    this.#deleted = this.#deleted.filter(({ since }) => since >= below);
    for (const { key, owner, place } of gone) {
      // An item that was created again keeps its row.
      if (!this.#rows.items.has(key)) removeOwned(this.#rows, owner, place);
    }
  }

  /** The batch's writes by key. Checks all of them before anything changes. */
  #collectWrites(batch: CommitBatch): Map<string, StateItem[]> {
    const added = new Map<string, StateItem[]>();
    const stale: StaleRow[] = [];
    for (const { keyHash, version, value } of batch.writes) {
      const key = toMapKey(keyHash);
      const items = added.get(key) ?? [];
      added.set(key, items);
      const last = items.at(-1) ?? this.#rows.items.get(key)?.at(-1);
      if (last?.version === version) {
        throw new StoreError("order", `two writes of one key at version ${version}`);
      }
      if (last !== undefined) stale.push({ since: version, key, version: last.version });
      if (value === undefined) stale.push({ since: version, key, version });
      this.#newBytes += value?.length ?? 0;
      items.push({ version, value: value === undefined ? undefined : new Uint8Array(value) });
    }
    for (const row of stale) this.#stale.push(row);
    return added;
  }
}

function removeItems(rows: Rows, stale: readonly StaleRow[]): void {
  const removedVersions = new Map<string, Set<bigint>>();
  for (const { key, version } of stale) {
    const versions = removedVersions.get(key) ?? new Set();
    removedVersions.set(key, versions.add(version));
  }
  for (const [key, versions] of removedVersions) {
    const kept = (rows.items.get(key) ?? []).filter((item) => !versions.has(item.version));
    if (kept.length === 0) rows.items.delete(key);
    else rows.items.set(key, kept);
  }
}

/** Tables are filled in order, so the rows below the floor come first. */
function removeBelow<T>(
  table: Map<bigint, T>,
  floor: bigint,
  limit: number,
  onRemove: (row: T) => void = () => {},
): number {
  let removed = 0;
  for (const [key, row] of table) {
    if (key >= floor || removed >= limit) break;
    onRemove(row);
    table.delete(key);
    removed++;
  }
  return removed;
}
