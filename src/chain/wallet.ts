// Balances of accounts: coin stores and primary stores, with the events that the framework emits for them.
import { U64_MAX } from "../base/numbers.ts";
import { struct } from "../bcs/records.ts";
import { u64 } from "../bcs/scalars.ts";
import {
  type CoinStore,
  concurrentBalanceCodec,
  type EventHandle,
  fungibleStoreCodec,
  type ResourceGroup,
} from "../ledger/resources.ts";
import { addressCodec } from "../move/wire.ts";
import type { AssetName } from "./assets.ts";
import type { BalancePart, DemoAccountName } from "./demo-accounts.ts";
import { type BlockState, type Effects, emitV1, emitV2, getMember, member, withMember } from "./effects.ts";
import { typeOf } from "./item.ts";
import { newAccount } from "./new-account.ts";
import { createObject } from "./object.ts";
import { changeSupply } from "./supply.ts";

const FUNGIBLE_STORE = member("0x1::fungible_asset::FungibleStore", fungibleStoreCodec);
const CONCURRENT = member("0x1::fungible_asset::ConcurrentFungibleBalance", concurrentBalanceCodec);

const COIN_DEPOSIT = typeOf("0x1::coin::DepositEvent");
const COIN_WITHDRAW = typeOf("0x1::coin::WithdrawEvent");
const STORE_DEPOSIT = typeOf("0x1::fungible_asset::Deposit");
const STORE_WITHDRAW = typeOf("0x1::fungible_asset::Withdraw");
const storeEventCodec = struct({ store: addressCodec, amount: u64 });

/** An amount moved between accounts; minted if `from` is undefined, burnt if `to` is. */
export interface Movement {
  readonly asset: AssetName;
  readonly part: BalancePart;
  readonly from: DemoAccountName | undefined;
  readonly to: DemoAccountName | undefined;
  readonly amount: bigint;
}

/** Creates an account that does not exist yet. */
export function createAccount(effects: Effects, name: DemoAccountName): void {
  const { address } = effects.items.demoAccounts[name];
  effects.state.set(effects.items.accounts[name].account, newAccount(address), effects.createdUsec);
}

/** Creates an empty coin store. Its event handles take the account's next creation numbers. */
export function createCoinStore(
  effects: Effects,
  name: DemoAccountName,
  asset: AssetName,
  { frozen = false }: { readonly frozen?: boolean } = {},
): void {
  const { state, items } = effects;
  const { account: item, coinStores } = items.accounts[name];
  const account = state.get(item);
  const store = coinStores[asset];
  if (account === undefined || store === undefined)
    throw new Error(`${name} cannot have a ${asset} coin store`);
  const handle = (offset: bigint): EventHandle => ({
    counter: 0n,
    creationNumber: account.guidCreationNumber + offset,
    account: items.demoAccounts[name].address,
  });
  const empty: CoinStore = { value: 0n, frozen, depositEvents: handle(0n), withdrawEvents: handle(1n) };
  state.set(store, empty, effects.createdUsec);
  state.set(item, { ...account, guidCreationNumber: account.guidCreationNumber + 2n });
}

/** Creates an empty primary store. */
export function createStore(
  effects: Effects,
  name: DemoAccountName,
  asset: AssetName,
  form: { readonly frozen?: boolean; readonly concurrent?: boolean } = {},
): void {
  const { state, items } = effects;
  const { stores, storeAddresses } = items.accounts[name];
  const { address: owner } = items.demoAccounts[name];
  let group: ResourceGroup = createObject(storeAddresses[asset], owner, { allowUngatedTransfer: false });
  group = withMember(group, FUNGIBLE_STORE, {
    metadata: items.assets[asset].metadata,
    balance: 0n,
    frozen: form.frozen ?? false,
  });
  if (form.concurrent === true) group = withMember(group, CONCURRENT, { value: 0n, max: U64_MAX });
  state.set(stores[asset], group, effects.createdUsec);
}

/** One part of an account's balance; 0 if there is no store. */
export function balanceOf(
  { state, items }: BlockState,
  name: DemoAccountName,
  asset: AssetName,
  part: BalancePart,
): bigint {
  const { coinStores, stores } = items.accounts[name];
  if (part === "coin") {
    const store = coinStores[asset];
    return store === undefined ? 0n : (state.get(store)?.value ?? 0n);
  }
  const group = state.get(stores[asset]);
  return getMember(group, CONCURRENT)?.value ?? getMember(group, FUNGIBLE_STORE)?.balance ?? 0n;
}

/** Moves an amount from one store to another, and creates the target store if it is missing. */
export function move(effects: Effects, movement: Movement): void {
  const { asset, part, from, to, amount } = movement;
  const change = part === "coin" ? changeCoinStore : changeStore;
  if (from !== undefined) change(effects, from, asset, -amount);
  if (to !== undefined) change(effects, to, asset, amount);
  if (from === undefined) changeSupply(effects, asset, part, amount);
  if (to === undefined) changeSupply(effects, asset, part, -amount);
}

/** Burns a fee. The framework emits no withdrawal event for it. */
export function burnFee(effects: Effects, name: DemoAccountName, part: BalancePart, fee: bigint): void {
  if (part === "coin") addToCoinStore(effects, name, "native", -fee);
  else addToStore(effects, name, "native", -fee);
  changeSupply(effects, "native", part, -fee);
}

function addToCoinStore(effects: Effects, name: DemoAccountName, asset: AssetName, delta: bigint): CoinStore {
  const item = effects.items.accounts[name].coinStores[asset];
  if (item === undefined) throw new Error(`${asset} is not a coin`);
  if (!effects.state.has(item)) createCoinStore(effects, name, asset);
  const store = effects.state.get(item);
  if (store === undefined) throw new Error("the new coin store is missing");
  const changed = { ...store, value: store.value + delta };
  effects.state.set(item, changed);
  return changed;
}

function addToStore(effects: Effects, name: DemoAccountName, asset: AssetName, delta: bigint): void {
  const item = effects.items.accounts[name].stores[asset];
  if (!effects.state.has(item)) createStore(effects, name, asset);
  const group = effects.state.get(item);
  const store = getMember(group, FUNGIBLE_STORE);
  if (group === undefined || store === undefined)
    throw new Error(`the ${asset} store of ${name} has no FungibleStore`);
  const concurrent = getMember(group, CONCURRENT);
  effects.state.set(
    item,
    concurrent === undefined
      ? withMember(group, FUNGIBLE_STORE, { ...store, balance: store.balance + delta })
      : withMember(group, CONCURRENT, { ...concurrent, value: concurrent.value + delta }),
  );
}

function changeCoinStore(effects: Effects, name: DemoAccountName, asset: AssetName, delta: bigint): void {
  const store = addToCoinStore(effects, name, asset, delta);
  const item = effects.items.accounts[name].coinStores[asset];
  if (item === undefined) return;
  effects.state.set(
    item,
    delta < 0n
      ? { ...store, withdrawEvents: emitV1(effects, store.withdrawEvents, COIN_WITHDRAW, u64, -delta) }
      : { ...store, depositEvents: emitV1(effects, store.depositEvents, COIN_DEPOSIT, u64, delta) },
  );
}

function changeStore(effects: Effects, name: DemoAccountName, asset: AssetName, delta: bigint): void {
  addToStore(effects, name, asset, delta);
  const store = effects.items.accounts[name].storeAddresses[asset];
  const amount = delta < 0n ? -delta : delta;
  emitV2(effects, delta < 0n ? STORE_WITHDRAW : STORE_DEPOSIT, storeEventCodec, { store, amount });
}
