// Supplies: that of a coin is in its CoinInfo or in a table item it points to, that of a fungible asset in its metadata
// object.
import { u128 } from "../bcs/scalars.ts";
import { concurrentSupplyCodec } from "../ledger/resources.ts";
import type { AssetName } from "./assets.ts";
import type { ChainItems } from "./chain-items.ts";
import type { BalancePart } from "./demo-accounts.ts";
import { type BlockState, getMember, member, withMember } from "./effects.ts";
import { type Item, tableItem } from "./item.ts";
import type { WorkingState } from "./working-state.ts";

const CONCURRENT_SUPPLY = member("0x1::fungible_asset::ConcurrentSupply", concurrentSupplyCodec);
/** Limit of every supply. */
export const U128_MAX = (1n << 128n) - 1n;

/** The member of a metadata object that holds the supply. */
export function supplyMember(value: bigint) {
  return { member: CONCURRENT_SUPPLY, value: { value, max: U128_MAX } };
}

/** Finds the table items that hold coin supplies. The CoinInfos must be loaded. */
export function findSupplyItems(
  state: WorkingState,
  items: ChainItems,
): ReadonlyMap<AssetName, Item<bigint>> {
  const found = new Map<AssetName, Item<bigint>>();
  for (const [asset, item] of Object.entries(items.coinInfos)) {
    const aggregator = state.get(item)?.supply?.aggregator;
    if (aggregator === undefined) continue;
    found.set(asset as AssetName, tableItem(aggregator.handle, aggregator.key, u128));
  }
  return found;
}

/** Adds `delta` to a supply, if the state holds one for this part. */
export function changeSupply(
  blockState: BlockState,
  asset: AssetName,
  part: BalancePart,
  delta: bigint,
): void {
  const { state, items } = blockState;
  if (part === "store") {
    const group = state.get(items.metadata[asset]);
    const supply = getMember(group, CONCURRENT_SUPPLY);
    if (group === undefined || supply === undefined) return;
    const changed = { ...supply, value: supply.value + delta };
    state.set(items.metadata[asset], withMember(group, CONCURRENT_SUPPLY, changed));
    return;
  }
  const infoItem = items.coinInfos[asset];
  const info = infoItem === undefined ? undefined : state.get(infoItem);
  if (infoItem === undefined || info === undefined) return;
  const item = blockState.coinSupplies.get(asset);
  if (item !== undefined) {
    state.set(item, (state.get(item) ?? 0n) + delta);
    return;
  }
  const integer = info.supply?.integer;
  if (info.supply === undefined || integer === undefined) return;
  const supply = { ...info.supply, integer: { ...integer, value: integer.value + delta } };
  state.set(infoItem, { ...info, supply });
}
