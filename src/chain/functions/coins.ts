// Coins: an account holds them in a coin store, in the primary store of the paired asset, or in both. A withdrawal takes
// from the coin store first; a deposit goes to the coin store if the account has one.
import { U64_MAX } from "../../base/numbers.ts";
import { u64, u128 } from "../../bcs/scalars.ts";
import { pairedMetadata } from "../../ledger/asset.ts";
import { type CoinInfo, type CoinStore, coinInfoCodec, coinStoreCodec } from "../../ledger/resources.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import { formatStructTag, type StructTag } from "../../move/type-tag.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { emitV1 } from "../effects.ts";
import { type Item, resourceItem, tableItem, tagOf, typeOf } from "../item.ts";
import { MoveAbort } from "./aborts.ts";
import type { CallState } from "./call-state.ts";
import {
  addToStore,
  changeAssetSupply,
  depositToStore,
  ensurePrimaryStore,
  hasPrimaryStore,
  storeBalance,
  withdrawFromStore,
} from "./fungible-stores.ts";

/** The coin that pays for gas. */
export const NATIVE_COIN: StructTag = tagOf("0x1::aptos_coin::AptosCoin");
const DEPOSIT = typeOf("0x1::coin::DepositEvent");
const WITHDRAW = typeOf("0x1::coin::WithdrawEvent");

function coinItem<T>(address: Address, name: string, coin: StructTag, codec: Item<T>["codec"]): Item<T> {
  const typeArgs = [{ kind: "struct", struct: coin } as const];
  return resourceItem(address, { address: FRAMEWORK, module: "coin", name, typeArgs }, codec);
}

/** What follows from a coin type alone; computed once for each tag. */
interface CoinKeys {
  readonly text: string;
  readonly metadata: Address;
  readonly info: Item<CoinInfo>;
}

const COIN_KEYS = new WeakMap<StructTag, CoinKeys>();

export function coinKeys(coin: StructTag): CoinKeys {
  let keys = COIN_KEYS.get(coin);
  if (keys === undefined) {
    const info = coinItem(coin.address, "CoinInfo", coin, coinInfoCodec);
    keys = { text: formatStructTag(coin), metadata: pairedMetadata(coin), info };
    COIN_KEYS.set(coin, keys);
  }
  return keys;
}

export function coinStoreItem(call: CallState, owner: Address, coin: StructTag): Item<CoinStore> {
  return call.itemOf(`coin ${coinKeys(coin).text}`, owner, () =>
    coinItem(owner, "CoinStore", coin, coinStoreCodec),
  );
}

/** Refuses a type that is not a coin of this ledger. */
export async function assertCoin(call: CallState, coin: StructTag): Promise<void> {
  if ((await call.read(coinKeys(coin).info)) === undefined)
    throw unmodelled(`${formatStructTag(coin)} is not a coin of this ledger`);
}

/** Both parts of an account's balance. */
export async function coinBalance(call: CallState, owner: Address, coin: StructTag): Promise<bigint> {
  const store = await call.read(coinStoreItem(call, owner, coin));
  const item = call.object(call.primaryStore(owner, coinKeys(coin).metadata));
  return (store?.value ?? 0n) + (await storeBalance(call, item));
}

/** Adds to the part of the supply that is in coins, if the coin tells its supply. */
export async function changeCoinSupply(call: CallState, coin: StructTag, delta: bigint): Promise<void> {
  if (delta === 0n) return;
  const item = coinKeys(coin).info;
  const info = await call.read(item);
  const supply = info?.supply;
  if (info === undefined || supply === undefined) return;
  if (supply.aggregator !== undefined) {
    const total = tableItem(supply.aggregator.handle, supply.aggregator.key, u128);
    call.write(total, ((await call.read(total)) ?? 0n) + delta);
  } else if (supply.integer !== undefined) {
    const integer = { ...supply.integer, value: supply.integer.value + delta };
    call.write(item, { ...info, supply: { ...supply, integer } });
  }
}

