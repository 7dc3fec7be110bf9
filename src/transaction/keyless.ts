// Keyless accounts: public keys made of an identity commitment, and signatures with their certificates.
import type { Codec } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, fixed, text, u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import { type WebAuthnAssertion, webAuthnAssertionCodec } from "./web-authn.ts";

/** Public key of a keyless account. */
export interface KeylessPublicKey {
  readonly issuer: string;
  readonly identityCommitment: Uint8Array;
}

/** The short-lived key that signs the transaction. */
export interface EphemeralPublicKey {
  readonly kind: "ed25519" | "secp256r1";
  readonly publicKey: Uint8Array;
}

/** Signature by the short-lived key. */
export type EphemeralSignature =
  | { readonly kind: "ed25519"; readonly signature: Uint8Array }
  | { readonly kind: "webAuthn"; readonly assertion: WebAuthnAssertion };

/** Zero-knowledge proof. */
export interface ZeroKnowledgeProof {
  readonly kind: "groth16";
  readonly a: Uint8Array;
  readonly b: Uint8Array;
  readonly c: Uint8Array;
}

/** What ties the short-lived key to the account. */
export type EphemeralCertificate =
  | {
      readonly kind: "zeroKnowledge";
      readonly proof: ZeroKnowledgeProof;
      readonly expirationHorizonSecs: bigint;
      readonly extraField: string | undefined;
      readonly overrideAudience: string | undefined;
      readonly trainingWheelsSignature: EphemeralSignature | undefined;
    }
  | {
      readonly kind: "openId";
      readonly tokenSignature: Uint8Array;
      readonly tokenPayload: string;
      readonly uidKey: string;
      readonly keyBlinder: Uint8Array;
      readonly pepper: Uint8Array;
      readonly commitmentAudience: string | undefined;
    };

/** Signature of a keyless account. */
export interface KeylessSignature {
  readonly certificate: EphemeralCertificate;
  readonly tokenHeader: string;
  readonly expirationSecs: bigint;
  readonly ephemeralPublicKey: EphemeralPublicKey;
  readonly ephemeralSignature: EphemeralSignature;
}

/** Keyless public keys on the wire. */
export const keylessPublicKeyCodec: Codec<KeylessPublicKey> = struct({
  issuer: text,
  identityCommitment: byteString,
});

const ephemeralPublicKeyCodec: Codec<EphemeralPublicKey> = variants("EphemeralPublicKey", {
  ed25519: { publicKey: byteString },
  secp256r1: { publicKey: byteString },
});

const ephemeralSignatureCodec: Codec<EphemeralSignature> = variants("EphemeralSignature", {
  ed25519: { signature: byteString },
  webAuthn: { assertion: webAuthnAssertionCodec },
});

const zeroKnowledgeProofCodec: Codec<ZeroKnowledgeProof> = variants("ZeroKnowledgeProof", {
  groth16: { a: fixed(32), b: fixed(64), c: fixed(32) },
});

const ephemeralCertificateCodec: Codec<EphemeralCertificate> = variants("EphemeralCertificate", {
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

/** Keyless signatures on the wire. */
export const keylessSignatureCodec: Codec<KeylessSignature> = struct({
  certificate: ephemeralCertificateCodec,
  tokenHeader: text,
  expirationSecs: u64,
  ephemeralPublicKey: ephemeralPublicKeyCodec,
  ephemeralSignature: ephemeralSignatureCodec,
});
