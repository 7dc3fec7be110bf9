// The index from owners to their state items. State items are stored by the hash of their key only, so without it nobody
// could list them. Five kinds of rows (transaction-rows.ts has 4 to 6):
//
// kind  owner     place                        data                                  item
// 0     address   key hash                     BCS of the state key after its owner  resource, resource group or module
// 1     table     key hash                     BCS of the state key after its owner  table item
// 2     account   metadata address             nothing                               primary store of a fungible asset
// 3     account   address of paired metadata   BCS of the coin's struct tag          CoinStore
// 7     key hash  key hash                     BCS of the state key                  any item of neither address nor table
//
// So every item has one row with its whole key. Kinds 0 and 1 are the variant numbers of the keys in BCS. The address of a primary store is a hash of its first owner and
// the metadata, and the balance rule reads whatever lies there, no matter who owns the object later. So a row of kind 2
// stays right when the object changes hands, and rows of kinds 2 and 3 never change their place.
import { equalBytes } from "../../base/bytes.ts";
import { remembered } from "../../base/recent.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { ADDRESS_LENGTH, type Address, addressFromBytes } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import { structTagCodec } from "../../move/type-tag.ts";
import { coinAsset, primaryStoreAddress } from "../balances/asset.ts";
import { OBJECT_GROUP_TAG } from "../balances/balance-keys.ts";
import { type AccessPath, accessPathCodec, stateKeyCodec, stateKeyHashOfBcs } from "../formats/state-key.ts";
import { stateValueData } from "../formats/state-value.ts";
import { findGroupMembers } from "../items/resource-group.ts";
import { frameworkTag, fungibleStoreCodec, objectCoreCodec } from "../items/resources.ts";
import type { OwnedKey } from "../view.ts";

/** Kinds of rows; never reused for other content. */
const KINDS = { address: 0, table: 1, fungible: 2, coin: 3, other: 7 } as const;

/** Bytes of a kind and an address. */
const OWNER_BYTES = 1 + ADDRESS_LENGTH;
/** Bytes of a key hash, and of an address. */
const PLACE_BYTES = 32;

/** The owner of rows. */
export function ownerOf(kind: keyof typeof KINDS, address: Address): Uint8Array {
  const owner = new Uint8Array(OWNER_BYTES);
  owner[0] = KINDS[kind];
  owner.set(address, 1);
  return owner;
}

/** The address whose items an owner's rows list; undefined for an owner of another kind. */
export function addressOfOwner(owner: Uint8Array): Address | undefined {
  return owner[0] === KINDS.address ? addressFromBytes(owner.subarray(1)) : undefined;
}

/** A row without the item that it belongs to. */
export interface OwnedRow extends OwnedKey {
  readonly owner: Uint8Array;
}

const RESOURCE = 1;
const RESOURCE_GROUP = 2;
const NOTHING = new Uint8Array(0);

/** A state key of the given path after its address. */
function pathTail(path: number, structTag: Uint8Array): Uint8Array {
  return new BcsWriter(256).byteString(Buffer.concat([Uint8Array.of(path), structTag])).take();
}

const GROUP_TAIL = pathTail(RESOURCE_GROUP, OBJECT_GROUP_TAG);
const OBJECT_TAGS = [frameworkTag("object", "ObjectCore"), frameworkTag("fungible_asset", "FungibleStore")];
/** Place of the owner in an ObjectCore: after the counter of its events. */
const OBJECT_OWNER_AT = 8;

/** Path of `CoinStore<T>` up to the struct tag of T. */
const COIN_STORE_START = ((): Uint8Array => {
  const anyStruct = { kind: "struct", struct: decodeWith(structTagCodec, OBJECT_GROUP_TAG) } as const;
  const tag = frameworkTag("coin", "CoinStore", [anyStruct]);
  const path = Buffer.concat([Uint8Array.of(RESOURCE), tag]);
  return Uint8Array.from(path.subarray(0, path.length - OBJECT_GROUP_TAG.length));
})();

/** Whether a key is the resource group of an object. */
export function isObjectGroup(key: Uint8Array): boolean {
  if (key.length !== OWNER_BYTES + GROUP_TAIL.length || key[0] !== KINDS.address) return false;
  for (let i = 0; i < GROUP_TAIL.length; i++) if (key[OWNER_BYTES + i] !== GROUP_TAIL[i]) return false;
  return true;
}

/** Paired metadata of a coin type; nothing for a type that cannot be asked for. */
const pairedPlace = remembered(
  (coinTag): Uint8Array => {
    try {
      return coinAsset(decodeWith(structTagCodec, coinTag)).metadata;
    } catch (error) {
      if (error instanceof BcsError || error instanceof MoveError) return NOTHING;
      throw error;
    }
  },
  { maxBytes: 256 * 1024, perByte: 2 },
);

/** The row of a CoinStore; undefined for any other resource. */
function coinRow(key: Uint8Array): OwnedRow | undefined {
  // Short paths have a length of one byte, longer ones of two or more.
  let at = OWNER_BYTES;
  while ((key[at] ?? 0) >= 0x80) at++;
  at++;
  if (key.length < at + COIN_STORE_START.length) return undefined;
  for (let i = 0; i < COIN_STORE_START.length; i++) {
    if (key[at + i] !== COIN_STORE_START[i]) return undefined;
  }
  const coinTag = key.subarray(at + COIN_STORE_START.length);
  const place = pairedPlace(coinTag);
  if (place.length === 0) return undefined;
  return { owner: withKind(KINDS.coin, key), place, data: coinTag };
}

