// A small hand-made ledger for the tests of the HTTP server: every form of balance, a table, deletions,
// pruned versions and stored bytes that do not decode.
import { encodeWith } from "../../src/bcs/codec.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { parseAsset, primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { OBJECT_GROUP_TAG } from "../../src/ledger/balances/balance-keys.ts";
import { encodeRecord } from "../../src/ledger/formats/record.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { transactionInfoCodec } from "../../src/ledger/formats/transaction-info.ts";
import { writeSetCodec } from "../../src/ledger/formats/write-set.ts";
import { frameworkTag } from "../../src/ledger/items/resources.ts";
import {
  moduleKeyHash,
  resourceGroupKeyHash,
  resourceKeyHash,
  tableItemKeyHash,
} from "../../src/ledger/key-hash.ts";
import type { Position } from "../../src/ledger/position.ts";
import { ALL_TRUSTED, ANCHORED, raiseTrust, type TrustFacts } from "../../src/ledger/trust.ts";
import { parseAddress } from "../../src/move/address.ts";
import { structTagCodec } from "../../src/move/type-tag.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import type { BlockStart, RawRecord, StateWrite, Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { INDEX_REACH } from "../../src/sync/side-rows.ts";

export const COIN = "0x1::aptos_coin::AptosCoin";
export const PAIR = "0x5a::lp::LP<0x1::aptos_coin::AptosCoin, vector<u8>>";
export const U64_MAX = 18446744073709551615n;
const CHAIN_ID = 44;
export const LATEST = 30n;
/** First version of the second block that is kept. */
export const OLDEST = 11n;
export const TIMESTAMP_USEC = 1_700_000_003_000_000n;

export const TABLE = "0x7ab1e";
export const TABLE_KEY = "0x0102";
export const TABLE_VALUE = "0xdeadbeef00";
/** Written at version 12, deleted at version 20. */
export const DELETED_KEY = "0x0d";
export const EMPTY_KEY = "0x";
export const LARGE_KEY = "0x1a";
export const LARGE_SIZE = 4096;

/** The stored bytes of a state item. */
export function stateValue(data: Uint8Array): Uint8Array {
  return new BcsWriter().u8(0).byteString(data).take();
}

export function coinStore(coin: bigint, frozen = false): Uint8Array {
  return new BcsWriter().u64(coin).bool(frozen).fixed(new Uint8Array(96)).take();
}

export function fungibleStore(balance: bigint, frozen = false): Uint8Array {
  return new BcsWriter().fixed(parseAddress("0xa")).u64(balance).bool(frozen).take();
}

/** An object group with the given members, in the order given. */
export function group(members: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const writer = new BcsWriter().uleb(members.length);
  for (const [tag, bytes] of members) {
    writer.fixed(encodeWith(structTagCodec, parseStructTag(tag))).byteString(bytes);
  }
  return writer.take();
}

const CORE: readonly [string, Uint8Array] = ["0x1::object::ObjectCore", new Uint8Array(89)];

export function primaryGroup(balance: bigint, concurrent?: bigint, frozen = false): Uint8Array {
  // Members are sorted by their BCS: shorter module names first, then shorter struct names.
  return group([
    CORE,
    ["0x1::fungible_asset::FungibleStore", fungibleStore(balance, frozen)],
    ...(concurrent === undefined
      ? []
      : ([
          [
            "0x1::fungible_asset::ConcurrentFungibleBalance",
            new BcsWriter().u64(concurrent).u64(U64_MAX).take(),
          ],
        ] as const)),
  ]);
}

export function coinKey(owner: string, coin = COIN): Uint8Array {
  const tag = parseAsset(coin).coinStoreTag;
  if (tag === undefined) throw new Error(`${coin} is no coin type`);
  return resourceKeyHash(parseAddress(owner), tag, undefined);
}

export function storeKey(owner: string, asset = COIN): Uint8Array {
  const address = primaryStoreAddress(parseAddress(owner), parseAsset(asset).metadata);
  return resourceGroupKeyHash(address, OBJECT_GROUP_TAG, undefined);
}

export function tableKey(key: string): Uint8Array {
  return tableItemKeyHash(parseAddress(TABLE), Buffer.from(key.slice(2), "hex"), undefined);
}

/** Owner, balance by coin type at the latest version, balance by metadata address 0xa. */
export const BALANCES: readonly (readonly [owner: string, coin: bigint, fungible: bigint])[] = [
  ["0xc1", 200000000n, 0n],
  ["0xfa", 77n, 77n],
  ["0xb0", 12n, 5n],
  ["0xcc", 99n, 99n],
  ["0xcd", 3n, 3n],
  ["0xf0", 41n, 20n],
  ["0xee", 0n, 0n],
  ["0xff", U64_MAX, U64_MAX],
  ["0xde", 0n, 0n],
  ["0xbad1", 6n, 0n],
  ["0x404", 0n, 0n],
];

/** Owners whose stored bytes make the read fail. */
export const CORRUPT_OWNERS = ["0xbad2", "0xbad3", "0xbad4", "0xbad5", "0xbad6"] as const;

/** A module of 0xc1. Its bytes are no bytecode. */
export const MODULE = "stored";

function accountKey(owner: string): Uint8Array {
  return resourceKeyHash(parseAddress(owner), frameworkTag("account", "Account"), undefined);
}

