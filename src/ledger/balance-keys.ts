// The state keys that a balance is read by. Three hashes make them, which is most of what a balance costs, so
// those of recent pairs of owner and asset are kept.
import type { CacheStats } from "../base/cache-stats.ts";
import { encodeWith } from "../bcs/codec.ts";
import { type Address, parseAddress } from "../move/address.ts";
import { structTagCodec } from "../move/type-tag.ts";
import { type Asset, primaryStoreAddress } from "./asset.ts";
import { resourceGroupKeyHash, resourceKeyHash } from "./key-hash.ts";
import type { KeyTrace } from "./key-trace.ts";

/** BCS of the struct tag of the group that holds an object's resources. */
export const OBJECT_GROUP_TAG: Uint8Array = encodeWith(structTagCodec, {
  address: parseAddress("0x1"),
  module: "object",
  name: "ObjectGroup",
  typeArgs: [],
});

const KEY_BYTES = 32;
/** Owner, then both keys. */
const ROW_BYTES = 3 * KEY_BYTES;
/** Pairs kept at most; a power of two. A pair has one place, and the last one to come there has it. */
const ROWS = 16_384;

// Flat, so that pairs that come once and never again leave nothing for the collector to find.
const rows = Buffer.alloc(ROWS * ROW_BYTES);
const assetIds: (string | undefined)[] = new Array(ROWS).fill(undefined);
/** Of an asset id with the place of its reference: at most 37 characters of one byte each, and their header. */
const ASSET_ID_BYTES = 64;
let used = 0;
let hits = 0;
let misses = 0;
let evictions = 0;

/** What the cache holds and did. Its rows are there from the start, so it never grows. */
export function balanceKeyCacheStats(): CacheStats {
  const bytes = rows.length + ROWS * ASSET_ID_BYTES;
  return { entries: used, bytes, maxBytes: bytes, hits, misses, evictions };
}

function makeKeys(owner: Address, asset: Asset, trace: KeyTrace | undefined): readonly Uint8Array[] {
  const group = resourceGroupKeyHash(primaryStoreAddress(owner, asset.metadata), OBJECT_GROUP_TAG, trace);
  return asset.coinStoreTag === undefined
    ? [group]
    : [group, resourceKeyHash(owner, asset.coinStoreTag, trace)];
}

/** The place of a pair: addresses are hashes for the most part, and short ones differ at their end. */
function rowOf(owner: Address, assetId: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = [owner[0], owner[1], owner[30], owner[31]];
  return (((a ^ d) << 8) ^ (b ^ c) ^ Math.imul(assetId.charCodeAt(assetId.length - 1), 0x9e5)) & (ROWS - 1);
}

function isOwnerAt(start: number, owner: Address): boolean {
  for (let i = 0; i < KEY_BYTES; i++) if (rows[start + i] !== owner[i]) return false;
  return true;
}

/** Key hashes of the primary store's group and, for a coin, of its CoinStore. */
export function balanceKeys(
  owner: Address,
  asset: Asset,
  trace: KeyTrace | undefined,
): readonly Uint8Array[] {
  // A trace knows hashes by their arrays, and a kept hash has none of its own.
  if (trace !== undefined) return makeKeys(owner, asset, trace);
  const row = rowOf(owner, asset.id);
  const start = row * ROW_BYTES;
  if (assetIds[row] === asset.id && isOwnerAt(start, owner)) {
    hits++;
    // A copy: the row may get another pair while these are in use.
    const keys = Buffer.allocUnsafe(2 * KEY_BYTES);
    rows.copy(keys, 0, start + KEY_BYTES, start + ROW_BYTES);
    const group = keys.subarray(0, KEY_BYTES);
    return asset.coinStoreTag === undefined ? [group] : [group, keys.subarray(KEY_BYTES)];
  }
  misses++;
  if (assetIds[row] === undefined) used++;
  else evictions++;
  const keys = makeKeys(owner, asset, undefined);
  assetIds[row] = asset.id;
  rows.set(owner, start);
  for (let i = 0; i < keys.length; i++) rows.set(keys[i] ?? owner, start + (i + 1) * KEY_BYTES);
  return keys;
}
