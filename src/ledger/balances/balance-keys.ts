// The state keys that a balance is read from, and the balance at the latest position. Three hashes, two lookups and two
// checksums are most of the cost of a balance, so a cache holds both for recent pairs of owner and asset.
import type { CacheStats } from "../../base/cache-stats.ts";
import type { Address } from "../../move/address.ts";
import type { KeyTrace } from "../key-trace.ts";
import type { LedgerPosition } from "../view.ts";
import type { Asset } from "./asset.ts";
import { balanceKeyHashes } from "./balance-key-hashes.ts";
import { preparedBalanceKeyHashes } from "./prepared-balance-keys.ts";

export { OBJECT_GROUP_TAG } from "./balance-key-hashes.ts";

const KEY_BYTES = 32;
/** Owner, then both keys. */
const ROW_BYTES = 3 * KEY_BYTES;
/** Capacity in pairs; a power of two. Each pair maps to one row, and a newer pair replaces the older one there. */
const ROWS = 16_384;

// One flat buffer: pairs that occur only once create no garbage.
const rows = Buffer.alloc(ROWS * ROW_BYTES);
const assetIds: (string | undefined)[] = new Array(ROWS).fill(undefined);
/** An asset id and the pointer to it: at most 37 one-byte characters and their header. */
const ASSET_ID_BYTES = 64;
/** Balances at the position of which they have the number; 0 for none. */
const balances = new BigUint64Array(ROWS);
const positionNumbers = new Float64Array(ROWS);
/** The position that was read last: no older one is kept alive by this cache. */
let position: LedgerPosition | undefined;
let positionNumber = 0;
let usedRows = 0;
let hits = 0;
let misses = 0;
let evictions = 0;

/** Statistics of the cache. All rows are allocated at the start, so it never grows. */
export function balanceKeyCacheStats(): CacheStats {
  const bytes = rows.length + balances.byteLength + positionNumbers.byteLength + ROWS * ASSET_ID_BYTES;
  return { entries: usedRows, bytes, maxBytes: bytes, hits, misses, evictions };
}

/** Row of a pair. Most addresses are hashes; short ones such as 0x1 differ in their last bytes. */
function rowOf(owner: Address, assetId: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = [owner[0], owner[1], owner[30], owner[31]];
  return (((a ^ d) << 8) ^ (b ^ c) ^ Math.imul(assetId.charCodeAt(assetId.length - 1), 0x9e5)) & (ROWS - 1);
}

function isOwnerAt(start: number, owner: Address): boolean {
  for (let i = 0; i < KEY_BYTES; i++) if (rows[start + i] !== owner[i]) return false;
  return true;
}

function isPairAt(row: number, owner: Address, asset: Asset): boolean {
  return assetIds[row] === asset.id && isOwnerAt(row * ROW_BYTES, owner);
}

/** The balance at a position, where nothing changes what is read at it; undefined if it was not read lately. */
export function knownBalance(at: LedgerPosition, owner: Address, asset: Asset): bigint | undefined {
  if (at !== position) return undefined;
  const row = rowOf(owner, asset.id);
  if (positionNumbers[row] !== positionNumber || !isPairAt(row, owner, asset)) return undefined;
  hits++;
  return balances[row];
}

/** Keeps a balance that was read at a position, for a pair whose keys were asked for. */
export function keepBalance(at: LedgerPosition, owner: Address, asset: Asset, balance: bigint): void {
  if (at !== position) {
    position = at;
    positionNumber++;
  }
  const row = rowOf(owner, asset.id);
  // Another pair may have taken the row while the items were read.
  if (!isPairAt(row, owner, asset)) return;
  balances[row] = balance;
  positionNumbers[row] = positionNumber;
}

/** Key hashes of the resource group of the primary store and, for a coin, of the CoinStore. */
export function balanceKeys(
  owner: Address,
  asset: Asset,
  trace: KeyTrace | undefined,
): readonly Uint8Array[] {
  // A trace identifies a hash by its array, so hashes copied out of the cache are unknown to it.
  if (trace !== undefined) return balanceKeyHashes(owner, asset, trace);
  const row = rowOf(owner, asset.id);
  const start = row * ROW_BYTES;
  if (isPairAt(row, owner, asset)) {
    hits++;
    // A copy, because another pair may overwrite the row while the caller uses the keys.
    const keys = Buffer.allocUnsafe(2 * KEY_BYTES);
    rows.copy(keys, 0, start + KEY_BYTES, start + ROW_BYTES);
    const group = keys.subarray(0, KEY_BYTES);
    return asset.coinStoreTag === undefined ? [group] : [group, keys.subarray(KEY_BYTES)];
  }
  misses++;
  if (assetIds[row] === undefined) usedRows++;
  else evictions++;
  const keys = preparedBalanceKeyHashes(owner, asset);
  assetIds[row] = asset.id;
  positionNumbers[row] = 0;
  rows.set(owner, start);
  for (let i = 0; i < keys.length; i++) rows.set(keys[i] ?? owner, start + (i + 1) * KEY_BYTES);
  return keys;
}
