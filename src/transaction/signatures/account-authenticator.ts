// How one account proves that it agrees to a transaction.
import type { ValueOf } from "../../bcs/codec.ts";
import { struct, variants } from "../../bcs/records.ts";
import { byteString, text, u8 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import { moduleIdCodec } from "../../move/wire.ts";
import { anyPublicKeyCodec, anySignatureCodec } from "./any-key.ts";

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
