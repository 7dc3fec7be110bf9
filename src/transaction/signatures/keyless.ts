// Keyless accounts: public keys made of an identity commitment, and signatures with their certificates.
import type { ValueOf } from "../../bcs/codec.ts";
import { struct, variants } from "../../bcs/records.ts";
import { byteString, fixed, text, u64 } from "../../bcs/scalars.ts";
import { option } from "../../bcs/sequences.ts";
import { webAuthnAssertionCodec } from "./web-authn.ts";

/** Public key of a keyless account. */
export const keylessPublicKeyCodec = struct({ issuer: text, identityCommitment: byteString });
export type KeylessPublicKey = ValueOf<typeof keylessPublicKeyCodec>;

/** The short-lived key that signs the transaction. */
const ephemeralPublicKeyCodec = variants("EphemeralPublicKey", {
  ed25519: { publicKey: byteString },
  secp256r1: { publicKey: byteString },
});

/** Signature by the short-lived key. */
const ephemeralSignatureCodec = variants("EphemeralSignature", {
  ed25519: { signature: byteString },
  webAuthn: { assertion: webAuthnAssertionCodec },
});
export type EphemeralSignature = ValueOf<typeof ephemeralSignatureCodec>;

const zeroKnowledgeProofCodec = variants("ZeroKnowledgeProof", {
  groth16: { a: fixed(32), b: fixed(64), c: fixed(32) },
});

/** What ties the short-lived key to the account. */
const ephemeralCertificateCodec = variants("EphemeralCertificate", {
  zeroKnowledge: {
    proof: zeroKnowledgeProofCodec,
    expirationHorizonSecs: u64,
    extraField: option(text),
    overrideAudience: option(text),
    trainingWheelsSignature: option(ephemeralSignatureCodec),
  },
  openId: {
    tokenSignature: byteString,
    tokenPayload: text,
    uidKey: text,
    keyBlinder: byteString,
    pepper: fixed(31),
    commitmentAudience: option(text),
  },
});

/** Signature of a keyless account. */
export const keylessSignatureCodec = struct({
  certificate: ephemeralCertificateCodec,
  tokenHeader: text,
  expirationSecs: u64,
  ephemeralPublicKey: ephemeralPublicKeyCodec,
  ephemeralSignature: ephemeralSignatureCodec,
});
export type KeylessSignature = ValueOf<typeof keylessSignatureCodec>;
