// The raw transaction: what a user signs.
import type { ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { u8, u64 } from "../bcs/scalars.ts";
import { addressCodec } from "../move/wire.ts";
import { payloadCodec } from "./payload.ts";

/** Sequence number of a transaction that carries a nonce instead. */
export const NONCE_SEQUENCE_NUMBER = 0xffff_ffff_ffff_ffffn;

/** A transaction without its signatures. */
export const rawTransactionCodec = struct({
  sender: addressCodec,
  sequenceNumber: u64,
  payload: payloadCodec,
  maxGasAmount: u64,
  gasUnitPrice: u64,
  expirationTimestampSecs: u64,
  chainId: u8,
});
export type RawTransaction = ValueOf<typeof rawTransactionCodec>;
