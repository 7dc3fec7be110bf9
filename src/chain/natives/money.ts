// Coins and fungible assets. An account holds a coin in a coin store, in the primary store of the paired asset, or in both:
// a withdrawal takes from the coin store first, a deposit goes to the coin store if the account has one. Assets with
// functions of their own for these (dispatchable assets) are not modelled.
import { equalBytes } from "../../base/bytes.ts";
import { U64_MAX } from "../../base/numbers.ts";
import { struct } from "../../bcs/records.ts";
import { u64, u128 } from "../../bcs/scalars.ts";
import { option } from "../../bcs/sequences.ts";
import { pairedMetadata, primaryStoreAddress } from "../../ledger/balances/asset.ts";
import {
  accountCodec,
  assetMetadataCodec,
  coinInfoCodec,
  coinStoreCodec,
  concurrentBalanceCodec,
  concurrentSupplyCodec,
  fungibleStoreCodec,
  objectCoreCodec,
} from "../../ledger/items/resources.ts";
import type { AbiStructType } from "../../move/abi.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { formatStructTag, type StructTag } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import { createType } from "../../transaction/requests/type-arguments.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { structTagOf } from "../../vm/state.ts";
import { newAccount, newObject } from "../new-account.ts";
import { abortIn, type CallState, coinResource, stored, typeOf } from "./state.ts";

export const ACCOUNT = stored("0x1::account::Account", accountCodec);
export const OBJECT_CORE = stored("0x1::object::ObjectCore", objectCoreCodec);
export const METADATA = stored("0x1::fungible_asset::Metadata", assetMetadataCodec);
export const STORE = stored("0x1::fungible_asset::FungibleStore", fungibleStoreCodec);
export const CONCURRENT_BALANCE = stored(
  "0x1::fungible_asset::ConcurrentFungibleBalance",
  concurrentBalanceCodec,
);
const CONCURRENT_SUPPLY = stored("0x1::fungible_asset::ConcurrentSupply", concurrentSupplyCodec);
const SUPPLY = stored("0x1::fungible_asset::Supply", struct({ current: u128, maximum: option(u128) }));
const FUNCTIONS_OF_ITS_OWN = ["DispatchFunctionStore", "DeriveSupply"].map((name) => ({
  type: typeOf(`0x1::fungible_asset::${name}`),
}));
const storeEventCodec = struct({ store: addressCodec, amount: u64 });
const WITHDRAW = stored("0x1::fungible_asset::Withdraw", storeEventCodec);
const DEPOSIT = stored("0x1::fungible_asset::Deposit", storeEventCodec);
const COIN_WITHDRAW = stored("0x1::coin::WithdrawEvent", u64);
const COIN_DEPOSIT = stored("0x1::coin::DepositEvent", u64);
const INSUFFICIENT_COINS = 0x10006;
const COIN_FROZEN = 0x5000a;
const INSUFFICIENT_BALANCE = 0x10004;
const STORE_FROZEN = 0x50003;

/** The coin that pays for gas. */
export const NATIVE_COIN: AbiStructType = typeOf("0x1::aptos_coin::AptosCoin");

export function coinType(coin: StructTag): AbiStructType {
  return createType({ kind: "struct", struct: coin }) as AbiStructType;
}

export function metadataOf(coin: AbiStructType): Address {
  return pairedMetadata(structTagOf(coin));
}

export const coinInfo = (coin: AbiStructType) => coinResource("CoinInfo", coin, coinInfoCodec);
export const coinStore = (coin: AbiStructType) => coinResource("CoinStore", coin, coinStoreCodec);

/** Creates the account unless it has an Account resource. */
export function ensureAccount(call: CallState, address: Address): void {
  if (!call.has(address, ACCOUNT)) call.write(address, ACCOUNT, newAccount(address));
}

