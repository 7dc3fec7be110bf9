// The raw transaction: what a user signs, with its payload in every form that the chain has known.
import type { ValueOf } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { u8, u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import { addressCodec } from "../move/wire.ts";
import { encryptedPayloadCodec } from "./encrypted-payload.ts";
import { entryFunctionCodec, executablePayloadCodec, scriptCodec } from "./executable.ts";

/** What a multisig account runs; its numbers differ from those of the payload itself. */
const multisigPayloadCodec = variants("MultisigPayload", {
  entryFunction: { entryFunction: entryFunctionCodec },
  script: { script: scriptCodec },
});
export type MultisigPayload = ValueOf<typeof multisigPayloadCodec>;

/** The payload of a user transaction. */
export const payloadCodec = variants("TransactionPayload", {
  script: { script: scriptCodec },
  /** Removed from the chain; only its number and a placeholder are left. */
  moduleBundle: { placeholder: u64 },
  entryFunction: { entryFunction: entryFunctionCodec },
  multisig: { multisigAddress: addressCodec, transactionPayload: option(multisigPayloadCodec) },
  payload: { payload: executablePayloadCodec },
  encrypted: { encrypted: encryptedPayloadCodec },
});
export type TransactionPayload = ValueOf<typeof payloadCodec>;

/** Variant number of a call of an entry function. */
export const ENTRY_FUNCTION_VARIANT = 2;

/** The nonce that takes the place of a sequence number. */
export function replayNonce(payload: TransactionPayload): bigint | undefined {
  if (payload.kind === "payload") return payload.payload.extraConfig.replayProtectionNonce;
  if (payload.kind === "encrypted") return payload.encrypted.inner.extraConfig.replayProtectionNonce;
  return undefined;
}

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
