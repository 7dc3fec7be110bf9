// Items: a state key with the layout of its value. The key hash is computed once.
import { type Codec, encodeWith } from "../bcs/codec.ts";
import {
  type AccessPath,
  accessPathCodec,
  type StateKey,
  stateKeyHash,
} from "../ledger/formats/state-key.ts";
import { type ResourceGroup, resourceGroupCodec } from "../ledger/items/resources.ts";
import type { Address } from "../move/address.ts";
import type { StructTag } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";

/** A state item whose value is a T. */
export interface Item<T> {
  readonly key: StateKey;
  readonly keyHash: Uint8Array;
  /** The key hash as text: items made apart for one key are one item of the state. */
  readonly id: string;
  readonly codec: Codec<T>;
}

/** The id of the item with a key hash. */
export function idOf(keyHash: Uint8Array): string {
  return Buffer.from(keyHash).toString("latin1");
}

function createItem<T>(key: StateKey, codec: Codec<T>): Item<T> {
  const keyHash = stateKeyHash(key);
  return { key, keyHash, id: idOf(keyHash), codec };
}

function pathItem<T>(address: Address, path: AccessPath, codec: Codec<T>): Item<T> {
  return createItem({ kind: "accessPath", address, path: encodeWith(accessPathCodec, path) }, codec);
}

/** Parsed type texts. The texts are constants of this room, so there are few. */
const TAGS = new Map<string, StructTag>();

/** The struct tag of a type text. */
export function tagOf(type: string | StructTag): StructTag {
  if (typeof type !== "string") return type;
  const tag = TAGS.get(type) ?? parseStructTag(type);
  TAGS.set(type, tag);
  return tag;
}

/** A resource at an address. */
export function resourceItem<T>(address: Address, type: string | StructTag, codec: Codec<T>): Item<T> {
  return pathItem(address, { kind: "resource", struct: tagOf(type) }, codec);
}

/** The resource group of an object. */
export function objectItem(address: Address): Item<ResourceGroup> {
  const struct = tagOf("0x1::object::ObjectGroup");
  return pathItem(address, { kind: "resourceGroup", struct }, resourceGroupCodec);
}

/** The rest of the input, unchanged. */
export const rawCodec: Codec<Uint8Array> = {
  minBytes: 0,
  read: (reader) => reader.fixed(reader.remaining),
  write: (writer, value) => void writer.fixed(value),
  skip: (reader) => reader.skip(reader.remaining),
};

/** The code of a module. */
export function moduleItem(address: Address, name: string): Item<Uint8Array> {
  return pathItem(address, { kind: "code", module: { address, name } }, rawCodec);
}

/** An item of a table, by the BCS of its key. */
export function tableItem<T>(handle: Address, key: Uint8Array, codec: Codec<T>): Item<T> {
  return createItem({ kind: "tableItem", handle, key }, codec);
}