function assertModelled(call: CallState, metadata: Address): void {
  if (!call.has(metadata, METADATA))
    throw unmodelled(`${formatAddress(metadata)} is not the metadata of a fungible asset`);
  if (FUNCTIONS_OF_ITS_OWN.some((one) => call.has(metadata, one)))
    throw unmodelled(
      `the asset ${formatAddress(metadata)}, which has withdraw or deposit functions of its own`,
    );
}

/** The address of the owner's primary store, which is created if it is missing. */
export function ensurePrimaryStore(call: CallState, owner: Address, metadata: Address): Address {
  assertModelled(call, metadata);
  const address = primaryStoreAddress(owner, metadata);
  if (!call.has(address, STORE)) {
    call.write(address, OBJECT_CORE, newObject(address, owner, { allowUngatedTransfer: false }));
    call.write(address, STORE, { metadata, balance: 0n, frozen: false });
  }
  return address;
}

/** The amount in a store; 0 if it does not exist. */
export function storeBalance(call: CallState, store: Address): bigint {
  const balance = call.read(store, STORE)?.balance ?? 0n;
  return balance !== 0n ? balance : (call.read(store, CONCURRENT_BALANCE)?.value ?? 0n);
}

function assertNotFrozen(call: CallState, store: Address): void {
  if (call.read(store, STORE)?.frozen === true) throw abortIn("fungible_asset", STORE_FROZEN);
}

/** Changes a balance without checks and events. */
export function addToStore(call: CallState, address: Address, delta: bigint): void {
  if (delta === 0n) return;
  const concurrent = call.read(address, CONCURRENT_BALANCE);
  if (concurrent !== undefined) {
    call.write(address, CONCURRENT_BALANCE, { ...concurrent, value: concurrent.value + delta });
    return;
  }
  const store = call.require(address, STORE);
  call.write(address, STORE, { ...store, balance: store.balance + delta });
}

/** Withdraws from a store that is not frozen. */
export function withdrawFromStore(call: CallState, store: Address, amount: bigint): void {
  assertNotFrozen(call, store);
  if (storeBalance(call, store) < amount) throw abortIn("fungible_asset", INSUFFICIENT_BALANCE);
  addToStore(call, store, -amount);
  call.chargeMovement();
  // Nothing moves without an event, and nothing is told of no movement.
  if (amount > 0n) call.emit(WITHDRAW, { store, amount });
}

/** Deposits into a store that is not frozen. */
export function depositToStore(call: CallState, store: Address, amount: bigint): void {
  assertNotFrozen(call, store);
  if (storeBalance(call, store) + amount > U64_MAX)
    throw unmodelled("a deposit that takes a store above 2^64 - 1");
  addToStore(call, store, amount);
  call.chargeMovement();
  if (amount > 0n) call.emit(DEPOSIT, { store, amount });
}

