// Layouts of the resources that blocks of the local chain read and write.
import type { Codec } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { bool, byteString, text, u8, u32, u64, u128 } from "../bcs/scalars.ts";
import { map, option, vector } from "../bcs/sequences.ts";
import type { Address } from "../move/address.ts";
import { type StructTag, structTagCodec } from "../move/type-tag.ts";
import { addressCodec } from "../move/wire.ts";

/** Counter and key of an event stream. */
export interface EventHandle {
  readonly counter: bigint;
  readonly creationNumber: bigint;
  readonly account: Address;
}

const eventHandleCodec: Codec<EventHandle> = struct({
  counter: u64,
  creationNumber: u64,
  account: addressCodec,
});

/** `0x1::account::Account`. */
export interface AccountResource {
  readonly authenticationKey: Uint8Array;
  readonly sequenceNumber: bigint;
  readonly guidCreationNumber: bigint;
  readonly coinRegisterEvents: EventHandle;
  readonly keyRotationEvents: EventHandle;
  readonly rotationCapabilityOffer: Address | undefined;
  readonly signerCapabilityOffer: Address | undefined;
}

/** Accounts on the wire. */
export const accountCodec: Codec<AccountResource> = struct({
  authenticationKey: byteString,
  sequenceNumber: u64,
  guidCreationNumber: u64,
  coinRegisterEvents: eventHandleCodec,
  keyRotationEvents: eventHandleCodec,
  rotationCapabilityOffer: option(addressCodec),
  signerCapabilityOffer: option(addressCodec),
});

/** `0x1::coin::CoinStore<T>`. */
export interface CoinStore {
  readonly value: bigint;
  readonly frozen: boolean;
  readonly depositEvents: EventHandle;
  readonly withdrawEvents: EventHandle;
}

/** Coin stores on the wire. */
export const coinStoreCodec: Codec<CoinStore> = struct({
  value: u64,
  frozen: bool,
  depositEvents: eventHandleCodec,
  withdrawEvents: eventHandleCodec,
});

/** Where a coin's supply is counted: a table item of its own, or a number in place. */
export interface CoinSupply {
  readonly aggregator:
    | { readonly handle: Address; readonly key: Address; readonly limit: bigint }
    | undefined;
  readonly integer: { readonly value: bigint; readonly limit: bigint } | undefined;
}

/** `0x1::coin::CoinInfo<T>`. */
export interface CoinInfo {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly supply: CoinSupply | undefined;
}

/** Coin infos on the wire. */
export const coinInfoCodec: Codec<CoinInfo> = struct({
  name: text,
  symbol: text,
  decimals: u8,
  supply: option(
    struct<CoinSupply>({
      aggregator: option(struct({ handle: addressCodec, key: addressCodec, limit: u128 })),
      integer: option(struct({ value: u128, limit: u128 })),
    }),
  ),
});

/** The resources of one object, by type. */
export type ResourceGroup = readonly (readonly [StructTag, Uint8Array])[];

/** Resource groups on the wire. */
export const resourceGroupCodec: Codec<ResourceGroup> = map(structTagCodec, byteString);

/** `0x1::object::ObjectCore`. */
export interface ObjectCore {
  readonly guidCreationNumber: bigint;
  readonly owner: Address;
  readonly allowUngatedTransfer: boolean;
  readonly transferEvents: EventHandle;
}

/** Object cores on the wire. */
export const objectCoreCodec: Codec<ObjectCore> = struct({
  guidCreationNumber: u64,
  owner: addressCodec,
  allowUngatedTransfer: bool,
  transferEvents: eventHandleCodec,
});

/** `0x1::fungible_asset::FungibleStore`. */
export interface FungibleStore {
  readonly metadata: Address;
  readonly balance: bigint;
  readonly frozen: boolean;
}

/** Fungible stores on the wire. */
export const fungibleStoreCodec: Codec<FungibleStore> = struct({
  metadata: addressCodec,
  balance: u64,
  frozen: bool,
});

/** `0x1::fungible_asset::ConcurrentFungibleBalance`. */
export const concurrentBalanceCodec: Codec<{ readonly value: bigint; readonly max: bigint }> = struct({
  value: u64,
  max: u64,
});

/** `0x1::fungible_asset::ConcurrentSupply`. */
export const concurrentSupplyCodec: Codec<{ readonly value: bigint; readonly max: bigint }> = struct({
  value: u128,
  max: u128,
});

/** `0x1::fungible_asset::Metadata`. */
export interface AssetMetadata {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly iconUri: string;
  readonly projectUri: string;
}

/** Asset metadata on the wire. */
export const assetMetadataCodec: Codec<AssetMetadata> = struct({
  name: text,
  symbol: text,
  decimals: u8,
  iconUri: text,
  projectUri: text,
});

/** `0x1::type_info::TypeInfo`, the only field of `0x1::coin::PairedCoinType`. */
export const typeInfoCodec: Codec<{
  readonly account: Address;
  readonly module: Uint8Array;
  readonly name: Uint8Array;
}> = struct({ account: addressCodec, module: byteString, name: byteString });

/** `0x1::block::BlockResource`. */
export interface BlockResource {
  readonly height: bigint;
  readonly epochIntervalUsec: bigint;
  readonly newBlockEvents: EventHandle;
  readonly updateEpochIntervalEvents: EventHandle;
}

/** Block resources on the wire. */
export const blockResourceCodec: Codec<BlockResource> = struct({
  height: u64,
  epochIntervalUsec: u64,
  newBlockEvents: eventHandleCodec,
  updateEpochIntervalEvents: eventHandleCodec,
});

/** `0x1::block::CommitHistory`: a ring of the latest block events. */
export interface CommitHistory {
  readonly maxCapacity: number;
  readonly nextIndex: number;
  readonly handle: Address;
  readonly length: bigint;
}

/** Commit histories on the wire. */
export const commitHistoryCodec: Codec<CommitHistory> = struct({
  maxCapacity: u32,
  nextIndex: u32,
  handle: addressCodec,
  length: u64,
});

/** `0x1::reconfiguration::Configuration`. */
export interface Configuration {
  readonly epoch: bigint;
  readonly lastReconfigurationUsec: bigint;
  readonly events: EventHandle;
}

/** Configurations on the wire. */
export const configurationCodec: Codec<Configuration> = struct({
  epoch: u64,
  lastReconfigurationUsec: u64,
  events: eventHandleCodec,
});

/** `0x1::stake::ValidatorPerformance`: proposals made and missed, by validator. */
export const validatorPerformanceCodec: Codec<
  readonly { readonly successful: bigint; readonly failed: bigint }[]
> = vector(struct({ successful: u64, failed: u64 }));
