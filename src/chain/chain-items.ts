// The state items that blocks of the local chain read and write.
import { sha3Parts } from "../base/sha3.ts";
import { type Codec, encodeWith, type ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { text, u8, u64 } from "../bcs/scalars.ts";
import { primaryStoreAddress } from "../ledger/balances/asset.ts";
import { validatorSetCodec } from "../ledger/formats/validator-set.ts";
import {
  type AccountResource,
  accountCodec,
  blockResourceCodec,
  type CoinInfo,
  type CoinStore,
  coinInfoCodec,
  coinStoreCodec,
  commitHistoryCodec,
  configurationCodec,
  type ResourceGroup,
  validatorPerformanceCodec,
} from "../ledger/items/resources.ts";
import { type Address, addressFromBytes, FRAMEWORK } from "../move/address.ts";
import type { StructTag } from "../move/type-tag.ts";
import { addressCodec } from "../move/wire.ts";
import { type AssetName, createAssets, type DemoAsset } from "./demo/assets.ts";
import { createDemoAccounts, type DemoAccountName, type DemoAccounts } from "./demo/demo-accounts.ts";
import { type Item, moduleItem, objectItem, resourceItem, tableItem } from "./item.ts";
import { ChainValidators } from "./validators.ts";

/** Items of the framework that blocks read or write. */
export const FRAMEWORK_ITEMS = {
  chainId: resourceItem(FRAMEWORK, "0x1::chain_id::ChainId", u8),
  block: resourceItem(FRAMEWORK, "0x1::block::BlockResource", blockResourceCodec),
  commitHistory: resourceItem(FRAMEWORK, "0x1::block::CommitHistory", commitHistoryCodec),
  time: resourceItem(FRAMEWORK, "0x1::timestamp::CurrentTimeMicroseconds", u64),
  configuration: resourceItem(FRAMEWORK, "0x1::reconfiguration::Configuration", configurationCodec),
  validatorSet: resourceItem(FRAMEWORK, "0x1::stake::ValidatorSet", validatorSetCodec),
  performance: resourceItem(FRAMEWORK, "0x1::stake::ValidatorPerformance", validatorPerformanceCodec),
} as const;

/** Items of one account. */
export interface AccountItems {
  readonly account: Item<AccountResource>;
  readonly coinStores: Readonly<Partial<Record<AssetName, Item<CoinStore>>>>;
  readonly stores: Readonly<Record<AssetName, Item<ResourceGroup>>>;
  readonly storeAddresses: Readonly<Record<AssetName, Address>>;
}

/** An entry in the market's table of orders. */
export const orderCodec = struct({ owner: addressCodec, asset: addressCodec, amount: u64, filled: u64 });
export type Order = ValueOf<typeof orderCodec>;

/** The demo module's resource: the handles of its two tables. */
export const marketCodec = struct({ prices: addressCodec, orders: addressCodec });
export type Market = ValueOf<typeof marketCodec>;

/** Keys of the table of prices. Transactions delete and recreate the last one. */
export const PRICED_SYMBOLS = ["APT", "GOLD", "SHELL", "PEARL"] as const;
/** Number of order slots. */
export const ORDER_SLOTS = 16;

/** Everything that follows from the seed alone. */
export interface ChainItems {
  readonly validators: ChainValidators;
  readonly demoAccounts: DemoAccounts;
  readonly demoAddress: Address;
  readonly assets: Readonly<Record<AssetName, DemoAsset>>;
  readonly accounts: Readonly<Record<DemoAccountName, AccountItems>>;
  readonly coinInfos: Readonly<Partial<Record<AssetName, Item<CoinInfo>>>>;
  readonly metadata: Readonly<Record<AssetName, Item<ResourceGroup>>>;
  readonly market: Item<Market>;
  readonly tableHandles: Market;
  readonly prices: readonly Item<bigint>[];
  readonly orders: readonly Item<Order>[];
  readonly demoModule: Item<Uint8Array>;
  /** The items that every block loads: all of the above except the module, and those of the framework. */
  readonly all: readonly Item<unknown>[];
}

function coinItem<T>(address: Address, name: string, coin: StructTag, codec: Codec<T>): Item<T> {
  const typeArgs = [{ kind: "struct", struct: coin } as const];
  return resourceItem(address, { address: FRAMEWORK, module: "coin", name, typeArgs }, codec);
}

function mapAssets<T>(assets: ChainItems["assets"], make: (asset: DemoAsset) => T): Record<AssetName, T> {
  return { native: make(assets.native), gold: make(assets.gold), shell: make(assets.shell) };
}

function mapCoins<T>(
  assets: ChainItems["assets"],
  make: (coin: StructTag) => T,
): Partial<Record<AssetName, T>> {
  const out: Partial<Record<AssetName, T>> = {};
  for (const asset of Object.values(assets)) {
    if (asset.coinType !== undefined) out[asset.name] = make(asset.coinType);
  }
  return out;
}

function createAccountItems(owner: Address, assets: ChainItems["assets"]): AccountItems {
  const storeAddresses = mapAssets(assets, (asset) => primaryStoreAddress(owner, asset.metadata));
  return {
    account: resourceItem(owner, "0x1::account::Account", accountCodec),
    coinStores: mapCoins(assets, (coin) => coinItem(owner, "CoinStore", coin, coinStoreCodec)),
    stores: mapAssets(assets, (asset) => objectItem(storeAddresses[asset.name])),
    storeAddresses,
  };
}

function tableHandle(demoAddress: Address, name: string): Address {
  return addressFromBytes(sha3Parts(demoAddress, new TextEncoder().encode(`table/${name}`)));
}

/** The items of the chain with this seed. */
export function createChainItems(seed: Uint8Array): ChainItems {
  const demoAccounts = createDemoAccounts(seed);
  const demoAddress = demoAccounts.demo.address;
  const assets = createAssets(demoAddress);
  const accounts = Object.fromEntries(
    Object.entries(demoAccounts).map(([name, { address }]) => [name, createAccountItems(address, assets)]),
  ) as Record<DemoAccountName, AccountItems>;
  const tableHandles = {
    prices: tableHandle(demoAddress, "prices"),
    orders: tableHandle(demoAddress, "orders"),
  };
  const market = resourceItem(
    demoAddress,
    { address: demoAddress, module: "demo", name: "Market", typeArgs: [] },
    marketCodec,
  );
  const prices = PRICED_SYMBOLS.map((symbol) =>
    tableItem(tableHandles.prices, encodeWith(text, symbol), u64),
  );
  const orders = Array.from({ length: ORDER_SLOTS }, (_, slot) =>
    tableItem(tableHandles.orders, encodeWith(u64, BigInt(slot)), orderCodec),
  );
  const coinInfos = mapCoins(assets, (coin) => coinItem(coin.address, "CoinInfo", coin, coinInfoCodec));
  const metadata = mapAssets(assets, (asset) => objectItem(asset.metadata));
  const demoModule = moduleItem(demoAddress, "demo");
  const all: Item<unknown>[] = [
    ...Object.values(FRAMEWORK_ITEMS),
    ...Object.values(accounts).flatMap((accountItems) => [
      accountItems.account,
      ...Object.values(accountItems.coinStores),
      ...Object.values(accountItems.stores),
    ]),
    ...Object.values(coinInfos),
    ...Object.values(metadata),
    market,
    ...prices,
    ...orders,
  ] as Item<unknown>[];
  return {
    validators: new ChainValidators(seed),
    demoAccounts,
    demoAddress,
    assets,
    accounts,
    coinInfos,
    metadata,
    market,
    tableHandles,
    prices,
    orders,
    demoModule,
    all,
  };
}