/** The parts that an amount is taken from. Aborts if there is too little. */
async function partsOf(
  call: CallState,
  owner: Address,
  coin: StructTag,
  amount: bigint,
): Promise<{ readonly inCoin: bigint; readonly inStore: bigint }> {
  const held = (await call.read(coinStoreItem(call, owner, coin)))?.value ?? 0n;
  if (held >= amount) return { inCoin: amount, inStore: 0n };
  if (!(await hasPrimaryStore(call, owner, coinKeys(coin).metadata))) throw new MoveAbort("coinBalance");
  return { inCoin: held, inStore: amount - held };
}

/** Transfers an amount of a coin. */
export async function transferCoin(
  call: CallState,
  coin: StructTag,
  movement: { readonly from: Address; readonly to: Address; readonly amount: bigint },
): Promise<void> {
  const { from, to, amount } = movement;
  await assertCoin(call, coin);
  const metadata = coinKeys(coin).metadata;
  const { inCoin, inStore } = await partsOf(call, from, coin, amount);
  if (inCoin > 0n) await withdrawFromCoinStore(call, from, coin, inCoin);
  if (inStore > 0n) {
    await withdrawFromStore(call, await ensurePrimaryStore(call, from, metadata), inStore);
  }
  // What changes its form between the two accounts also changes from one part of the supply to the other.
  const toCoin = await depositCoin(call, to, coin, amount);
  const converted = toCoin ? inStore : -inCoin;
  await changeCoinSupply(call, coin, converted);
  await changeAssetSupply(call, metadata, -converted);
}

/** Mints an amount of a coin for an account. */
export async function mintCoin(call: CallState, coin: StructTag, to: Address, amount: bigint): Promise<void> {
  await assertCoin(call, coin);
  if (await depositCoin(call, to, coin, amount)) await changeCoinSupply(call, coin, amount);
  else await changeAssetSupply(call, coinKeys(coin).metadata, amount);
}

/** Burns a fee without events, even from frozen stores. The account must hold it. */
export async function burnFee(call: CallState, payer: Address, fee: bigint): Promise<void> {
  if (fee === 0n) return;
  const { inCoin, inStore } = await partsOf(call, payer, NATIVE_COIN, fee);
  const metadata = coinKeys(NATIVE_COIN).metadata;
  if (inCoin > 0n) {
    const item = coinStoreItem(call, payer, NATIVE_COIN);
    const store = await call.read(item);
    if (store === undefined) throw new Error("the coin store is missing");
    call.write(item, { ...store, value: store.value - inCoin });
    await changeCoinSupply(call, NATIVE_COIN, -inCoin);
  }
  if (inStore > 0n) {
    await addToStore(call, call.object(call.primaryStore(payer, metadata)), -inStore);
    await changeAssetSupply(call, metadata, -inStore);
  }
}

async function withdrawFromCoinStore(
  call: CallState,
  owner: Address,
  coin: StructTag,
  amount: bigint,
): Promise<void> {
  const item = coinStoreItem(call, owner, coin);
  const store = await call.read(item);
  if (store === undefined) throw new Error("the coin store is missing");
  if (store.frozen) throw new MoveAbort("coinFrozen");
  const withdrawEvents = emitV1(call, store.withdrawEvents, WITHDRAW, u64, amount);
  call.meter?.chargeMovement();
  call.write(item, { ...store, value: store.value - amount, withdrawEvents });
}

/** Returns true if the amount is now in a coin store. */
async function depositCoin(
  call: CallState,
  owner: Address,
  coin: StructTag,
  amount: bigint,
): Promise<boolean> {
  const item = coinStoreItem(call, owner, coin);
  const store = await call.read(item);
  if (store === undefined) {
    await depositToStore(call, await ensurePrimaryStore(call, owner, coinKeys(coin).metadata), amount);
    return false;
  }
  if (store.frozen) throw new MoveAbort("coinFrozen");
  if (store.value + amount > U64_MAX) throw unmodelled("a deposit that takes a store above 2^64 - 1");
  const depositEvents = emitV1(call, store.depositEvents, DEPOSIT, u64, amount);
  call.meter?.chargeMovement();
  call.write(item, { ...store, value: store.value + amount, depositEvents });
  return true;
}
