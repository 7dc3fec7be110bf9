// A view of a ledger in a cluster: a snapshot of the head row, and reads that never pass it. The cluster has no
// snapshots: committed rows never change, but a pruner may remove them. A row that is found is right, because a
// removal includes everything before it. If nothing is found, the view reads the oldest version again to tell
// "absent" from "pruned".
import { mapSome } from "../../base/map-some.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { Position } from "../../ledger/position.ts";
import type { Block, HistoryRange, IndexName, OwnedKey, OwnedPage, StateItem } from "../../ledger/view.ts";
import type { RawRecord, StoreView } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { INDEX_REACH_KEYS, readIndexReach } from "../index-reach.ts";
import { assertReadable, hideOldDeletion, lastReadable } from "../read-check.ts";
import type { Blocks } from "./blocks.ts";
import type { Head } from "./head.ts";
import type { HeadCache } from "./head-cache.ts";
import type { ItemCache } from "./item-cache.ts";
import { asBuffer, type Tables } from "./tables.ts";
import type { Terms } from "./terms.ts";

/** Most reads of one call in flight: a batch of a thousand balances reads two thousand items. */
const READS_AT_ONCE = 64;

/** The parts that all views of a store share. */
export interface ViewSource {
  readonly tables: Tables;
  readonly items: ItemCache;
  readonly blocks: Blocks;
  readonly headCache: HeadCache;
  readonly openViews: Set<ClusterView>;
  /** A side row as of the latest write. */
  readSide(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** The current tenure of this process; undefined while it does not hold the lease. */
  tenure(): Tenure | undefined;
}

/** A period in which this process holds the lease without a break. */
export interface Tenure {
  /** With the current term, which changes when the writer recovers from a failed write. */
  readonly head: Pick<Head, "term">;
}

/** A read view on one snapshot. */
export class ClusterView implements StoreView {
  readonly position: Position;
  readonly #source: ViewSource;
  readonly #terms: Terms;
  readonly #tenure: Tenure | undefined;
  /** Block heights of the records that were read: printing a record needs the time of its block. */
  readonly #heights = new Map<bigint, bigint>();
  #open = true;

  constructor(source: ViewSource, position: Position, terms: Terms) {
    this.#source = source;
    this.position = position;
    this.#terms = terms;
    this.#tenure = source.tenure();
    source.openViews.add(this);
  }

  async getItems(
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): Promise<readonly (StateItem | undefined)[]> {
    this.#assertOpen();
    assertReadable(this.position, version);
    const { items } = this.#source;
    const { version: head } = this.position;
    const found = await mapSome(keyHashes, READS_AT_ONCE, (keyHash) =>
      items.find(asBuffer(keyHash), version, head, this.#terms),
    );
    if (found.includes(undefined)) await this.#assertKept(version);
    return found.map((item) => hideOldDeletion(item, this.position));
  }

  async getHistory(keyHash: Uint8Array, range: HistoryRange): Promise<readonly StateItem[]> {
    this.#assertOpen();
    assertReadable(this.position, range.from);
    assertReadable(this.position, range.to);
    if (range.from > range.to || range.limit < 1) return [];
    const items = await this.#source.tables.listItems(asBuffer(keyHash), range, this.#terms);
    await this.#assertKept(range.from);
    return items;
  }

  async getOwnedKeys(owner: Uint8Array, page: OwnedPage): Promise<readonly OwnedKey[]> {
    this.#assertOpen();
    const { version, after, limit } = page;
    assertReadable(this.position, version);
    const keys = await this.#source.tables.listOwned(asBuffer(owner), after, limit);
    // The pruner removes rows too: what is missing may have existed at the version.
    await this.#assertKept(version);
    return keys;
  }

  async getIndexedTo(index: IndexName = "items"): Promise<bigint | undefined> {
    this.#assertOpen();
    return readIndexReach(await this.#source.readSide(INDEX_REACH_KEYS[index]));
  }

  async getBlockByHeight(height: bigint): Promise<Block | undefined> {
    this.#assertOpen();
    const { position } = this;
    if (height < position.oldestBlockHeight || height > position.blockHeight) return undefined;
    return this.#knownBlock(await this.#source.blocks.findByHeight(position, this.#terms, height), height);
  }

  async getBlockByVersion(version: bigint): Promise<Block | undefined> {
    this.#assertOpen();
    const { position } = this;
    if (version < position.oldestVersion || version > position.version) return undefined;
    const { blocks } = this.#source;
    const height = this.#heights.get(version);
    const block =
      height === undefined
        ? await blocks.findLast(position, this.#terms, { of: "version", atMost: version })
        : await blocks.findByHeight(position, this.#terms, height);
    return this.#knownBlock(block, height ?? position.oldestBlockHeight);
  }

  async getBlockAtTime(timestampUsec: bigint): Promise<Block | undefined> {
    this.#assertOpen();
    const search = { of: "time", atMost: timestampUsec } as const;
    const block = await this.#source.blocks.findLast(this.position, this.#terms, search);
    if (block === undefined) await this.#assertKept(this.position.oldestVersion);
    return block;
  }

  async getRecords(start: bigint, limit: number, maxBytes: number): Promise<readonly RawRecord[]> {
    this.#assertOpen();
    assertReadable(this.position, start);
    const last = lastReadable(this.position);
    const end = start + BigInt(limit);
    // The request ends at the limit: rows that nobody wants cost as much as others.
    const range = { from: start, to: end > last ? last : end - 1n, maxBytes };
    const records = limit < 1 ? [] : await this.#source.tables.listRecords(range, this.#terms);
    if (records.length === 0) await this.#assertKept(start);
    for (const { version, height } of records) if (height !== undefined) this.#heights.set(version, height);
    return records.map(({ version, bytes }) => ({ version, bytes }));
  }

  release(): void {
    this.#assertOpen();
    this.#open = false;
    this.#source.openViews.delete(this);
  }

  /** Reads the head row again and throws LedgerError `version_pruned` if the version is pruned. */
  async #assertKept(version: bigint): Promise<void> {
    const snapshot = await this.#source.headCache.fresh();
    const oldest = snapshot?.position?.oldestVersion;
    if (oldest === undefined || version >= oldest || this.#isProtected(snapshot?.head.term)) return;
    throw new LedgerError("version_pruned", `version ${version} is below the oldest kept, ${oldest}`, {
      details: { version, oldest },
    });
  }

  /** This process's pruner keeps what its open views see; another process's pruner does not know them. */
  #isProtected(term: number | undefined): boolean {
    const tenure = this.#tenure;
    return tenure !== undefined && tenure === this.#source.tenure() && tenure.head.term === term;
  }

  /** The block; throws if it is missing. */
  async #knownBlock(block: Block | undefined, height: bigint): Promise<Block> {
    if (block !== undefined) return block;
    await this.#assertKept(this.position.oldestVersion);
    throw new StoreError("corrupt", `no block row of height ${height}`);
  }

  #assertOpen(): void {
    if (!this.#open) throw new Error("the view was released");
  }
}
