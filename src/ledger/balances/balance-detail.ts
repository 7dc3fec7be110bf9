// What a balance is made of: its parts, where they were looked for and whether they are there, and how the asset is called.
import { type Codec, decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import type { Address } from "../../move/address.ts";
import { formatStructTag, structTagCodec } from "../../move/type-tag.ts";
import { findGroupMembers } from "../items/resource-group.ts";
import {
  assetMetadataCodec,
  coinInfoCodec,
  coinStoreCodec,
  concurrentBalanceCodec,
  frameworkTag,
  fungibleStoreCodec,
} from "../items/resources.ts";
import { resourceGroupKeyHash, resourceKeyHash } from "../key-hash.ts";
import type { KeyTrace } from "../key-trace.ts";
import type { LedgerView, StateItem } from "../view.ts";
import { type Asset, primaryStoreAddress } from "./asset.ts";
import { balanceKeys, OBJECT_GROUP_TAG } from "./balance-keys.ts";
import { addParts, amountOfPart, dataOf } from "./balance-parts.ts";

/** Where a part was looked for, and what was found. */
export interface PartDetail {
  /** Address whose state was read. */
  readonly address: Address;
  /** Type of the resource or resource group that was read there. */
  readonly type: string;
  readonly keyHash: Uint8Array;
  /** False: the amount is 0 because there is no store, not because it is empty. */
  readonly exists: boolean;
  /** What counts towards the balance. */
  readonly amount: bigint;
  /** Undefined where there is no store. */
  readonly frozen: boolean | undefined;
}

/** The primary store of a fungible asset. */
export interface FungibleDetail extends PartDetail {
  readonly metadata: Address;
  /** Whether there is an object at the address, with a store in it or not. */
  readonly objectExists: boolean;
  /** Amount in the store itself; undefined where there is none. */
  readonly storeAmount: bigint | undefined;
  /** Amount in its concurrent balance, which counts while the store itself has 0; undefined where there is none. */
  readonly concurrentAmount: bigint | undefined;
}

/** How an asset is called, and how its amounts are written. */
export interface AssetInfo {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

export interface BalanceDetail {
  readonly balance: bigint;
  /** The CoinStore; undefined for a question by metadata address, which does not count it. */
  readonly coin: PartDetail | undefined;
  readonly fungible: FungibleDetail;
  /** Undefined where the ledger does not have it. */
  readonly info: AssetInfo | undefined;
}

const OBJECT_GROUP = "0x1::object::ObjectGroup";

const STORE = frameworkTag("fungible_asset", "FungibleStore");
const CONCURRENT = frameworkTag("fungible_asset", "ConcurrentFungibleBalance");
const METADATA = frameworkTag("fungible_asset", "Metadata");

/** The value, or undefined where there is none or its bytes are something else. */
function decodeIf<T>(codec: Codec<T>, bytes: Uint8Array | undefined): T | undefined {
  if (bytes === undefined) return undefined;
  try {
    return decodeWith(codec, bytes);
  } catch (error) {
    if (error instanceof BcsError) return undefined;
    throw error;
  }
}

/** Where a coin type is described: `CoinInfo<T>` at the address of the module that defines T. */
function coinInfoPlace(coinStoreTag: Uint8Array): readonly [Address, Uint8Array] {
  const { typeArgs } = decodeWith(structTagCodec, coinStoreTag);
  const [coin] = typeArgs;
  if (coin?.kind !== "struct") throw new Error("a CoinStore is of a struct");
  return [coin.struct.address, frameworkTag("coin", "CoinInfo", typeArgs)];
}

/** Key hashes of the items that describe an asset. */
export function assetInfoKeys(
  { metadata, coinStoreTag }: Asset,
  trace: KeyTrace | undefined,
): readonly Uint8Array[] {
  const metadataKey = resourceGroupKeyHash(metadata, OBJECT_GROUP_TAG, trace);
  if (coinStoreTag === undefined) return [metadataKey];
  return [metadataKey, resourceKeyHash(...coinInfoPlace(coinStoreTag), trace)];
}

/** How an asset is called, from the items of `assetInfoKeys`. */
export function assetInfoOf([metadata, coinInfo]: readonly (StateItem | undefined)[]): AssetInfo | undefined {
  const group = dataOf(metadata);
  const [described] = group === undefined ? [] : (findGroupMembers(group, [METADATA]) ?? []);
  const info = decodeIf(coinInfoCodec, dataOf(coinInfo)) ?? decodeIf(assetMetadataCodec, described);
  return info && { name: info.name, symbol: info.symbol, decimals: info.decimals };
}

/** The parts of a balance at a version, read in one go. Throws LedgerError as reading the balance does. */
export async function readBalanceDetail(
  view: LedgerView,
  owner: Address,
  asset: Asset,
  version: bigint,
): Promise<BalanceDetail> {
  const { metadata, coinStoreTag } = asset;
  const trace = view.keyTrace;
  const keys = balanceKeys(owner, asset, trace);
  const items = await view.getItems([...keys, ...assetInfoKeys(asset, trace)], version);
  const amounts = keys.map((_, place) => amountOfPart(place, items[place]));
  const balance = addParts(amounts);
  const [groupKey = new Uint8Array(), coinKey = new Uint8Array()] = keys;
  const [fungibleAmount = 0n, coinAmount = 0n] = amounts;
  const group = dataOf(items[0]);
  const [store, concurrent] = group === undefined ? [] : (findGroupMembers(group, [STORE, CONCURRENT]) ?? []);
  const stored = decodeIf(fungibleStoreCodec, store);
  const coinStore = coinStoreTag === undefined ? undefined : decodeIf(coinStoreCodec, dataOf(items[1]));
  return {
    balance,
    coin:
      coinStoreTag === undefined
        ? undefined
        : {
            address: owner,
            type: formatStructTag(decodeWith(structTagCodec, coinStoreTag)),
            keyHash: coinKey,
            exists: coinStore !== undefined,
            amount: coinAmount,
            frozen: coinStore?.frozen,
          },
    fungible: {
      address: primaryStoreAddress(owner, metadata),
      type: OBJECT_GROUP,
      keyHash: groupKey,
      metadata,
      objectExists: group !== undefined,
      exists: stored !== undefined,
      amount: fungibleAmount,
      storeAmount: stored?.balance,
      concurrentAmount:
        stored === undefined ? undefined : decodeIf(concurrentBalanceCodec, concurrent)?.value,
      frozen: stored?.frozen,
    },
    info: assetInfoOf(items.slice(keys.length)),
  };
}
