// Asset types in paths: an address is tried first, then a struct tag.
import { type Asset, parseAsset } from "../../ledger/asset.ts";
import type { Field } from "../operation.ts";

/** A coin type or the metadata address of a fungible asset. */
export const assetTypeField: Field<Asset> = {
  schema: { type: "string" },
  description:
    "The metadata address of a fungible asset, or a coin type as `address::module::Name<…>`. In a path `<`, `>` and spaces are escaped.",
  example: "0x1::aptos_coin::AptosCoin",
  expected: "a hex address or a struct tag",
  parse: parseAsset,
};
