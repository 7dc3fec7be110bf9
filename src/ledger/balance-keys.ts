// The state keys that a balance is read by. Three hashes make them, which is most of what a balance costs, so
// those of recent pairs of owner and asset are kept.
import { RecentMap } from "../base/recent.ts";
import { encode } from "../bcs/writer.ts";
import { type Address, parseAddress } from "../move/address.ts";
import { writeStructTag } from "../move/type-tag.ts";
import { type Asset, latin1, primaryStoreAddress } from "./asset.ts";
import { resourceGroupKeyHash, resourceKeyHash } from "./key-hash.ts";
import { isTraced } from "./key-trace.ts";

/** BCS of the struct tag of the group that holds an object's resources. */
export const OBJECT_GROUP_TAG: Uint8Array = encode(
  { address: parseAddress("0x1"), module: "object", name: "ObjectGroup", typeArgs: [] },
  writeStructTag,
);

/** Pairs kept at least; twice that at about half a kilobyte each makes some eight megabytes at most. */
const KEPT_PAIRS = 8192;

const kept = new RecentMap<string, readonly Uint8Array[]>(KEPT_PAIRS);

function makeKeys(owner: Address, asset: Asset): readonly Uint8Array[] {
  const group = resourceGroupKeyHash(primaryStoreAddress(owner, asset.metadata), OBJECT_GROUP_TAG);
  return asset.coinStoreTag === undefined ? [group] : [group, resourceKeyHash(owner, asset.coinStoreTag)];
}

/** Key hashes of the primary store's group and, for a coin, of its CoinStore. Not to be changed. */
export function balanceKeys(owner: Address, asset: Asset): readonly Uint8Array[] {
  const pair = latin1(owner) + asset.id;
  let keys = kept.get(pair);
  // Hashes from before tracing was turned on do not carry their keys.
  if (keys === undefined || !isTraced(keys)) {
    keys = makeKeys(owner, asset);
    kept.set(pair, keys);
  }
  return keys;
}