/** Address of the metadata paired with the coin of a CoinStore, from its key; undefined for any other item. */
export function coinStorePlace(key: Uint8Array): Uint8Array | undefined {
  return coinRow(key)?.place;
}

function withKind(kind: number, key: Uint8Array): Uint8Array {
  const owner = Uint8Array.prototype.slice.call(key, 0, OWNER_BYTES);
  owner[0] = kind;
  return owner;
}

/** The owner of an object, and the metadata of the fungible asset if the object is a store, from its resource group. */
export function objectParties(group: Uint8Array): { readonly owner?: Address; readonly metadata?: Address } {
  const [core, store] = findGroupMembers(group, OBJECT_TAGS) ?? [];
  return {
    ...(core?.length === objectCoreCodec.minBytes && {
      owner: addressFromBytes(core.subarray(OBJECT_OWNER_AT, OBJECT_OWNER_AT + ADDRESS_LENGTH)),
    }),
    ...(store?.length === fungibleStoreCodec.minBytes && {
      metadata: addressFromBytes(store.subarray(0, ADDRESS_LENGTH)),
    }),
  };
}

/** The row of a primary store, from the group of the object at its address; undefined for any other object. */
function storeRow(key: Uint8Array, value: Uint8Array): OwnedRow | undefined {
  const { owner, metadata } = objectParties(stateValueData(value));
  if (owner === undefined || metadata === undefined) return undefined;
  if (!equalBytes(primaryStoreAddress(owner, metadata), key.subarray(1, OWNER_BYTES))) return undefined;
  return { owner: ownerOf("fungible", owner), place: metadata, data: NOTHING };
}

/**
 * The rows of an item. `value` is the BCS of its StateValue; for a deletion, of the one deleted, which only the group of an
 * object needs.
 */
export function ownedRows(key: Uint8Array, keyHash: Uint8Array, value: Uint8Array | undefined): OwnedRow[] {
  const kind = key[0];
  if (kind !== KINDS.address && kind !== KINDS.table) {
    return [{ owner: ownerOf("other", addressFromBytes(keyHash)), place: keyHash, data: key }];
  }
  const rows = [{ owner: key.subarray(0, OWNER_BYTES), place: keyHash, data: key.subarray(OWNER_BYTES) }];
  if (kind === KINDS.table) return rows;
  const row = isObjectGroup(key) ? value && storeRow(key, value) : coinRow(key);
  if (row !== undefined) rows.push(row);
  return rows;
}

/** Hash of the state key of the item that a row belongs to; undefined if no item can have this row. */
export function itemOfRow({ owner, place, data }: OwnedRow): Uint8Array | undefined {
  if (owner.length !== OWNER_BYTES || place.length !== PLACE_BYTES) return undefined;
  const address = owner.subarray(1);
  switch (owner[0]) {
    case KINDS.address:
    case KINDS.table: {
      const keyHash = hashOfKey(Buffer.concat([owner, data]));
      return keyHash !== undefined && equalBytes(keyHash, place) ? keyHash : undefined;
    }
    case KINDS.other: {
      const keyHash = hashOfKey(data);
      const isOwn = keyHash !== undefined && equalBytes(keyHash, place) && equalBytes(keyHash, address);
      return isOwn && data[0] !== KINDS.address && data[0] !== KINDS.table ? keyHash : undefined;
    }
    case KINDS.fungible: {
      const store = primaryStoreAddress(addressFromBytes(address), addressFromBytes(place));
      const key = Buffer.concat([Uint8Array.of(KINDS.address), store, GROUP_TAIL]);
      return data.length === 0 ? hashOfKey(key) : undefined;
    }
    case KINDS.coin: {
      if (!equalBytes(pairedPlace(data), place)) return undefined;
      const path = new BcsWriter(256).byteString(Buffer.concat([COIN_STORE_START, data])).take();
      return hashOfKey(Buffer.concat([Uint8Array.of(KINDS.address), address, path]));
    }
    default:
      return undefined;
  }
}

/** Hash of a state key; undefined if these bytes are none. */
function hashOfKey(key: Uint8Array): Uint8Array | undefined {
  try {
    decodeWith(stateKeyCodec, key);
  } catch (error) {
    if (error instanceof BcsError) return undefined;
    throw error;
  }
  return stateKeyHashOfBcs(key);
}

/**
 * True for a row that may outlive its item: an object that lost its store keeps the row of it, and nothing tells that row
 * when the object is deleted later.
 */
export function mayOutliveItem({ owner }: Pick<OwnedRow, "owner">): boolean {
  return owner[0] === KINDS.fungible;
}

/** The state key of the item, from the one of its rows that has it; undefined for any other row. */
export function keyOfRow({ owner, data }: OwnedRow): Uint8Array | undefined {
  if (owner[0] === KINDS.other) return data;
  return owner[0] === KINDS.address || owner[0] === KINDS.table ? Buffer.concat([owner, data]) : undefined;
}

/** The path of an item of an address, from its row. Throws BcsError. */
export function pathOf(owner: Uint8Array, { data }: OwnedKey): AccessPath {
  const key = decodeWith(stateKeyCodec, Buffer.concat([owner, data]));
  if (key.kind !== "accessPath") throw new Error("expected an access path");
  return decodeWith(accessPathCodec, key.path);
}

/** The key bytes of a table item, from its row. Throws BcsError. */
export function tableKeyOf(owner: Uint8Array, { data }: OwnedKey): Uint8Array {
  const key = decodeWith(stateKeyCodec, Buffer.concat([owner, data]));
  if (key.kind !== "tableItem") throw new Error("expected a table item");
  return key.key;
}
