// Supplies: coins count theirs in their CoinInfo or in a table item it points to, fungible assets in their
// metadata object.
import { u128 } from "../bcs/scalars.ts";
import { concurrentSupplyCodec } from "../ledger/resources.ts";
import type { AssetName } from "./assets.ts";
import type { ChainItems } from "./chain-items.ts";
import type { Part } from "./demo-accounts.ts";
import { type BlockState, getMember, member, withMember } from "./effects.ts";
import { type Item, tableItem } from "./item.ts";
import type { WorkingState } from "./working-state.ts";

const CONCURRENT_SUPPLY = member("0x1::fungible_asset::ConcurrentSupply", concurrentSupplyCodec);
/** Limit of every supply. */
export const U128_MAX = (1n << 128n) - 1n;

/** The member of a metadata object that counts the supply. */
export function supplyMember(value: bigint) {
  return { member: CONCURRENT_SUPPLY, value: { value, max: U128_MAX } };
}

/** Finds the table items that hold coin supplies: known only once the CoinInfos are loaded. */
export function findSupplyItems(
  workingState: WorkingState,
  chainItems: ChainItems,
): ReadonlyMap<AssetName, Item<bigint>> {
  const found = new Map<AssetName, Item<bigint>>();
  for (const [asset, item] of Object.entries(chainItems.coinInfos)) {
    const aggregator = workingState.get(item)?.supply?.aggregator;
    if (aggregator === undefined) continue;
    found.set(asset as AssetName, tableItem(aggregator.handle, aggregator.key, u128));
  }
  return found;
}

/** Adds to a supply, or takes from it. Where nothing counts it there is nothing to do. */
export function changeSupply(blockState: BlockState, asset: AssetName, part: Part, delta: bigint): void {
  const { workingState, chainItems } = blockState;
  if (part === "store") {
    const group = workingState.get(chainItems.metadata[asset]);
    const supply = getMember(group, CONCURRENT_SUPPLY);
    if (group === undefined || supply === undefined) return;
    const changed = { ...supply, value: supply.value + delta };
    workingState.set(chainItems.metadata[asset], withMember(group, CONCURRENT_SUPPLY, changed));
    return;
  }
  const infoItem = chainItems.coinInfos[asset];
  const info = infoItem === undefined ? undefined : workingState.get(infoItem);
  if (infoItem === undefined || info === undefined) return;
  const item = blockState.coinSupplies.get(asset);
  if (item !== undefined) {
    workingState.set(item, (workingState.get(item) ?? 0n) + delta);
    return;
  }
  const integer = info.supply?.integer;
  if (info.supply === undefined || integer === undefined) return;
  const supply = { ...info.supply, integer: { ...integer, value: integer.value + delta } };
  workingState.set(infoItem, { ...info, supply });
}