const WRITES: readonly (readonly [version: bigint, key: Uint8Array, data: Uint8Array | undefined])[] = [
  [0n, coinKey("0xc1"), coinStore(1n)],
  [0n, accountKey("0xc1"), new BcsWriter().byteString(parseAddress("0xc1")).u64(7n).take()],
  [0n, moduleKeyHash(parseAddress("0xc1"), MODULE, undefined), Uint8Array.of(0xa1)],
  [0n, coinKey("0xb0"), coinStore(7n)],
  [5n, coinKey("0xc1"), coinStore(2n)],
  [5n, storeKey("0xfa"), primaryGroup(77n)],
  [11n, storeKey("0xb0"), primaryGroup(5n)],
  [12n, coinKey("0xc1"), coinStore(100n)],
  [12n, tableKey(DELETED_KEY), Uint8Array.of(1)],
  [12n, coinKey("0xde"), coinStore(9n)],
  [13n, storeKey("0xcc"), primaryGroup(0n, 99n)],
  [13n, storeKey("0xcd"), primaryGroup(3n, 50n)],
  [14n, coinKey("0xf0"), coinStore(21n, true)],
  [14n, storeKey("0xf0"), primaryGroup(20n, undefined, true)],
  [15n, coinKey("0xee"), coinStore(0n)],
  [15n, storeKey("0xee"), primaryGroup(0n)],
  [16n, storeKey("0xff"), primaryGroup(U64_MAX)],
  [17n, tableKey(TABLE_KEY), Buffer.from(TABLE_VALUE.slice(2), "hex")],
  [17n, tableKey(EMPTY_KEY), Buffer.alloc(0)],
  [17n, tableKey(LARGE_KEY), Buffer.alloc(LARGE_SIZE, 0x5a)],
  [18n, coinKey("0xc1", PAIR), coinStore(1234n)],
  [18n, storeKey("0xc1", PAIR), primaryGroup(1n)],
  [20n, tableKey(DELETED_KEY), undefined],
  [20n, coinKey("0xde"), undefined],
  [21n, coinKey("0xbad1"), coinStore(6n)],
  [21n, storeKey("0xbad1"), Uint8Array.of(9, 9, 9)],
  [21n, coinKey("0xbad2"), coinStore(6n).subarray(1)],
  [21n, storeKey("0xbad3"), group([["0x1::fungible_asset::FungibleStore", new Uint8Array(40)]])],
  [
    21n,
    storeKey("0xbad4"),
    group([
      ["0x1::fungible_asset::FungibleStore", fungibleStore(0n)],
      ["0x1::fungible_asset::ConcurrentFungibleBalance", new Uint8Array(15)],
    ]),
  ],
  [21n, coinKey("0xbad5"), coinStore(1n)],
  [21n, storeKey("0xbad5"), primaryGroup(U64_MAX)],
  [21n, coinKey("0xbad6"), new Uint8Array(105).fill(2)],
  [30n, coinKey("0xc1"), coinStore(200000000n)],
];

/** Hash of the transaction of a version. */
function transactionHashAt(version: bigint): Uint8Array {
  return Buffer.alloc(32, Number(version) + 1);
}

/** A record with nothing in it but the hash of its transaction. */
export function recordAt(
  version: bigint,
  changes: Uint8Array = encodeWith(writeSetCodec, { kind: "v0", writes: [] }),
  events: readonly Uint8Array[] = [],
): RawRecord {
  const none = new Uint8Array(32);
  const bytes = encodeRecord({
    version,
    transaction: encodeWith(transactionCodec, { kind: "stateCheckpoint", blockId: none }),
    info: encodeWith(transactionInfoCodec, {
      kind: "v0",
      gasUsed: 0n,
      status: { kind: "success" },
      transactionHash: transactionHashAt(version),
      eventRootHash: none,
      stateChangeHash: none,
      stateCheckpointHash: undefined,
      auxiliaryInfoHash: undefined,
    }),
    events,
    accumulatorRoot: none,
    changes,
  });
  return { version, bytes };
}

const BLOCKS: readonly BlockStart[] = [0n, 1n, 11n, 21n].map((firstVersion, index) => ({
  height: BigInt(index),
  firstVersion,
  timestampUsec: 1_700_000_000_000_000n + BigInt(index) * 1_000_000n,
  epoch: 1n,
}));

/** Trust of a ledger with a matched waypoint at a version. */
export function anchoredUpTo(version: bigint): Pick<TrustFacts, "trust"> {
  return { trust: raiseTrust(ALL_TRUSTED.trust, version, ANCHORED) };
}

/** The ledger, pruned below `OLDEST`. */
export async function createHttpLedger(facts: Partial<TrustFacts> = {}): Promise<Store> {
  const store = createMemoryStore();
  const position: Position = {
    chainId: CHAIN_ID,
    version: LATEST,
    timestampUsec: TIMESTAMP_USEC,
    epoch: 1n,
    blockHeight: 3n,
    oldestVersion: 0n,
    oldestBlockHeight: 0n,
    accumulator: { leafCount: LATEST + 1n, frozen: [] },
    stateRoot: undefined,
    ...ALL_TRUSTED,
    ...facts,
  };
  const writes: StateWrite[] = WRITES.map(([version, keyHash, data]) => ({
    version,
    keyHash,
    value: data === undefined ? undefined : stateValue(data),
  }));
  const records = Array.from({ length: Number(LATEST) + 1 }, (_, version) => recordAt(BigInt(version)));
  await store.commit(
    {
      previous: undefined,
      position,
      writes,
      blocks: BLOCKS,
      records,
      treeNodes: [],
      // The items have no keys, so lists are empty.
      index: [],
      sideRows: [INDEX_REACH.items.row(LATEST)],
    },
    { chainId: CHAIN_ID, genesisHash: new Uint8Array(32) },
  );
  for (let done = false; !done; ) ({ done } = await store.prune(OLDEST, 1000));
  return store;
}
