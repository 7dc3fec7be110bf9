// State keys: what names an item of the state. They have two encodings: BCS, as write sets carry them, and
// the storage form, which is what gets hashed. The hash is where the item stands in the state tree and in
// the store.
import { encodeWith, type ValueOf } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { byteString } from "../bcs/scalars.ts";
import { structTagCodec } from "../move/type-tag.ts";
import { addressCodec, moduleIdCodec } from "../move/wire.ts";
import { hashOf, hashOfParts, SEEDS } from "./hash.ts";

/** A perpetual position of the trading engine; it lives in a tree of its own. */
const tradingPositionCodec = variants("TradingNativeKey", {
  position: { exchange: addressCodec, account: addressCodec, market: addressCodec },
});

/** The name of a state item, in BCS. */
export const stateKeyCodec = variants("StateKey", {
  /** Code, a resource or a resource group at an address; the path is BCS of an AccessPath. */
  accessPath: { address: addressCodec, path: byteString },
  tableItem: { handle: addressCodec, key: byteString },
  /** Only tests of the chain use it. */
  raw: { key: byteString },
  tradingNative: { item: tradingPositionCodec },
});
export type StateKey = ValueOf<typeof stateKeyCodec>;

/** The path inside an access path key. */
export const accessPathCodec = variants("AccessPath", {
  /** The address of the module stands here once more. */
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
const TAG_AND_HANDLE = 33;

const NOTHING: Uint8Array = new Uint8Array(0);

/** What follows the length that stands at the offset. */
function afterLength(bcs: Uint8Array, offset: number): Uint8Array {
  let at = offset;
  while ((bcs[at] ?? 0) >= 0x80) at++;
  return bcs.subarray(at + 1);
}

/** The parts that make up the storage form, given the BCS of a key that was read or skipped before. */
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

/** Hash of a key from its BCS, which must have been read or skipped before. */
export function stateKeyHashOfBcs(bcs: Uint8Array): Uint8Array {
  if (bcs[0] === 0) return hashOf(SEEDS.stateKey, bcs);
  const [head, tail] = storageParts(bcs);
  return hashOfParts(SEEDS.stateKey, head, tail);
}