/** A movement of an amount between two accounts. */
export interface Movement {
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

/** Transfers a fungible asset between primary stores. */
export function transferAsset(call: CallState, metadata: Address, { from, to, amount }: Movement): void {
  withdrawFromStore(call, ensurePrimaryStore(call, from, metadata), amount);
  depositToStore(call, ensurePrimaryStore(call, to, metadata), amount);
}

/** Supply of a fungible asset; undefined if it tells none. */
export function assetSupply(call: CallState, metadata: Address): bigint | undefined {
  return call.read(metadata, CONCURRENT_SUPPLY)?.value ?? call.read(metadata, SUPPLY)?.current;
}

export function changeAssetSupply(call: CallState, metadata: Address, delta: bigint): void {
  if (delta === 0n) return;
  const concurrent = call.read(metadata, CONCURRENT_SUPPLY);
  const plain = call.read(metadata, SUPPLY);
  if (concurrent !== undefined)
    call.write(metadata, CONCURRENT_SUPPLY, { ...concurrent, value: concurrent.value + delta });
  else if (plain !== undefined) call.write(metadata, SUPPLY, { ...plain, current: plain.current + delta });
}

/** Supply of a coin without the asset that it is paired with; undefined if it tells none. */
export function coinSupply(call: CallState, coin: AbiStructType): bigint | undefined {
  const supply = call.require(coin.address, coinInfo(coin)).supply;
  if (supply?.aggregator === undefined) return supply?.integer?.value;
  return call.readItem(supply.aggregator.handle, supply.aggregator.key, { kind: "u128" }, u128);
}

export function changeCoinSupply(call: CallState, coin: AbiStructType, delta: bigint): void {
  if (delta === 0n) return;
  const info = call.require(coin.address, coinInfo(coin));
  const { supply } = info;
  if (supply === undefined) return;
  const value = (coinSupply(call, coin) ?? 0n) + delta;
  if (supply.aggregator !== undefined)
    call.writeItem(supply.aggregator.handle, supply.aggregator.key, { kind: "u128" }, u128, value);
  else if (supply.integer !== undefined)
    call.write(coin.address, coinInfo(coin), {
      ...info,
      supply: { ...supply, integer: { ...supply.integer, value } },
    });
}

/** Refuses a type that is not a coin of this ledger. */
export function assertCoin(call: CallState, coin: AbiStructType): void {
  if (!call.has(coin.address, coinInfo(coin)))
    throw unmodelled(`${formatStructTag(structTagOf(coin))} is not a coin of this ledger`);
}

/** Both parts of an account's balance. */
export function coinBalance(call: CallState, owner: Address, coin: AbiStructType): bigint {
  const inCoins = call.read(owner, coinStore(coin))?.value ?? 0n;
  return inCoins + storeBalance(call, primaryStoreAddress(owner, metadataOf(coin)));
}

/** The parts that an amount is taken from. Aborts if there is too little. */
function partsOf(call: CallState, owner: Address, coin: AbiStructType, amount: bigint) {
  const held = call.read(owner, coinStore(coin))?.value ?? 0n;
  if (held >= amount) return { inCoin: amount, inStore: 0n };
  if (!call.has(primaryStoreAddress(owner, metadataOf(coin)), STORE))
    throw abortIn("coin", INSUFFICIENT_COINS);
  return { inCoin: held, inStore: amount - held };
}

/** Transfers an amount of a coin. */
export function transferCoin(call: CallState, coin: AbiStructType, { from, to, amount }: Movement): void {
  assertCoin(call, coin);
  const metadata = metadataOf(coin);
  const { inCoin, inStore } = partsOf(call, from, coin, amount);
  if (inCoin > 0n) withdrawFromCoinStore(call, from, coin, inCoin);
  if (inStore > 0n) withdrawFromStore(call, primaryStoreAddress(from, metadata), inStore);
  // What changes its form between the two accounts also changes from one part of the supply to the other.
  const converted = depositCoin(call, to, coin, amount) ? inStore : -inCoin;
  changeCoinSupply(call, coin, converted);
  changeAssetSupply(call, metadata, -converted);
}

/** Mints an amount of a coin for an account. */
export function mintCoin(call: CallState, coin: AbiStructType, to: Address, amount: bigint): void {
  assertCoin(call, coin);
  if (depositCoin(call, to, coin, amount)) changeCoinSupply(call, coin, amount);
  else changeAssetSupply(call, metadataOf(coin), amount);
}

/** Burns a fee without events, even from frozen stores, or mints a refund. The account must hold the fee. */
export function settleFee(call: CallState, payer: Address, fee: bigint): void {
  if (fee < 0n) {
    mintCoin(call, NATIVE_COIN, payer, -fee);
    return;
  }
  const { inCoin, inStore } = partsOf(call, payer, NATIVE_COIN, fee);
  const metadata = metadataOf(NATIVE_COIN);
  if (inCoin > 0n) {
    const store = call.require(payer, coinStore(NATIVE_COIN));
    call.write(payer, coinStore(NATIVE_COIN), { ...store, value: store.value - inCoin });
    changeCoinSupply(call, NATIVE_COIN, -inCoin);
  }
  addToStore(call, primaryStoreAddress(payer, metadata), -inStore);
  changeAssetSupply(call, metadata, -inStore);
}

function withdrawFromCoinStore(call: CallState, owner: Address, coin: AbiStructType, amount: bigint): void {
  const store = call.require(owner, coinStore(coin));
  if (store.frozen) throw abortIn("coin", COIN_FROZEN);
  const withdrawEvents = call.emitBy(store.withdrawEvents, COIN_WITHDRAW, amount);
  call.chargeMovement();
  call.write(owner, coinStore(coin), { ...store, value: store.value - amount, withdrawEvents });
}

/** Returns true if the amount is now in a coin store. */
function depositCoin(call: CallState, owner: Address, coin: AbiStructType, amount: bigint): boolean {
  const store = call.read(owner, coinStore(coin));
  if (store === undefined) {
    depositToStore(call, ensurePrimaryStore(call, owner, metadataOf(coin)), amount);
    return false;
  }
  if (store.frozen) throw abortIn("coin", COIN_FROZEN);
  if (store.value + amount > U64_MAX) throw unmodelled("a deposit that takes a store above 2^64 - 1");
  const depositEvents = call.emitBy(store.depositEvents, COIN_DEPOSIT, amount);
  call.chargeMovement();
  call.write(owner, coinStore(coin), { ...store, value: store.value + amount, depositEvents });
  return true;
}

const NOT_STORE_OWNER = 0x50008;
const OTHER_ASSET = 0x1000b;
const UNGATED = 0x50003;
const NESTING = 0x20006;
const NOT_OWNER = 0x50004;
/** Objects may own objects, this deep. */
const MAX_NESTING = 8;
const transferEventCodec = struct({ object: addressCodec, from: addressCodec, to: addressCodec });
const TRANSFER_EVENT = stored("0x1::object::TransferEvent", transferEventCodec);

/** Transfers between any two stores of one asset. */
export function transferBetweenStores(
  call: CallState,
  sender: Address,
  { from, to, amount }: Movement,
): void {
  const [source, target] = [call.require(from, STORE), call.require(to, STORE)];
  for (const { metadata } of [source, target]) assertModelled(call, metadata);
  if (!isOwner(call, from, sender)) throw abortIn("fungible_asset", NOT_STORE_OWNER);
  withdrawFromStore(call, from, amount);
  if (!equalBytes(source.metadata, target.metadata)) throw abortIn("fungible_asset", OTHER_ASSET);
  depositToStore(call, to, amount);
}

/** True if an account owns an object, directly or through objects in between. */
function isOwner(call: CallState, object: Address, account: Address): boolean {
  if (equalBytes(object, account)) return true;
  let found = call.read(object, OBJECT_CORE);
  for (let depth = 1; found !== undefined; depth++) {
    if (equalBytes(found.owner, account)) return true;
    if (depth >= MAX_NESTING) throw abortIn("object", NESTING);
    found = call.read(found.owner, OBJECT_CORE);
  }
  return false;
}

/** Transfers an object by its owner, or by the owner of an object that owns it. */
export function transferObject(call: CallState, sender: Address, object: Address, to: Address): void {
  const core = call.require(object, OBJECT_CORE);
  let current = core;
  for (let depth = 1; ; depth++) {
    if (!current.allowUngatedTransfer) throw abortIn("object", UNGATED);
    if (equalBytes(current.owner, sender)) break;
    if (depth >= MAX_NESTING) throw abortIn("object", NESTING);
    const above = call.read(current.owner, OBJECT_CORE);
    if (above === undefined) throw abortIn("object", NOT_OWNER);
    current = above;
  }
  if (equalBytes(core.owner, to)) return;
  const transferEvents = call.emitBy(core.transferEvents, TRANSFER_EVENT, { object, from: core.owner, to });
  call.write(object, OBJECT_CORE, { ...core, owner: to, transferEvents });
}
