// Stores of fungible assets: creation, withdrawal, deposit and supply. Assets with functions of their own for these
// (dispatchable assets) are not modelled.
import { U64_MAX } from "../../base/numbers.ts";
import { struct } from "../../bcs/records.ts";
import { u64, u128 } from "../../bcs/scalars.ts";
import { option } from "../../bcs/sequences.ts";
import {
  concurrentBalanceCodec,
  concurrentSupplyCodec,
  fungibleStoreCodec,
  objectCoreCodec,
  type ResourceGroup,
} from "../../ledger/resources.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { formatStructTag } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import { unmodelled } from "../../transaction/submission-error.ts";
import { emitV2, getMember, member, withMember } from "../effects.ts";
import { type Item, typeOf } from "../item.ts";
import { createObject } from "../object.ts";
import { MoveAbort } from "./aborts.ts";
import type { CallState } from "./call-state.ts";

export const OBJECT_CORE = member("0x1::object::ObjectCore", objectCoreCodec);
const FUNGIBLE_STORE = member("0x1::fungible_asset::FungibleStore", fungibleStoreCodec);
const CONCURRENT_BALANCE = member("0x1::fungible_asset::ConcurrentFungibleBalance", concurrentBalanceCodec);
const CONCURRENT_SUPPLY = member("0x1::fungible_asset::ConcurrentSupply", concurrentSupplyCodec);
const SUPPLY = member("0x1::fungible_asset::Supply", struct({ current: u128, maximum: option(u128) }));
const METADATA = "0x1::fungible_asset::Metadata";
const DISPATCH_FUNCTIONS = "0x1::fungible_asset::DispatchFunctionStore";
const DERIVED_SUPPLY = "0x1::fungible_asset::DeriveSupply";
const WITHDRAW = typeOf("0x1::fungible_asset::Withdraw");
const DEPOSIT = typeOf("0x1::fungible_asset::Deposit");
const storeEventCodec = struct({ store: addressCodec, amount: u64 });

/** True if a group has a member of this type. */
export function hasMember(group: ResourceGroup, type: string): boolean {
  return group.some(([tag]) => type.endsWith(tag.name) && formatStructTag(tag) === type);
}

/** The metadata object of an asset that is modelled. */
async function readMetadata(call: CallState, metadata: Address): Promise<ResourceGroup> {
  const group = await call.read(call.object(metadata));
  if (group === undefined || !hasMember(group, METADATA))
    throw unmodelled(`${formatAddress(metadata)} is not the metadata of a fungible asset`);
  if (hasMember(group, DISPATCH_FUNCTIONS) || hasMember(group, DERIVED_SUPPLY))
    throw unmodelled(
      `the asset ${formatAddress(metadata)}, which has withdraw or deposit functions of its own`,
    );
  return group;
}

/** A store and its parts. */
export interface Store {
  readonly address: Address;
  readonly item: Item<ResourceGroup>;
  readonly owner: Address;
  readonly metadata: Address;
}

/** The store at an address. */
export async function readStore(call: CallState, address: Address): Promise<Store> {
  const item = call.object(address);
  const group = await call.read(item);
  const [core, store] = [getMember(group, OBJECT_CORE), getMember(group, FUNGIBLE_STORE)];
  if (core === undefined || store === undefined)
    throw unmodelled(`${formatAddress(address)} is not a store of a fungible asset`);
  await readMetadata(call, store.metadata);
  return { address, item, owner: core.owner, metadata: store.metadata };
}

/** True if the owner has a primary store. */
export async function hasPrimaryStore(call: CallState, owner: Address, metadata: Address): Promise<boolean> {
  const group = await call.read(call.object(call.primaryStore(owner, metadata)));
  return getMember(group, FUNGIBLE_STORE) !== undefined;
}

/** The owner's primary store, which is created if it is missing. */
export async function ensurePrimaryStore(call: CallState, owner: Address, metadata: Address): Promise<Store> {
  await readMetadata(call, metadata);
  const address = call.primaryStore(owner, metadata);
  const item = call.object(address);
  const group = await call.read(item);
  if (getMember(group, FUNGIBLE_STORE) === undefined) {
    if (group !== undefined) throw unmodelled(`the object ${formatAddress(address)} in the place of a store`);
    const created = createObject(address, owner, { allowUngatedTransfer: false });
    call.write(item, withMember(created, FUNGIBLE_STORE, { metadata, balance: 0n, frozen: false }));
  }
  return { address, item, owner, metadata };
}

/** The amount in a store; 0 if it does not exist. */
export async function storeBalance(call: CallState, item: Item<ResourceGroup>): Promise<bigint> {
  const group = await call.read(item);
  const balance = getMember(group, FUNGIBLE_STORE)?.balance ?? 0n;
  return balance !== 0n ? balance : (getMember(group, CONCURRENT_BALANCE)?.value ?? 0n);
}

/** Withdraws from a store that is not frozen. */
export async function withdrawFromStore(call: CallState, store: Store, amount: bigint): Promise<void> {
  await assertNotFrozen(call, store);
  if ((await storeBalance(call, store.item)) < amount) throw new MoveAbort("storeBalance");
  await addToStore(call, store.item, -amount);
  call.meter?.chargeMovement();
  // Nothing moves without an event, and nothing is told of no movement.
  if (amount > 0n) emitV2(call, WITHDRAW, storeEventCodec, { store: store.address, amount });
}

/** Deposits into a store that is not frozen. */
export async function depositToStore(call: CallState, store: Store, amount: bigint): Promise<void> {
  await assertNotFrozen(call, store);
  if ((await storeBalance(call, store.item)) + amount > U64_MAX)
    throw unmodelled("a deposit that takes a store above 2^64 - 1");
  await addToStore(call, store.item, amount);
  call.meter?.chargeMovement();
  if (amount > 0n) emitV2(call, DEPOSIT, storeEventCodec, { store: store.address, amount });
}

async function assertNotFrozen(call: CallState, { item }: Store): Promise<void> {
  if (getMember(await call.read(item), FUNGIBLE_STORE)?.frozen === true) throw new MoveAbort("storeFrozen");
}

/** Changes a balance without checks and events. */
export async function addToStore(call: CallState, item: Item<ResourceGroup>, delta: bigint): Promise<void> {
  const group = await call.read(item);
  const store = getMember(group, FUNGIBLE_STORE);
  if (group === undefined || store === undefined) throw new Error("the store is missing");
  const concurrent = getMember(group, CONCURRENT_BALANCE);
  if (delta === 0n) return;
  call.write(
    item,
    concurrent === undefined
      ? withMember(group, FUNGIBLE_STORE, { ...store, balance: store.balance + delta })
      : withMember(group, CONCURRENT_BALANCE, { ...concurrent, value: concurrent.value + delta }),
  );
}

/** Adds to the supply of an asset that has one. */
export async function changeAssetSupply(call: CallState, metadata: Address, delta: bigint): Promise<void> {
  if (delta === 0n) return;
  const item = call.object(metadata);
  const group = await call.read(item);
  if (group === undefined) throw new Error("the metadata is missing");
  const concurrent = getMember(group, CONCURRENT_SUPPLY);
  const plain = getMember(group, SUPPLY);
  if (concurrent !== undefined) {
    const changed = { ...concurrent, value: concurrent.value + delta };
    call.write(item, withMember(group, CONCURRENT_SUPPLY, changed));
  } else if (plain !== undefined) {
    call.write(item, withMember(group, SUPPLY, { ...plain, current: plain.current + delta }));
  }
}
