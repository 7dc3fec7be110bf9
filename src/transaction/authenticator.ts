// Signatures on the wire, from the parts up: WebAuthn assertions, keyless accounts, keys of any scheme, the proof of one
// account, and all signatures of a transaction. Lengths are not checked here: the schemes do that.
import type { ValueOf } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, fixed, text, u8, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { addressCodec, moduleIdCodec } from "../move/wire.ts";

/** The device's signature. */
const assertionSignatureCodec = variants("AssertionSignature", { secp256r1: { signature: byteString } });

/** The parts of an assertion response that a signature check needs. */
export const webAuthnAssertionCodec = struct({
  signature: assertionSignatureCodec,
  authenticatorData: byteString,
  clientDataJson: byteString,
});
export type WebAuthnAssertion = ValueOf<typeof webAuthnAssertionCodec>;

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

/** A public key of any scheme. */
export const anyPublicKeyCodec = variants("AnyPublicKey", {
  ed25519: { publicKey: byteString },
  secp256k1: { publicKey: byteString },
  secp256r1: { publicKey: byteString },
  keyless: { keyless: keylessPublicKeyCodec },
  federatedKeyless: { jwkAddress: addressCodec, keyless: keylessPublicKeyCodec },
  slhDsa: { publicKey: byteString },
});
export type AnyPublicKey = ValueOf<typeof anyPublicKeyCodec>;

/** A signature of any scheme. */
export const anySignatureCodec = variants("AnySignature", {
  ed25519: { signature: byteString },
  secp256k1: { signature: byteString },
  webAuthn: { assertion: webAuthnAssertionCodec },
  keyless: { keyless: keylessSignatureCodec },
  slhDsa: { signature: byteString },
});
export type AnySignature = ValueOf<typeof anySignatureCodec>;

/** A function of the chain that decides about a signature. */
const functionInfoCodec = struct({ module: moduleIdCodec, function: text });

/** What an authentication function is given. */
export const abstractSigningDataCodec = variants("AbstractSigningData", {
  v1: { digest: byteString, signature: byteString },
  derivable: { digest: byteString, signature: byteString, publicKey: byteString },
});

/** One account's proof. */
export const accountAuthenticatorCodec = variants("AccountAuthenticator", {
  ed25519: { publicKey: byteString, signature: byteString },
  multiEd25519: { publicKey: byteString, signature: byteString },
  singleKey: { publicKey: anyPublicKeyCodec, signature: anySignatureCodec },
  multiKey: {
    publicKeys: vector(anyPublicKeyCodec),
    signaturesRequired: u8,
    signatures: vector(anySignatureCodec),
    /** Which keys signed, top bit first. */
    bitmap: byteString,
  },
  /** Only in simulations. */
  none: {},
  abstract: { function: functionInfoCodec, data: abstractSigningDataCodec },
});
export type AccountAuthenticator = ValueOf<typeof accountAuthenticatorCodec>;

/** All signatures of a transaction. */
export const authenticatorCodec = variants("TransactionAuthenticator", {
  ed25519: { publicKey: byteString, signature: byteString },
  multiEd25519: { publicKey: byteString, signature: byteString },
  multiAgent: {
    sender: accountAuthenticatorCodec,
    secondaryAddresses: vector(addressCodec),
    secondarySigners: vector(accountAuthenticatorCodec),
  },
  feePayer: {
    sender: accountAuthenticatorCodec,
    secondaryAddresses: vector(addressCodec),
    secondarySigners: vector(accountAuthenticatorCodec),
    feePayerAddress: addressCodec,
    feePayer: accountAuthenticatorCodec,
  },
  singleSender: { sender: accountAuthenticatorCodec },
});
export type TransactionAuthenticator = ValueOf<typeof authenticatorCodec>;
