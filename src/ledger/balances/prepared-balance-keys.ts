// The hashes of `balanceKeyHashes`, faster. As long as the asset stays the same they differ in the owner only, so all
// other bytes stay prepared, and each hash goes where the next one needs it.
import { MAX_SHORT_INPUT, PreparedInput } from "../../base/keccak.ts";
import type { Address } from "../../move/address.ts";
import { HASHED_ADDRESS_AT, resourceGroupHashInput, resourceHashInput } from "../key-hash.ts";
import { type Asset, PRIMARY_STORE_INPUT_BYTES, primaryStoreInput } from "./asset.ts";
import { balanceKeyHashes, OBJECT_GROUP_TAG } from "./balance-key-hashes.ts";

const groupBytes = resourceGroupHashInput(OBJECT_GROUP_TAG);
const storeInput = new PreparedInput(PRIMARY_STORE_INPUT_BYTES);
const groupInput = new PreparedInput(groupBytes.length);
const coinInput = new PreparedInput(MAX_SHORT_INPUT);
groupInput.load(groupBytes);
/** The asset of `storeInput` and `coinInput`. */
let prepared: Asset | undefined;

/** Prepares an asset; false for a coin whose key is too long. */
function prepare(asset: Asset): boolean {
  if (asset === prepared) return true;
  if (asset.coinStoreTag !== undefined) {
    const coinBytes = resourceHashInput(asset.coinStoreTag);
    if (coinBytes.length > MAX_SHORT_INPUT) return false;
    coinInput.load(coinBytes);
  }
  storeInput.load(primaryStoreInput(asset.metadata));
  prepared = asset;
  return true;
}

/** Key hashes of the resource group of the primary store and, for a coin, of the CoinStore. */
export function preparedBalanceKeyHashes(owner: Address, asset: Asset): readonly Uint8Array[] {
  if (!prepare(asset)) return balanceKeyHashes(owner, asset, undefined);
  storeInput.put(owner, 0);
  if (asset.coinStoreTag === undefined) {
    storeInput.hashInto(groupInput, HASHED_ADDRESS_AT);
    return [groupInput.hash()];
  }
  coinInput.put(owner, HASHED_ADDRESS_AT);
  return storeInput.hashChain(groupInput, HASHED_ADDRESS_AT, coinInput);
}
