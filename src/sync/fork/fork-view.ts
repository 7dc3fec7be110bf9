// Read views of a fork. At the fork version and above: what was written here, over the network's items at the fork
// version. Below: what the network's node says about that version.
import { compareBytes, toMapKey } from "../../base/bytes.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { recordAccumulatorRoot, withAccumulatorRoot } from "../../ledger/formats/record.ts";
import { HASH_LENGTH } from "../../ledger/hash.ts";
import { addressOfOwner } from "../../ledger/indexes/owned-keys.ts";
import { transactionOfOwner } from "../../ledger/indexes/transaction-rows.ts";
import type {
  Block,
  IndexName,
  LedgerPosition,
  LedgerView,
  OwnedKey,
  OwnedPage,
  StateItem,
  StoredRecord,
} from "../../ledger/view.ts";
import { LazyView } from "../lazy/lazy-view.ts";
import type { ForkPin } from "../side-rows.ts";
import type { ForkSource } from "./fork-source.ts";

const NO_ROOT = new Uint8Array(HASH_LENGTH);

export class ForkView extends LazyView {
  override readonly position: LedgerPosition;
  readonly #view: LedgerView;
  readonly #source: ForkSource;
  readonly #pin: ForkPin;

  constructor(view: LedgerView, source: ForkSource, pin: ForkPin) {
    super(view, source.filler);
    this.#view = view;
    this.#source = source;
    this.#pin = pin;
    this.position = { ...view.position, fork: pin };
  }

  override async getItems(
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): Promise<readonly (StateItem | undefined)[]> {
    if (version >= this.#pin.version && version >= this.#view.position.oldestVersion) {
      return super.getItems(keyHashes, version);
    }
    // The pruner removed this version. One made here is gone; the fork version is still in the base layer.
    if (version > this.#pin.version) return this.#view.getItems(keyHashes, version);
    if (version === this.#pin.version) return this.getBaseItems(keyHashes, version);
    const keys = keyHashes.map((keyHash) => {
      const key = this.keyTrace.keyOf(keyHash);
      if (key === undefined) throw new Error("a read whose state key is not known");
      return key;
    });
    const values = await this.#source.itemsAt(keys, version);
    return values.map((value) => (value === undefined ? undefined : { version, value }));
  }

  override originOf(version: bigint): string | undefined {
    return version <= this.#pin.version ? this.#pin.url : undefined;
  }

  /** Local rows over those of the network. Items of tables and holdings are not listed: no node can be asked for them. */
  override async getOwnedKeys(owner: Uint8Array, page: OwnedPage): Promise<readonly OwnedKey[]> {
    if (transactionOfOwner(owner) !== undefined) return this.#transactionKeys(owner, page);
    const address = addressOfOwner(owner);
    if (address === undefined) {
      throw new LedgerError(
        "not_indexed",
        "a fork lists no rows of tables and no holdings: it knows only those that were read or written here",
      );
    }
    const { version, after, limit } = page;
    const isOld = version < this.#pin.version;
    const at = isOld ? version : this.#pin.version;
    const theirs = (await this.#source.accountRows(this, address, at)).filter(
      ({ place }) => after === undefined || compareBytes(place, after) > 0,
    );
    const ours = this.#isBelow(version) ? [] : await this.#view.getOwnedKeys(owner, page);
    const merged = new Map([...ours, ...theirs].map((key) => [toMapKey(key.place), key]));
    const keys = [...merged.values()].sort((a, b) => compareBytes(a.place, b.place)).slice(0, limit);
    // The arrays of the cache: the trace knows a key by the identity of its hash.
    for (const { place, data } of keys) this.keyTrace.noteBcs(place, Buffer.concat([owner, data]));
    return keys;
  }

  /** Sequence numbers go on from the network's, so its rows come first. */
  async #transactionKeys(owner: Uint8Array, page: OwnedPage): Promise<readonly OwnedKey[]> {
    const ours = await this.#view.getOwnedKeys(owner, page);
    const isHash = transactionOfOwner(owner)?.kind === "hash";
    if (isHash && ours.length > 0) return ours;
    const theirs = (await this.#source.transactionKeys(owner, page)) ?? [];
    const merged = new Map([...theirs, ...ours].map((key) => [toMapKey(key.place), key]));
    return [...merged.values()].sort((a, b) => compareBytes(a.place, b.place)).slice(0, page.limit);
  }

  /** The local index and the network's lists together have every item of an account. */
  override getIndexedTo(index?: IndexName): MaybePromise<bigint | undefined> {
    return this.#view.getIndexedTo(index);
  }

  override async getBlockByVersion(version: bigint): Promise<Block | undefined> {
    return this.#isBelow(version) ? this.#source.blockOf(version) : super.getBlockByVersion(version);
  }

  override async getBlockByHeight(height: bigint): Promise<Block | undefined> {
    const { oldestBlockHeight } = this.#view.position;
    if (height >= oldestBlockHeight) return super.getBlockByHeight(height);
    const block = await this.#source.blockAtHeight(height);
    if (block !== undefined) return block;
    throw new LedgerError("version_pruned", `block ${height} is below the oldest kept, ${oldestBlockHeight}`);
  }

  override async getBlockAtTime(timestampUsec: bigint): Promise<Block | undefined> {
    const { oldestVersion } = this.#view.position;
    const block = await super.getBlockAtTime(timestampUsec);
    if (block !== undefined || oldestVersion === 0n) return block;
    // Blocks made here and pruned since may lie between the network's and ours.
    const isPruned = oldestVersion > this.#pin.version + 1n;
    return isPruned ? undefined : this.#source.blockAtTime(timestampUsec, oldestVersion);
  }

  override async getRecords(
    start: bigint,
    limit: number,
    maxBytes: number,
  ): Promise<readonly StoredRecord[]> {
    if (!this.#isBelow(start)) {
      const records = await super.getRecords(start, limit, maxBytes);
      return records.map((record) => (record.version > this.#pin.version ? hidingHash(record) : record));
    }
    const found: StoredRecord[] = [];
    let room = maxBytes;
    for (const record of await this.#source.recordsFrom(start, limit)) {
      if (found.length > 0 && room <= 0) return found;
      found.push(record);
      room -= record.bytes.length;
    }
    const next = start + BigInt(found.length);
    const { oldestVersion, version: head } = this.position;
    const goesOn = next > this.#pin.version && next >= oldestVersion && next <= head;
    if (!goesOn || found.length === limit || room <= 0) return found;
    return [...found, ...(await this.getRecords(next, limit - found.length, room))];
  }

  /** True for a version of the network that is not stored here. */
  #isBelow(version: bigint): boolean {
    return version <= this.#pin.version && version < this.#view.position.oldestVersion;
  }
}

/** A record made here: a fork has no accumulator, so nobody is shown a root. */
function hidingHash({ version, bytes }: StoredRecord): StoredRecord {
  const historyHash = new Uint8Array(recordAccumulatorRoot(bytes));
  return { version, bytes: withAccumulatorRoot(bytes, NO_ROOT), historyHash };
}
