// Encrypted payloads: the ciphertext as it was signed, and what became of it.
import type { Codec } from "../bcs/codec.ts";
import { struct, variantNumber, variants } from "../bcs/records.ts";
import { byteString, fixed, hash, text, u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import type { ModuleId } from "../move/abi.ts";
import { moduleIdCodec } from "../move/wire.ts";
import { type Executable, type ExtraConfig, executableCodec, extraConfigCodec } from "./executable.ts";

/** A ciphertext of the batch encryption scheme. */
export interface Ciphertext {
  readonly verifyingKey: Uint8Array;
  readonly id: Uint8Array;
  readonly groupElements: Uint8Array;
  readonly paddedKey: Uint8Array;
  readonly nonce: Uint8Array;
  readonly body: Uint8Array;
  readonly associatedData: Uint8Array;
  readonly signature: Uint8Array;
}

/** The function that the sender says is called. */
export interface ClaimedEntryFunction {
  readonly module: ModuleId;
  readonly function: string | undefined;
}

/** What the sender signed. */
export interface EncryptedInner {
  readonly ciphertext: Ciphertext;
  readonly extraConfig: ExtraConfig;
  readonly payloadHash: Uint8Array;
  readonly encryptionEpoch: bigint;
  readonly claimedEntryFunction: ClaimedEntryFunction | undefined;
}

/** How many reasons a failed decryption can have. */
const FAILURE_REASONS = 10;

/** An encrypted payload before and after decryption. */
export type EncryptedPayload =
  | { readonly kind: "encrypted"; readonly inner: EncryptedInner }
  | {
      readonly kind: "failedDecryption";
      readonly inner: EncryptedInner;
      readonly evalProof: Uint8Array | undefined;
      /** Number of the reason on the wire. */
      readonly reason: number;
    }
  | {
      readonly kind: "decrypted";
      readonly inner: EncryptedInner;
      readonly evalProof: Uint8Array;
      readonly executable: Executable;
      readonly decryptionNonce: Uint8Array;
    };

const ciphertextCodec: Codec<Ciphertext> = struct({
  verifyingKey: byteString,
  id: byteString,
  groupElements: byteString,
  paddedKey: fixed(16),
  nonce: fixed(12),
  body: byteString,
  associatedData: byteString,
  signature: fixed(64),
});

const claimedEntryFunctionCodec: Codec<ClaimedEntryFunction> = struct({
  module: moduleIdCodec,
  function: option(text),
});

/** The signed part on the wire. */
export const encryptedInnerCodec: Codec<EncryptedInner> = struct({
  ciphertext: ciphertextCodec,
  extraConfig: extraConfigCodec,
  payloadHash: hash,
  encryptionEpoch: u64,
  claimedEntryFunction: option(claimedEntryFunctionCodec),
});

/** Encrypted payloads on the wire. */
export const encryptedPayloadCodec: Codec<EncryptedPayload> = variants("EncryptedPayload", {
  encrypted: { inner: encryptedInnerCodec },
  failedDecryption: {
    inner: encryptedInnerCodec,
    evalProof: option(byteString),
    reason: variantNumber("DecryptionFailure", FAILURE_REASONS),
  },
  decrypted: {
    inner: encryptedInnerCodec,
    evalProof: byteString,
    executable: executableCodec,
    decryptionNonce: fixed(16),
  },
});
