// Layouts of the framework's resources that a balance and its asset are read from. The balance rule itself reads amounts
// by offset.
import type { Codec } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { bool, text, u8, u64, u128 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";

interface EventHandle {
  readonly counter: bigint;
  readonly creationNumber: bigint;
  readonly account: Address;
}

const eventHandleCodec: Codec<EventHandle> = struct({
  counter: u64,
  creationNumber: u64,
  account: addressCodec,
});

/** `0x1::coin::CoinStore<T>`. */
export const coinStoreCodec: Codec<{
  readonly value: bigint;
  readonly frozen: boolean;
  readonly depositEvents: EventHandle;
  readonly withdrawEvents: EventHandle;
}> = struct({
  value: u64,
  frozen: bool,
  depositEvents: eventHandleCodec,
  withdrawEvents: eventHandleCodec,
});

/** `0x1::coin::CoinInfo<T>`. */
export const coinInfoCodec: Codec<{
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Where the supply is counted: a table item of its own, or a number in place. */
  readonly supply: unknown;
}> = struct({
  name: text,
  symbol: text,
  decimals: u8,
  supply: option(
    struct({
      aggregator: option(struct({ handle: addressCodec, key: addressCodec, limit: u128 })),
      integer: option(struct({ value: u128, limit: u128 })),
    }),
  ),
});

/** `0x1::fungible_asset::FungibleStore`. */
export const fungibleStoreCodec: Codec<{
  readonly metadata: Address;
  readonly balance: bigint;
  readonly frozen: boolean;
}> = struct({ metadata: addressCodec, balance: u64, frozen: bool });

/** `0x1::fungible_asset::ConcurrentFungibleBalance`. */
export const concurrentBalanceCodec: Codec<{ readonly value: bigint; readonly max: bigint }> = struct({
  value: u64,
  max: u64,
});

/** `0x1::fungible_asset::Metadata`. */
export const assetMetadataCodec: Codec<{
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly iconUri: string;
  readonly projectUri: string;
}> = struct({ name: text, symbol: text, decimals: u8, iconUri: text, projectUri: text });
