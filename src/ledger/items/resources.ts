// Layouts of the framework's resources. The balance rule reads amounts by offset instead; resources.test.ts compares it
// with these codecs.
import type { Slices } from "../../base/wait.ts";
import { encodeWith, type ValueOf } from "../../bcs/codec.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { struct } from "../../bcs/records.ts";
import { bool, byteString, text, u8, u32, u64, u128 } from "../../bcs/scalars.ts";
import { map, option, readEntries, vector } from "../../bcs/sequences.ts";
import { FRAMEWORK } from "../../move/address.ts";
import { type StructTag, structTagCodec } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";

/** BCS of the struct tag of a framework type. */
export function frameworkTag(module: string, name: string, typeArgs: StructTag["typeArgs"] = []): Uint8Array {
  return encodeWith(structTagCodec, { address: FRAMEWORK, module, name, typeArgs });
}

/** `0x1::event::EventHandle<T>`: counter and key of an event stream. */
const eventHandleCodec = struct({ counter: u64, creationNumber: u64, account: addressCodec });
export type EventHandle = ValueOf<typeof eventHandleCodec>;

/** `0x1::account::Account`. */
export const accountCodec = struct({
  authenticationKey: byteString,
  sequenceNumber: u64,
  guidCreationNumber: u64,
  coinRegisterEvents: eventHandleCodec,
  keyRotationEvents: eventHandleCodec,
  rotationCapabilityOffer: option(addressCodec),
  signerCapabilityOffer: option(addressCodec),
});
export type AccountResource = ValueOf<typeof accountCodec>;

/** `0x1::coin::CoinStore<T>`. */
export const coinStoreCodec = struct({
  value: u64,
  frozen: bool,
  depositEvents: eventHandleCodec,
  withdrawEvents: eventHandleCodec,
});
export type CoinStore = ValueOf<typeof coinStoreCodec>;

/** Supply of a coin: in a table item, or inline. */
const coinSupplyCodec = struct({
  aggregator: option(struct({ handle: addressCodec, key: addressCodec, limit: u128 })),
  integer: option(struct({ value: u128, limit: u128 })),
});

/** `0x1::coin::CoinInfo<T>`. */
export const coinInfoCodec = struct({
  name: text,
  symbol: text,
  decimals: u8,
  supply: option(coinSupplyCodec),
});
export type CoinInfo = ValueOf<typeof coinInfoCodec>;

/** `0x1::object::ObjectGroup`: the resources of one object, by type. */
export const resourceGroupCodec = map(structTagCodec, byteString);
export type ResourceGroup = ValueOf<typeof resourceGroupCodec>;

/** The members of a group, read in slices: it may have thousands. Throws BcsError. */
export async function readGroup(bytes: Uint8Array, slices: Slices): Promise<ResourceGroup> {
  const reader = new BcsReader(bytes);
  const members: (readonly [StructTag, Uint8Array])[] = [];
  for (const member of readEntries(reader, structTagCodec, byteString)) {
    members.push(member);
    await slices.pause();
  }
  reader.finish();
  return members;
}

/** `0x1::object::ObjectCore`. */
export const objectCoreCodec = struct({
  guidCreationNumber: u64,
  owner: addressCodec,
  allowUngatedTransfer: bool,
  transferEvents: eventHandleCodec,
});

/** `0x1::fungible_asset::FungibleStore`. */
export const fungibleStoreCodec = struct({ metadata: addressCodec, balance: u64, frozen: bool });

/** `0x1::fungible_asset::ConcurrentFungibleBalance`. */
export const concurrentBalanceCodec = struct({ value: u64, max: u64 });

/** `0x1::fungible_asset::ConcurrentSupply`. */
export const concurrentSupplyCodec = struct({ value: u128, max: u128 });

/** `0x1::fungible_asset::Metadata`. */
export const assetMetadataCodec = struct({
  name: text,
  symbol: text,
  decimals: u8,
  iconUri: text,
  projectUri: text,
});

/** `0x1::type_info::TypeInfo`, the only field of `0x1::coin::PairedCoinType`. */
export const typeInfoCodec = struct({ account: addressCodec, module: byteString, name: byteString });

/** `0x1::block::BlockResource`. */
export const blockResourceCodec = struct({
  height: u64,
  epochIntervalUsec: u64,
  newBlockEvents: eventHandleCodec,
  updateEpochIntervalEvents: eventHandleCodec,
});
export type BlockResource = ValueOf<typeof blockResourceCodec>;

/** `0x1::block::CommitHistory`: a ring buffer of the latest block events. */
export const commitHistoryCodec = struct({
  maxCapacity: u32,
  nextIndex: u32,
  handle: addressCodec,
  length: u64,
});

/** `0x1::reconfiguration::Configuration`. */
export const configurationCodec = struct({
  epoch: u64,
  lastReconfigurationUsec: u64,
  events: eventHandleCodec,
});
export type Configuration = ValueOf<typeof configurationCodec>;

/** `0x1::stake::ValidatorPerformance`: proposals made and missed, by validator. */
export const validatorPerformanceCodec = vector(struct({ successful: u64, failed: u64 }));
