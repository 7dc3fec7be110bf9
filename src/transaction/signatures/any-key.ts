// Public keys and signatures of every scheme, each with its tag. Lengths are the schemes' own business:
// the chain checked them, and here only the bytes count.
import type { ValueOf } from "../../bcs/codec.ts";
import { variants } from "../../bcs/records.ts";
import { byteString } from "../../bcs/scalars.ts";
import { addressCodec } from "../../move/wire.ts";
import { keylessPublicKeyCodec, keylessSignatureCodec } from "./keyless.ts";
import { webAuthnAssertionCodec } from "./web-authn.ts";

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
