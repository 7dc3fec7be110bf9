// What a user transaction asks for, in every form the chain has known.
import type { ValueOf } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import { addressCodec } from "../move/wire.ts";
import { encryptedPayloadCodec } from "./encrypted-payload.ts";
import { entryFunctionCodec } from "./entry-function.ts";
import { executablePayloadCodec } from "./executable.ts";
import { scriptCodec } from "./script.ts";

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
