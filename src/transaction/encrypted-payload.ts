// Encrypted payloads: the ciphertext as it was signed, and what became of it.
import type { ValueOf } from "../bcs/codec.ts";
import { struct, variantNumber, variants } from "../bcs/records.ts";
import { byteString, fixed, hash, text, u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import { moduleIdCodec } from "../move/wire.ts";
import { executableCodec, extraConfigCodec } from "./executable.ts";

/** How many reasons a failed decryption can have. */
const FAILURE_REASONS = 10;

/** A ciphertext of the batch encryption scheme. */
export const ciphertextCodec = struct({
  verifyingKey: byteString,
  id: byteString,
  groupElements: byteString,
  paddedKey: fixed(16),
  nonce: fixed(12),
  body: byteString,
  associatedData: byteString,
  signature: fixed(64),
});

/** The function that the sender says is called. */
const claimedEntryFunctionCodec = struct({ module: moduleIdCodec, function: option(text) });

/** What the sender signed. */
export const encryptedInnerCodec = struct({
  ciphertext: ciphertextCodec,
  extraConfig: extraConfigCodec,
  payloadHash: hash,
  encryptionEpoch: u64,
  claimedEntryFunction: option(claimedEntryFunctionCodec),
});
export type EncryptedInner = ValueOf<typeof encryptedInnerCodec>;

/** An encrypted payload before and after decryption. */
export const encryptedPayloadCodec = variants("EncryptedPayload", {
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
export type EncryptedPayload = ValueOf<typeof encryptedPayloadCodec>;
