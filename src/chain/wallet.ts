// Balances of accounts: coin stores and primary stores, with the events that the framework reports for them.
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
import type { ActorName, Part } from "./cast.ts";
import { type Effects, emitV1, emitV2, type Ground, getMember, member, withMember } from "./effects.ts";
import { typeOf } from "./item.ts";
import { createObject } from "./object.ts";
import { changeSupply } from "./supply.ts";

const U64_MAX = 0xffff_ffff_ffff_ffffn;
const FUNGIBLE_STORE = member("0x1::fungible_asset::FungibleStore", fungibleStoreCodec);
const CONCURRENT = member("0x1::fungible_asset::ConcurrentFungibleBalance", concurrentBalanceCodec);

const COIN_DEPOSIT = typeOf("0x1::coin::DepositEvent");
const COIN_WITHDRAW = typeOf("0x1::coin::WithdrawEvent");
const STORE_DEPOSIT = typeOf("0x1::fungible_asset::Deposit");
const STORE_WITHDRAW = typeOf("0x1::fungible_asset::Withdraw");
const storeEventCodec = struct({ store: addressCodec, amount: u64 });

/** An amount that changes hands; without a giver it is minted, without a taker burnt. */
export interface Movement {
  readonly asset: AssetName;
  readonly part: Part;
  readonly from: ActorName | undefined;
  readonly to: ActorName | undefined;
  readonly amount: bigint;
}

/** Creates an account that is not there yet. */
export function createAccount(effects: Effects, name: ActorName): void {
  const { address } = effects.places.cast[name];
  const handle = (creationNumber: bigint): EventHandle => ({ counter: 0n, creationNumber, account: address });
  effects.world.set(
    effects.places.accounts[name].account,
    {
      authenticationKey: address,
      sequenceNumber: 0n,
      guidCreationNumber: 2n,
      coinRegisterEvents: handle(0n),
      keyRotationEvents: handle(1n),
      rotationCapabilityOffer: undefined,
      signerCapabilityOffer: undefined,
    },
    effects.createdUsec,
  );
}

/** Opens a coin store, empty. Its event streams are numbered by the account. */
export function createCoinStore(
  effects: Effects,
  name: ActorName,
  asset: AssetName,
  { frozen = false }: { readonly frozen?: boolean } = {},
): void {
  const { world, places } = effects;
  const { account: item, coinStores } = places.accounts[name];
  const account = world.get(item);
  const store = coinStores[asset];
  if (account === undefined || store === undefined)
    throw new Error(`${name} cannot have a ${asset} coin store`);
  const handle = (offset: bigint): EventHandle => ({
    counter: 0n,
    creationNumber: account.guidCreationNumber + offset,
    account: places.cast[name].address,
  });
  const empty: CoinStore = { value: 0n, frozen, depositEvents: handle(0n), withdrawEvents: handle(1n) };
  world.set(store, empty, effects.createdUsec);
  world.set(item, { ...account, guidCreationNumber: account.guidCreationNumber + 2n });
}

/** Opens a primary store, empty. */
export function createStore(
  effects: Effects,
  name: ActorName,
  asset: AssetName,
  form: { readonly frozen?: boolean; readonly concurrent?: boolean } = {},
): void {
  const { world, places } = effects;
  const { stores, storeAddresses } = places.accounts[name];
  const { address: owner } = places.cast[name];
  let group: ResourceGroup = createObject(storeAddresses[asset], owner, { allowUngatedTransfer: false });
  group = withMember(group, FUNGIBLE_STORE, {
    metadata: places.assets[asset].metadata,
    balance: 0n,
    frozen: form.frozen ?? false,
  });
  if (form.concurrent === true) group = withMember(group, CONCURRENT, { value: 0n, max: U64_MAX });
  world.set(stores[asset], group, effects.createdUsec);
}

/** What an account holds in one part; 0 where there is no store. */
export function balanceOf({ world, places }: Ground, name: ActorName, asset: AssetName, part: Part): bigint {
  const { coinStores, stores } = places.accounts[name];
  if (part === "coin") {
    const store = coinStores[asset];
    return store === undefined ? 0n : (world.get(store)?.value ?? 0n);
  }
  const group = world.get(stores[asset]);
  return getMember(group, CONCURRENT)?.value ?? getMember(group, FUNGIBLE_STORE)?.balance ?? 0n;
}

/** Moves an amount in the state: out of one store, into another, which is opened when there is none. */
export function move(effects: Effects, movement: Movement): void {
  const { asset, part, from, to, amount } = movement;
  const change = part === "coin" ? changeCoinStore : changeStore;
  if (from !== undefined) change(effects, from, asset, -amount);
  if (to !== undefined) change(effects, to, asset, amount);
  if (from === undefined) changeSupply(effects, asset, part, amount);
  if (to === undefined) changeSupply(effects, asset, part, -amount);
}

/** Burns a fee. The framework reports no withdrawal for it. */
export function burnFee(effects: Effects, name: ActorName, part: Part, fee: bigint): void {
  if (part === "coin") addToCoinStore(effects, name, "native", -fee);
  else addToStore(effects, name, "native", -fee);
  changeSupply(effects, "native", part, -fee);
}

function addToCoinStore(effects: Effects, name: ActorName, asset: AssetName, delta: bigint): CoinStore {
  const item = effects.places.accounts[name].coinStores[asset];
  if (item === undefined) throw new Error(`${asset} is not a coin`);
  if (!effects.world.has(item)) createCoinStore(effects, name, asset);
  const store = effects.world.get(item);
  if (store === undefined) throw new Error("a coin store that was just opened is missing");
  const changed = { ...store, value: store.value + delta };
  effects.world.set(item, changed);
  return changed;
}

function addToStore(effects: Effects, name: ActorName, asset: AssetName, delta: bigint): void {
  const item = effects.places.accounts[name].stores[asset];
  if (!effects.world.has(item)) createStore(effects, name, asset);
  const group = effects.world.get(item);
  const store = getMember(group, FUNGIBLE_STORE);
  if (group === undefined || store === undefined) throw new Error(`the ${asset} store of ${name} is not one`);
  const concurrent = getMember(group, CONCURRENT);
  effects.world.set(
    item,
    concurrent === undefined
      ? withMember(group, FUNGIBLE_STORE, { ...store, balance: store.balance + delta })
      : withMember(group, CONCURRENT, { ...concurrent, value: concurrent.value + delta }),
  );
}

function changeCoinStore(effects: Effects, name: ActorName, asset: AssetName, delta: bigint): void {
  const store = addToCoinStore(effects, name, asset, delta);
  const item = effects.places.accounts[name].coinStores[asset];
  if (item === undefined) return;
  effects.world.set(
    item,
    delta < 0n
      ? { ...store, withdrawEvents: emitV1(effects, store.withdrawEvents, COIN_WITHDRAW, u64, -delta) }
      : { ...store, depositEvents: emitV1(effects, store.depositEvents, COIN_DEPOSIT, u64, delta) },
  );
}

function changeStore(effects: Effects, name: ActorName, asset: AssetName, delta: bigint): void {
  addToStore(effects, name, asset, delta);
  const store = effects.places.accounts[name].storeAddresses[asset];
  const amount = delta < 0n ? -delta : delta;
  emitV2(effects, delta < 0n ? STORE_WITHDRAW : STORE_DEPOSIT, storeEventCodec, { store, amount });
}
