// The raw transaction: what a user signs.
import type { Codec } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { u8, u64 } from "../bcs/scalars.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";
import { payloadCodec, type TransactionPayload } from "./payload.ts";

/** Sequence number of a transaction that carries a nonce instead. */
export const NONCE_SEQUENCE_NUMBER = 0xffff_ffff_ffff_ffffn;

/** A transaction without its signatures. */
export interface RawTransaction {
  readonly sender: Address;
  readonly sequenceNumber: bigint;
  readonly payload: TransactionPayload;
  readonly maxGasAmount: bigint;
  readonly gasUnitPrice: bigint;
  readonly expirationTimestampSecs: bigint;
  readonly chainId: number;
}

/** Raw transactions on the wire. */
export const rawTransactionCodec: Codec<RawTransaction> = struct({
  sender: addressCodec,
  sequenceNumber: u64,
  payload: payloadCodec,
  maxGasAmount: u64,
  gasUnitPrice: u64,
  expirationTimestampSecs: u64,
  chainId: u8,
});
