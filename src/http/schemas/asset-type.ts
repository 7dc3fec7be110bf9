// Asset types in paths: an address is tried first, then a struct tag. Most requests ask for one of a few coin
// types, and parsing one, encoding its CoinStore's tag and deriving its metadata costs more than all the rest
// of reading a balance, so recent ones are kept.
import type { CacheStats } from "../../base/cache-stats.ts";
import { RecentTexts } from "../../base/recent.ts";
import { type Asset, parseAsset } from "../../ledger/balances/asset.ts";
import { MoveError } from "../../move/errors.ts";
import type { Field, JsonSchema } from "../field.ts";
import { named } from "./named.ts";
import { ASSET_PATTERN } from "./patterns.ts";

const CACHE_BYTES = 2 ** 20;
/** Bytes of an entry besides its texts and tag: an object, an address, a short text and a map slot. */
const ENTRY_BYTES = 512;
/** No chain has a type of this length, and parsing one would hold the event loop. */
const MAX_TEXT_LENGTH = 16_384;
const assets = new RecentTexts<Asset>(
  (text) => {
    if (text.length <= MAX_TEXT_LENGTH) return parseAsset(text);
    throw new MoveError("type", `a type of ${text.length} characters; at most ${MAX_TEXT_LENGTH} are taken`);
  },
  {
    maxBytes: CACHE_BYTES,
    sizeOf: (text, { coinStoreTag }) => ENTRY_BYTES + 2 * text.length + (coinStoreTag?.length ?? 0),
  },
);

/** Figures of the asset-type cache. */
export function assetCacheStats(): CacheStats {
  return assets.stats();
}

/** Schema of an asset type. */
const ASSET_TYPE_SCHEMA: JsonSchema = named("AssetType", {
  type: "string",
  format: "asset-type",
  pattern: ASSET_PATTERN,
  description: "The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`.",
  example: "0x1::aptos_coin::AptosCoin",
});

/** A coin type or the metadata address of a fungible asset. */
export const assetTypeField: Field<Asset> = {
  schema: ASSET_TYPE_SCHEMA,
  description:
    "The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.",
  example: "0x1::aptos_coin::AptosCoin",
  expected: "a hex address or a struct tag",
  parse: assets.parse,
};
