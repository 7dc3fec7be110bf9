// Public keys and signatures of every scheme, each with its tag. Lengths are the schemes' own business:
// the chain checked them, and here only the bytes count.
import type { Codec } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { byteString } from "../bcs/scalars.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";
import {
  type KeylessPublicKey,
  type KeylessSignature,
  keylessPublicKeyCodec,
  keylessSignatureCodec,
} from "./keyless.ts";
import { type WebAuthnAssertion, webAuthnAssertionCodec } from "./web-authn.ts";

/** A public key of any scheme. */
export type AnyPublicKey =
  | { readonly kind: "ed25519" | "secp256k1" | "secp256r1" | "slhDsa"; readonly publicKey: Uint8Array }
  | { readonly kind: "keyless"; readonly keyless: KeylessPublicKey }
  | { readonly kind: "federatedKeyless"; readonly jwkAddress: Address; readonly keyless: KeylessPublicKey };

/** A signature of any scheme. */
export type AnySignature =
  | { readonly kind: "ed25519" | "secp256k1" | "slhDsa"; readonly signature: Uint8Array }
  | { readonly kind: "webAuthn"; readonly assertion: WebAuthnAssertion }
  | { readonly kind: "keyless"; readonly keyless: KeylessSignature };

/** Public keys on the wire. */
export const anyPublicKeyCodec: Codec<AnyPublicKey> = variants("AnyPublicKey", {
  ed25519: { publicKey: byteString },
  secp256k1: { publicKey: byteString },
  secp256r1: { publicKey: byteString },
  keyless: { keyless: keylessPublicKeyCodec },
  federatedKeyless: { jwkAddress: addressCodec, keyless: keylessPublicKeyCodec },
  slhDsa: { publicKey: byteString },
});

/** Signatures on the wire. */
export const anySignatureCodec: Codec<AnySignature> = variants("AnySignature", {
  ed25519: { signature: byteString },
  secp256k1: { signature: byteString },
  webAuthn: { assertion: webAuthnAssertionCodec },
  keyless: { keyless: keylessSignatureCodec },
  slhDsa: { signature: byteString },
});
