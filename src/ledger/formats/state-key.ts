// State keys: the names of state items. They have two encodings: BCS, in write sets, and the storage form, which is
// hashed. The hash gives the item's place in the state tree and in the store.
import { encodeWith, type ValueOf } from "../../bcs/codec.ts";
import { variants } from "../../bcs/records.ts";
import { byteString } from "../../bcs/scalars.ts";
import { structTagCodec } from "../../move/type-tag.ts";
import { addressCodec, moduleIdCodec } from "../../move/wire.ts";
import { HASH_LENGTH, hashOf, hashOfParts, SEEDS } from "../hash.ts";

/** A perpetual position of the trading engine. Positions have a separate tree. */
const tradingPositionCodec = variants("TradingNativeKey", {
  position: { exchange: addressCodec, account: addressCodec, market: addressCodec },
});

/** State keys in BCS. */
export const stateKeyCodec = variants("StateKey", {
  /** Code, a resource or a resource group at an address; the path is BCS of an AccessPath. */
  accessPath: { address: addressCodec, path: byteString },
  tableItem: { handle: addressCodec, key: byteString },
  /** Used only by tests of the chain. */
  raw: { key: byteString },
  tradingNative: { item: tradingPositionCodec },
});
export type StateKey = ValueOf<typeof stateKeyCodec>;

/** The path inside an access path key. */
export const accessPathCodec = variants("AccessPath", {
  /** Repeats the address of the key. */
  code: { module: moduleIdCodec },
  resource: { struct: structTagCodec },
  resourceGroup: { struct: structTagCodec },
});
export type AccessPath = ValueOf<typeof accessPathCodec>;

const BCS_TABLE_ITEM = 1;
const BCS_RAW = 2;
const BCS_TRADING_NATIVE = 3;
const STORAGE_RAW: Uint8Array = Uint8Array.of(0xff);
const STORAGE_TRADING_NATIVE: Uint8Array = Uint8Array.of(0x02);
/** Before the length of an access path, or of a key in a table. */
export const TAG_AND_HANDLE = 33;

const NOTHING: Uint8Array = new Uint8Array(0);

/** The bytes after the length at `offset`. */
export function afterLength(bcs: Uint8Array, offset: number): Uint8Array {
  let at = offset;
  while ((bcs[at] ?? 0) >= 0x80) at++;
  return bcs.subarray(at + 1);
}

/** The two parts of the storage form, from the BCS of a key that was decoded or skipped before. */
function storageParts(bcs: Uint8Array): [Uint8Array, Uint8Array] {
  switch (bcs[0]) {
    case BCS_TABLE_ITEM:
      return [bcs.subarray(0, TAG_AND_HANDLE), afterLength(bcs, TAG_AND_HANDLE)];
    case BCS_RAW:
      return [STORAGE_RAW, afterLength(bcs, 1)];
    case BCS_TRADING_NATIVE:
      return [STORAGE_TRADING_NATIVE, bcs.subarray(1)];
    default:
      return [bcs, NOTHING];
  }
}

/** Hash of a key. */
export function stateKeyHash(key: StateKey): Uint8Array {
  return stateKeyHashOfBcs(encodeWith(stateKeyCodec, key));
}

/** Recent keys, of which most ledgers write a few again and again: finding a key costs a quarter of hashing it. */
const RECENT_KEYS = 4096;
/** Longer keys are not kept. */
const RECENT_KEY_BYTES = 160;
const RECENT_ROW_BYTES = 1 + RECENT_KEY_BYTES + HASH_LENGTH;
let recentKeys: Uint8Array | undefined;

/** Where a key has its row: its length, itself, its hash. A new key replaces the one in its place. */
function recentRow(bcs: Uint8Array): number {
  const { length } = bcs;
  let place = length;
  for (let i = TAG_AND_HANDLE - 4; i < TAG_AND_HANDLE; i++) place = Math.imul(place, 31) + (bcs[i] ?? 0);
  for (let i = Math.max(0, length - 12); i < length; i++) place = Math.imul(place, 31) + (bcs[i] ?? 0);
  return ((place ^ (place >>> 12)) & (RECENT_KEYS - 1)) * RECENT_ROW_BYTES;
}

function isInRow(rows: Uint8Array, at: number, bcs: Uint8Array): boolean {
  if (rows[at] !== bcs.length) return false;
  for (let i = 0; i < bcs.length; i++) if (rows[at + 1 + i] !== bcs[i]) return false;
  return true;
}

/** Hash of a key from its BCS. The caller must have decoded or skipped the key first. */
export function stateKeyHashOfBcs(bcs: Uint8Array): Uint8Array {
  if (bcs.length === 0 || bcs.length > RECENT_KEY_BYTES) return computeHash(bcs);
  recentKeys ??= new Uint8Array(RECENT_KEYS * RECENT_ROW_BYTES);
  const at = recentRow(bcs);
  const hashAt = at + 1 + RECENT_KEY_BYTES;
  if (isInRow(recentKeys, at, bcs)) return recentKeys.slice(hashAt, hashAt + HASH_LENGTH);
  const hash = computeHash(bcs);
  recentKeys[at] = bcs.length;
  recentKeys.set(bcs, at + 1);
  recentKeys.set(hash, hashAt);
  return hash;
}

function computeHash(bcs: Uint8Array): Uint8Array {
  if (bcs[0] === 0) return hashOf(SEEDS.stateKey, bcs);
  const [head, tail] = storageParts(bcs);
  return hashOfParts(SEEDS.stateKey, head, tail);
}
