// A WebAuthn assertion: what an authenticator device signs.
import type { ValueOf } from "../../bcs/codec.ts";
import { struct, variants } from "../../bcs/records.ts";
import { byteString } from "../../bcs/scalars.ts";

/** The device's signature. */
const assertionSignatureCodec = variants("AssertionSignature", { secp256r1: { signature: byteString } });

/** The parts of an assertion response that a signature check needs. */
export const webAuthnAssertionCodec = struct({
  signature: assertionSignatureCodec,
  authenticatorData: byteString,
  clientDataJson: byteString,
});
export type WebAuthnAssertion = ValueOf<typeof webAuthnAssertionCodec>;
