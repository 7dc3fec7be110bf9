// Ledgers for the benchmarks: a local chain's genesis and, on top of it, a given number of accounts and table items.
// Made once and kept under .cache/bench. An item's number determines its content, so that requests and expected
// responses need no read of the store.
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { silentLogger } from "../src/base/log.ts";
import { BcsWriter } from "../src/bcs/writer.ts";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { RecordWriter } from "../src/chain/record-writer.ts";
import { parseAsset, primaryStoreAddress } from "../src/ledger/balances/asset.ts";
import { OBJECT_GROUP_TAG } from "../src/ledger/balances/balance-keys.ts";
import { checkGenesis } from "../src/ledger/formats/genesis.ts";
import { ownerOf } from "../src/ledger/indexes/owned-keys.ts";
import { resourceGroupKeyHash, resourceKeyHash, tableItemKeyHash } from "../src/ledger/key-hash.ts";
import type { Position } from "../src/ledger/position.ts";
import { ALL_TRUSTED } from "../src/ledger/trust.ts";
import { type Address, addressFromBytes } from "../src/move/address.ts";
import type { IndexRow, StateWrite, Store } from "../src/store/contract.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { Committer } from "../src/sync/committer.ts";
import { bootstrapGenesis } from "../src/sync/genesis.ts";
import { INDEX_REACH } from "../src/sync/side-rows.ts";
import { coinStore, primaryGroup, stateValue } from "../test/support/http-ledger.ts";
import { makeKey } from "./store-data.ts";

/** Version of the content, part of the cache's folder names. */
const CONTENT_VERSION = 4;
/** Folder of what is made once. */
export const CACHE: string = fileURLToPath(new URL("../.cache/bench/", import.meta.url));

export const COIN = "0x1::aptos_coin::AptosCoin";
const COIN_ASSET = parseAsset(COIN);
/** Handle of the table of all table items. */
export const TABLE: Address = addressFromBytes(makeKey(0x7ab1_e000));

const WRITES_PER_COMMIT = 100_000;
export const HASH_BYTES = 32;
/** Versions after all items, each of which changes some accounts of the pool. */
const HISTORY_VERSIONS = 1000;
const HISTORY_WRITES = 20;
/** Number of accounts with a history. */
export const POOL = 1000;
const FIRST_USEC = 1_704_067_200_000_000n;

/** The kind of an item, by its number. */
export type ItemKind = "coin" | "store" | "table";
const KINDS: readonly ItemKind[] = ["coin", "store", "store", "table"];

/** Numbers of the accounts with one, a thousand and a million versions, above all other numbers. */
export const HOT_ACCOUNTS = [0x6000_0001, 0x6000_0002, 0x6000_0003] as const;

/** A ledger on disk. */
export interface DataSet {
  readonly data: string;
  readonly genesis: string;
  readonly items: number;
  /** Latest version. */
  readonly head: number;
  /** First version of the history. */
  readonly historyFrom: number;
}

export function kindOf(index: number): ItemKind {
  return KINDS[index % KINDS.length] ?? "store";
}

export function accountAddress(index: number): Address {
  return addressFromBytes(makeKey(index));
}

/** BCS of the u64 key of a table item. */
export function tableKey(index: number): Uint8Array {
  return new BcsWriter(8).u64(BigInt(index)).take();
}

/** The balance that a version writes. */
export function balanceOf(index: number, version: number): bigint {
  return BigInt(index) * 1_000_003n + BigInt(version);
}

/** The key hash of an item. */
export function keyHashOf(index: number): Uint8Array {
  const kind = kindOf(index);
  if (kind === "table") return tableItemKeyHash(TABLE, tableKey(index), undefined);
  const owner = accountAddress(index);
  if (kind === "store") return storeKeyHash(owner);
  if (COIN_ASSET.coinStoreTag === undefined) throw new Error("the native coin is a coin type");
  return resourceKeyHash(owner, COIN_ASSET.coinStoreTag, undefined);
}

function storeKeyHash(owner: Address): Uint8Array {
  return resourceGroupKeyHash(primaryStoreAddress(owner, COIN_ASSET.metadata), OBJECT_GROUP_TAG, undefined);
}

