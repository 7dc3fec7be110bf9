// The state keys that a balance is read from.
import { encodeWith } from "../../bcs/codec.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import { structTagCodec } from "../../move/type-tag.ts";
import { resourceGroupKeyHash, resourceKeyHash } from "../key-hash.ts";
import type { KeyTrace } from "../key-trace.ts";
import { type Asset, primaryStoreAddress } from "./asset.ts";

/** BCS of the struct tag of the group that holds an object's resources. */
export const OBJECT_GROUP_TAG: Uint8Array = encodeWith(structTagCodec, {
  address: FRAMEWORK,
  module: "object",
  name: "ObjectGroup",
  typeArgs: [],
});

/** Key hashes of the resource group of the primary store and, for a coin, of the CoinStore. */
export function balanceKeyHashes(
  owner: Address,
  asset: Asset,
  trace: KeyTrace | undefined,
): readonly Uint8Array[] {
  const group = resourceGroupKeyHash(primaryStoreAddress(owner, asset.metadata), OBJECT_GROUP_TAG, trace);
  return asset.coinStoreTag === undefined
    ? [group]
    : [group, resourceKeyHash(owner, asset.coinStoreTag, trace)];
}
