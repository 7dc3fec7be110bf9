// What a user transaction asks for, in every form the chain has known.
import type { Codec } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";
import { type EncryptedPayload, encryptedPayloadCodec } from "./encrypted-payload.ts";
import { type EntryFunction, entryFunctionCodec } from "./entry-function.ts";
import { type ExecutablePayload, executablePayloadCodec } from "./executable.ts";
import { type Script, scriptCodec } from "./script.ts";

/** What a multisig account runs; its numbers differ from those of the payload itself. */
export type MultisigPayload =
  | { readonly kind: "entryFunction"; readonly entryFunction: EntryFunction }
  | { readonly kind: "script"; readonly script: Script };

/** The payload of a user transaction. */
export type TransactionPayload =
  | { readonly kind: "script"; readonly script: Script }
  /** Removed from the chain; only its number and a placeholder are left. */
  | { readonly kind: "moduleBundle"; readonly placeholder: bigint }
  | { readonly kind: "entryFunction"; readonly entryFunction: EntryFunction }
  | {
      readonly kind: "multisig";
      readonly multisigAddress: Address;
      readonly transactionPayload: MultisigPayload | undefined;
    }
  | { readonly kind: "payload"; readonly payload: ExecutablePayload }
  | { readonly kind: "encrypted"; readonly encrypted: EncryptedPayload };

const multisigPayloadCodec: Codec<MultisigPayload> = variants("MultisigPayload", {
  entryFunction: { entryFunction: entryFunctionCodec },
  script: { script: scriptCodec },
});

/** Payloads on the wire. */
export const payloadCodec: Codec<TransactionPayload> = variants("TransactionPayload", {
  script: { script: scriptCodec },
  moduleBundle: { placeholder: u64 },
  entryFunction: { entryFunction: entryFunctionCodec },
  multisig: { multisigAddress: addressCodec, transactionPayload: option(multisigPayloadCodec) },
  payload: { payload: executablePayloadCodec },
  encrypted: { encrypted: encryptedPayloadCodec },
});
