// The assets of the local chain: the native coin, a coin of a generic type, and a fungible asset without a coin type.
import { sha3Parts } from "../../base/sha3.ts";
import { pairedMetadata } from "../../ledger/balances/asset.ts";
import { type Address, addressFromBytes, formatAddressLong } from "../../move/address.ts";
import { formatStructTag, type StructTag } from "../../move/type-tag.ts";
import { tagOf } from "../item.ts";

/** Short names of the assets. */
export type AssetName = "native" | "gold" | "shell";

/** One asset. */
export interface DemoAsset {
  readonly name: AssetName;
  readonly title: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Undefined for a pure fungible asset. */
  readonly coinType: StructTag | undefined;
  /** Address of its fungible asset metadata. */
  readonly metadata: Address;
}

/** Last byte of the preimage of a named object's address. */
const NAMED_OBJECT = Uint8Array.of(0xfe);
const utf8 = new TextEncoder();

function namedObject(creator: Address, seed: string): Address {
  return addressFromBytes(sha3Parts(creator, utf8.encode(seed), NAMED_OBJECT));
}

/** The asset as requests name it: its coin type, or the address of its metadata. */
export function assetText(asset: DemoAsset): string {
  return asset.coinType === undefined ? formatAddressLong(asset.metadata) : formatStructTag(asset.coinType);
}

/** The assets of a chain whose demo module is published at `demoAddress`. */
export function createAssets(demoAddress: Address): Readonly<Record<AssetName, DemoAsset>> {
  const demoModule = { address: demoAddress, module: "demo", typeArgs: [] };
  const gold: StructTag = {
    ...demoModule,
    name: "Token",
    typeArgs: [{ kind: "struct", struct: { ...demoModule, name: "Gold" } }, { kind: "u64" }],
  };
  const native = tagOf("0x1::aptos_coin::AptosCoin");
  return {
    native: {
      name: "native",
      title: "Aptos Coin",
      symbol: "APT",
      decimals: 8,
      coinType: native,
      metadata: pairedMetadata(native),
    },
    gold: {
      name: "gold",
      title: "Demo Gold",
      symbol: "GOLD",
      decimals: 2,
      coinType: gold,
      metadata: pairedMetadata(gold),
    },
    shell: {
      name: "shell",
      title: "Demo Shell",
      symbol: "SHELL",
      decimals: 6,
      coinType: undefined,
      metadata: namedObject(demoAddress, "SHELL"),
    },
  };
}
