// Transactions that the validators make among themselves.
import type { Codec } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, text, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";

/** Signatures of many validators in one. */
export interface AggregateSignature {
  /** Who signed, top bit first. */
  readonly bitmask: Uint8Array;
  readonly signature: Uint8Array | undefined;
}

/** A JSON web key of any kind: the name of its Move type and its BCS. */
export interface Jwk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** A validator transaction. */
export type ValidatorTransaction =
  | {
      readonly kind: "dkgResult";
      readonly epoch: bigint;
      readonly author: Address;
      readonly transcript: Uint8Array;
    }
  | {
      readonly kind: "jwkUpdate";
      readonly issuer: Uint8Array;
      readonly version: bigint;
      readonly jwks: readonly Jwk[];
      readonly signature: AggregateSignature;
    }
  | {
      readonly kind: "chunkyDkgResult";
      readonly epoch: bigint;
      readonly author: Address;
      readonly transcript: Uint8Array;
      readonly signature: AggregateSignature;
      readonly encryptionKey: Uint8Array;
    };

const aggregateSignatureCodec: Codec<AggregateSignature> = struct({
  bitmask: byteString,
  signature: option(byteString),
});

const jwkCodec: Codec<Jwk> = struct({ type: text, data: byteString });

/** Validator transactions on the wire. */
export const validatorTransactionCodec: Codec<ValidatorTransaction> = variants("ValidatorTransaction", {
  dkgResult: { epoch: u64, author: addressCodec, transcript: byteString },
  jwkUpdate: {
    issuer: byteString,
    version: u64,
    jwks: vector(jwkCodec),
    signature: aggregateSignatureCodec,
  },
  chunkyDkgResult: {
    epoch: u64,
    author: addressCodec,
    transcript: byteString,
    signature: aggregateSignatureCodec,
    encryptionKey: byteString,
  },
});
