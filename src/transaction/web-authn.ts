// A WebAuthn assertion: what an authenticator device signs.
import type { Codec } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString } from "../bcs/scalars.ts";

/** The device's signature. */
export interface AssertionSignature {
  readonly kind: "secp256r1";
  readonly signature: Uint8Array;
}

/** The parts of an assertion response that a signature check needs. */
export interface WebAuthnAssertion {
  readonly signature: AssertionSignature;
  readonly authenticatorData: Uint8Array;
  readonly clientDataJson: Uint8Array;
}

const assertionSignatureCodec: Codec<AssertionSignature> = variants("AssertionSignature", {
  secp256r1: { signature: byteString },
});

/** Assertions on the wire. */
export const webAuthnAssertionCodec: Codec<WebAuthnAssertion> = struct({
  signature: assertionSignatureCodec,
  authenticatorData: byteString,
  clientDataJson: byteString,
});