/** An encoded value with a balance to fill in, which is cheaper than encoding the whole value. */
class BalanceTemplate {
  readonly #bytes: Buffer;
  readonly #at: number;

  constructor(make: (balance: bigint) => Uint8Array) {
    const mark = 0x0102_0304_0506_0708n;
    this.#bytes = Buffer.from(stateValue(make(mark)));
    this.#at = this.#bytes.indexOf(Buffer.from(new BcsWriter(8).u64(mark).take()));
  }

  fill(balance: bigint): Buffer {
    const value = Buffer.from(this.#bytes);
    value.writeBigUInt64LE(balance, this.#at);
    return value;
  }
}

const COIN_VALUE = new BalanceTemplate(coinStore);
const STORE_VALUE = new BalanceTemplate(primaryGroup);

function itemValue(index: number, version: number): Uint8Array {
  const kind = kindOf(index);
  if (kind === "table") return stateValue(tableValue(index));
  return (kind === "coin" ? COIN_VALUE : STORE_VALUE).fill(balanceOf(index, version));
}

/** The 48 bytes of a table item. */
export function tableValue(index: number): Uint8Array {
  return Buffer.concat([makeKey(index), tableKey(index), tableKey(0)]);
}

/** The n-th account of the pool: a primary store, spread over all items. */
export function poolAccount(items: number, place: number): number {
  return 1 + 4 * Math.floor((place * Math.floor(items / 4)) / POOL);
}

/** A ledger with a number of items and a short history. */
export function itemsDataSet(items: number): Promise<DataSet> {
  return cached(`items-${items}`, items, async (feed) => {
    await feed.bulk(items);
    const historyFrom = feed.next;
    for (let done = 0; done < HISTORY_VERSIONS; done += 100) {
      const writes: StateWrite[] = [];
      for (let version = historyFrom + done; version < historyFrom + done + 100; version++) {
        for (let i = 0; i < HISTORY_WRITES; i++) {
          const account = poolAccount(items, ((version - historyFrom) * HISTORY_WRITES + i) % POOL);
          writes.push(writeOf(account, version));
        }
      }
      await feed.commit(historyFrom + done + 99, writes);
    }
    return historyFrom;
  });
}

/** A ledger whose three hot accounts have one, a thousand and `versions` versions. */
export function versionsDataSet(versions: number): Promise<DataSet> {
  const items = 10_000;
  const step = Math.max(1, Math.floor(versions / 1000));
  return cached(`versions-${versions}`, items, async (feed) => {
    await feed.bulk(items);
    const [once, thousand, million] = HOT_ACCOUNTS;
    await feed.commit(feed.next, [hotWrite(once, feed.next)]);
    const historyFrom = feed.next;
    for (let done = 0; done < versions; done += 5000) {
      const last = Math.min(versions, done + 5000) - 1;
      const writes: StateWrite[] = [];
      for (let at = done; at <= last; at++) {
        writes.push(hotWrite(million, historyFrom + at));
        if (at % step === 0) writes.push(hotWrite(thousand, historyFrom + at));
      }
      await feed.commit(historyFrom + last, writes);
    }
    return historyFrom;
  });
}

/** A ledger whose index lists the asset of each of `accounts` accounts. */
export function accountsDataSet(accounts: number): Promise<DataSet> {
  return cached(`accounts-${accounts}`, accounts, async (feed) => {
    const hashes = Buffer.allocUnsafe(accounts * HASH_BYTES);
    const addresses = Buffer.allocUnsafe(accounts * HASH_BYTES);
    for (let at = 0; at < accounts; at++) {
      hashes.set(storeKeyHash(accountAddress(at)), at * HASH_BYTES);
      addresses.set(accountAddress(at), at * HASH_BYTES);
    }
    const versions = new Uint32Array(accounts);
    // Each table in its own order, so that pages are written once.
    for (const some of inGroups(sortedByHash(hashes, accounts))) {
      const version = feed.next;
      const writes = some.map((at): StateWrite => {
        versions[at] = version;
        const value = STORE_VALUE.fill(balanceOf(at, version));
        return { keyHash: partOf(hashes, at), version: BigInt(version), value };
      });
      await feed.commit(version, writes);
    }
    for (const some of inGroups(sortedByHash(addresses, accounts))) {
      const index = some.map(
        (at): IndexRow => ({
          place: COIN_ASSET.metadata,
          data: new Uint8Array(0),
          keyHash: partOf(hashes, at),
          version: BigInt(versions[at] ?? 0),
          owner: ownerOf("fungible", accountAddress(at)),
          isDeletion: false,
        }),
      );
      await feed.commit(feed.next, [], index);
    }
    return feed.next;
  });
}

/** The hash of a place in a buffer of hashes. */
export function partOf(hashes: Buffer, at: number): Buffer {
  return hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
}

/** Groups of as many as a commit writes. */
export function* inGroups(numbers: Iterable<number>, size = WRITES_PER_COMMIT): Generator<number[]> {
  let group: number[] = [];
  for (const number of numbers) {
    group.push(number);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

function writeOf(index: number, version: number, keyHash = keyHashOf(index)): StateWrite {
  return { keyHash, version: BigInt(version), value: itemValue(index, version) };
}

/** The key hash of a hot account. */
export function hotKeyHash(which: 0 | 1 | 2): Uint8Array {
  return storeKeyHash(accountAddress(HOT_ACCOUNTS[which]));
}

function hotWrite(index: number, version: number): StateWrite {
  const value = STORE_VALUE.fill(balanceOf(index, version));
  return { keyHash: storeKeyHash(accountAddress(index)), version: BigInt(version), value };
}

/** A copy of a data set, for two nodes at once: a store has one writer. */
export async function copyDataSet(set: DataSet): Promise<DataSet> {
  const data = `${set.data}-copy`;
  if (!existsSync(data)) {
    await cp(set.data, `${data}-draft`, { recursive: true });
    await rename(`${data}-draft`, data);
  }
  return { ...set, data };
}

let makingMs = 0;

/** Milliseconds that this process spent on making folders, which a run does not count. */
export function spentOnMaking(): number {
  return makingMs;
}

/** Removes the folders of other versions of the content, so that the disk keeps one. */
async function removeOutdated(): Promise<void> {
  for (const name of await readdir(CACHE).catch(() => [])) {
    const version = /^v(\d+)-/.exec(name)?.[1];
    if (version !== undefined && Number(version) !== CONTENT_VERSION) {
      await rm(join(CACHE, name), { recursive: true, force: true });
    }
  }
}

/** A folder that is filled once and kept. */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, `v${CONTENT_VERSION}-${name}`);
  // Written at the end, so that an interrupted run leaves no half of it.
  const mark = join(folder, "whole");
  if (existsSync(mark)) return folder;
  console.error(`making ${name}`);
  const started = performance.now();
  await removeOutdated();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await fill(folder);
  await writeFile(mark, "");
  const tookMs = performance.now() - started;
  makingMs += tookMs;
  console.error(`made ${name} in ${(tookMs / 1000).toFixed(1)} s`);
  return folder;
}

async function cached(name: string, items: number, fill: (feed: Feed) => Promise<number>): Promise<DataSet> {
  const folder = await cachedFolder(name, (made) => makeLedger(made, items, fill));
  const facts = JSON.parse(await readFile(join(folder, FACTS), "utf8")) as Facts;
  return { ...placesIn(folder), ...facts };
}

type Facts = Omit<DataSet, "data" | "genesis">;
const FACTS = "data-set.json";

function placesIn(folder: string): Pick<DataSet, "data" | "genesis"> {
  return { data: join(folder, "store"), genesis: join(folder, "genesis.blob") };
}

async function makeLedger(
  folder: string,
  items: number,
  fill: (feed: Feed) => Promise<number>,
): Promise<void> {
  const { data, genesis } = placesIn(folder);
  const blob = createLocalChain({ seed: "bench" }).genesisBlob();
  await writeFile(genesis, blob);
  const store = await openLmdbStore({ path: data });
  const check = checkGenesis(blob);
  await bootstrapGenesis({ store, committer: new Committer({ store, logger: silentLogger }), check });
  const feed = new Feed(store, check.stateRoot);
  const historyFrom = await fill(feed);
  await store.close();
  const facts: Facts = { items, head: feed.next - 1, historyFrom };
  await writeFile(join(folder, FACTS), JSON.stringify(facts));
}

/** An empty record for the head: a store without one counts as damaged. */
function headRecord({ version, accumulator }: Pick<Position, "version" | "accumulator">): Uint8Array {
  const writer = new RecordWriter({ version: version - 1n, accumulator });
  const transaction = { kind: "stateCheckpoint", blockId: new Uint8Array(32) } as const;
  writer.add({ transaction, events: [], writes: [] });
  const [record] = writer.records;
  if (record === undefined) throw new Error("there is no record");
  return record;
}

/** Commits blocks to a store after its genesis. */
class Feed {
  next = 1;
  readonly #store: Store;
  readonly #stateRoot: Uint8Array;
  #height = 0n;

  constructor(store: Store, stateRoot: Uint8Array) {
    this.#store = store;
    this.#stateRoot = stateRoot;
  }

  /**
   * Commits a block. Its indexes count as whole, with the given rows alone: else a node would build them while it is
   * measured, from records that are not here.
   */
  async commit(last: number, writes: readonly StateWrite[], index: readonly IndexRow[] = []): Promise<void> {
    this.#height++;
    const timestampUsec = FIRST_USEC + BigInt(last) * 1000n;
    const firstVersion = BigInt(this.next);
    const position: Position = {
      chainId: 4,
      version: BigInt(last),
      timestampUsec,
      epoch: 1n,
      blockHeight: this.#height,
      oldestVersion: 0n,
      oldestBlockHeight: 0n,
      // Only this file appends to these ledgers, so the accumulator and state root need not be right.
      accumulator: { leafCount: 0n, frozen: [] },
      stateRoot: this.#stateRoot,
      ...ALL_TRUSTED,
    };
    await this.#store.commit({
      previous: firstVersion - 1n,
      position,
      writes,
      blocks: [{ height: this.#height, firstVersion, timestampUsec, epoch: 1n }],
      records: [{ version: position.version, bytes: headRecord(position) }],
      treeNodes: [],
      index,
      sideRows: [INDEX_REACH.items.row(position.version), INDEX_REACH.transactions.row(position.version)],
    });
    this.next = last + 1;
  }

  /** Commits items 0 to `items` - 1 in the order of their key hashes, so that pages are written once. */
  async bulk(items: number): Promise<void> {
    const hashes = Buffer.allocUnsafe(items * HASH_BYTES);
    for (let index = 0; index < items; index++) hashes.set(keyHashOf(index), index * HASH_BYTES);
    for (const some of inGroups(sortedByHash(hashes, items))) {
      const writes = some.map((index) => writeOf(index, this.next, partOf(hashes, index)));
      await this.commit(this.next, writes);
    }
  }
}

/** Compares two hashes in place. */
function compareAt(hashes: Buffer, a: number, b: number): number {
  const [from, other] = [a * HASH_BYTES, b * HASH_BYTES];
  return hashes.compare(hashes, other, other + HASH_BYTES, from, from + HASH_BYTES);
}

/** Indexes of the hashes in sorted order: a radix sort by the first two bytes, then a sort of each bucket. */
export function* sortedByHash(hashes: Buffer, count: number): Generator<number> {
  const bucketOf = (index: number): number => hashes.readUInt16BE(index * HASH_BYTES);
  const starts = new Uint32Array(65_537);
  for (let index = 0; index < count; index++) {
    const bucket = bucketOf(index) + 1;
    starts[bucket] = (starts[bucket] ?? 0) + 1;
  }
  for (let bucket = 1; bucket < starts.length; bucket++) {
    starts[bucket] = (starts[bucket] ?? 0) + (starts[bucket - 1] ?? 0);
  }
  const order = new Uint32Array(count);
  const ends = starts.slice();
  for (let index = 0; index < count; index++) {
    const bucket = bucketOf(index);
    order[ends[bucket] ?? 0] = index;
    ends[bucket] = (ends[bucket] ?? 0) + 1;
  }
  for (let bucket = 0; bucket < 65_536; bucket++) {
    yield* order.subarray(starts[bucket], starts[bucket + 1]).sort((a, b) => compareAt(hashes, a, b));
  }
}
