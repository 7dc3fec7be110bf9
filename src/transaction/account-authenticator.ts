// How one account proves that it agrees to a transaction.
import type { Codec } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, text, u8 } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import type { ModuleId } from "../move/abi.ts";
import { moduleIdCodec } from "../move/wire.ts";
import { type AnyPublicKey, type AnySignature, anyPublicKeyCodec, anySignatureCodec } from "./any-key.ts";

/** A function of the chain that decides about a signature. */
export interface FunctionInfo {
  readonly module: ModuleId;
  readonly function: string;
}

/** What an authentication function is given. */
export type AbstractSigningData =
  | { readonly kind: "v1"; readonly digest: Uint8Array; readonly signature: Uint8Array }
  | {
      readonly kind: "derivable";
      readonly digest: Uint8Array;
      readonly signature: Uint8Array;
      readonly publicKey: Uint8Array;
    };

/** One account's proof. */
export type AccountAuthenticator =
  | {
      readonly kind: "ed25519" | "multiEd25519";
      readonly publicKey: Uint8Array;
      readonly signature: Uint8Array;
    }
  | { readonly kind: "singleKey"; readonly publicKey: AnyPublicKey; readonly signature: AnySignature }
  | {
      readonly kind: "multiKey";
      readonly publicKeys: readonly AnyPublicKey[];
      readonly signaturesRequired: number;
      readonly signatures: readonly AnySignature[];
      /** Which keys signed, top bit first. */
      readonly bitmap: Uint8Array;
    }
  /** Only in simulations. */
  | { readonly kind: "none" }
  | { readonly kind: "abstract"; readonly function: FunctionInfo; readonly data: AbstractSigningData };

const functionInfoCodec: Codec<FunctionInfo> = struct({ module: moduleIdCodec, function: text });

const abstractSigningDataCodec: Codec<AbstractSigningData> = variants("AbstractSigningData", {
  v1: { digest: byteString, signature: byteString },
  derivable: { digest: byteString, signature: byteString, publicKey: byteString },
});

/** Account authenticators on the wire. */
export const accountAuthenticatorCodec: Codec<AccountAuthenticator> = variants("AccountAuthenticator", {
  ed25519: { publicKey: byteString, signature: byteString },
  multiEd25519: { publicKey: byteString, signature: byteString },
  singleKey: { publicKey: anyPublicKeyCodec, signature: anySignatureCodec },
  multiKey: {
    publicKeys: vector(anyPublicKeyCodec),
    signaturesRequired: u8,
    signatures: vector(anySignatureCodec),
    bitmap: byteString,
  },
  none: {},
  abstract: { function: functionInfoCodec, data: abstractSigningDataCodec },
});
