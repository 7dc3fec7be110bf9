// Creates the demo accounts, assets and tables in the local chain's genesis.
import { assetMetadataCodec, type ResourceGroup, typeInfoCodec } from "../ledger/resources.ts";
import { type Address, FRAMEWORK } from "../move/address.ts";
import { formatTypeTag, type StructTag } from "../move/type-tag.ts";
import type { DemoAsset } from "./assets.ts";
import type { ChainItems } from "./chain-items.ts";
import type { DemoAccountName } from "./demo-accounts.ts";
import { type Effects, member, withMember } from "./effects.ts";
import { createObject } from "./object.ts";
import { supplyMember, U128_MAX } from "./supply.ts";
import type { Movement } from "./wallet.ts";
import { createAccount, createCoinStore, createStore } from "./wallet.ts";

const METADATA = member("0x1::fungible_asset::Metadata", assetMetadataCodec);
const PAIRED_COIN = member("0x1::coin::PairedCoinType", typeInfoCodec);
const FIRST_PRICE = 1_000n;

const ascii = new TextEncoder();

/** Struct name with type arguments, as in a TypeInfo. */
function structName({ name, typeArgs }: StructTag): string {
  return typeArgs.length === 0 ? name : `${name}<${typeArgs.map(formatTypeTag).join(", ")}>`;
}

function metadataObject(asset: DemoAsset, owner: Address): ResourceGroup {
  const { metadata: address, coinType } = asset;
  let group: ResourceGroup = createObject(address, owner, { allowUngatedTransfer: true });
  group = withMember(group, METADATA, {
    name: asset.title,
    symbol: asset.symbol,
    decimals: asset.decimals,
    iconUri: "",
    projectUri: "",
  });
  const supply = supplyMember(0n);
  group = withMember(group, supply.member, supply.value);
  if (coinType === undefined) return group;
  return withMember(group, PAIRED_COIN, {
    account: coinType.address,
    module: ascii.encode(coinType.module),
    name: ascii.encode(structName(coinType)),
  });
}

function createAsset(effects: Effects, asset: DemoAsset): void {
  const { state, items, createdUsec } = effects;
  const metadata = items.metadata[asset.name];
  const owner = asset.name === "native" ? FRAMEWORK : items.demoAddress;
  if (!state.has(metadata)) {
    state.set(metadata, metadataObject(asset, owner), createdUsec);
  }
  const info = items.coinInfos[asset.name];
  if (info === undefined || state.has(info)) return;
  const { title: name, symbol, decimals } = asset;
  const supply = { aggregator: undefined, integer: { value: 0n, limit: U128_MAX } };
  state.set(info, { name, symbol, decimals, supply }, createdUsec);
}

/** The initial holdings, minted to their accounts. */
export function initialMovements({ demoAccounts }: ChainItems): Movement[] {
  return Object.entries(demoAccounts).flatMap(([name, { holdings }]) =>
    holdings
      .filter(({ amount }) => amount > 0n)
      .map(({ asset, part, amount }) => ({
        asset,
        part,
        from: undefined,
        to: name as DemoAccountName,
        amount,
      })),
  );
}

/** Creates missing assets, accounts, empty stores and tables. */
export function createDemoState(effects: Effects): void {
  const { state, items, createdUsec } = effects;
  for (const asset of Object.values(items.assets)) createAsset(effects, asset);
  for (const [key, { holdings }] of Object.entries(items.demoAccounts)) {
    const name = key as DemoAccountName;
    if (holdings.length === 0) continue;
    if (!state.has(items.accounts[name].account)) createAccount(effects, name);
    for (const { asset, part, frozen = false, concurrent = false } of holdings) {
      if (part === "coin") createCoinStore(effects, name, asset, { frozen });
      else createStore(effects, name, asset, { frozen, concurrent });
    }
  }
  state.set(items.market, items.tableHandles, createdUsec);
  for (const item of items.prices) state.set(item, FIRST_PRICE, createdUsec);
}
