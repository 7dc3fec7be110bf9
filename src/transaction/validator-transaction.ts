// Transactions that the validators make among themselves.
import type { ValueOf } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, text, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { addressCodec } from "../move/wire.ts";

/** Signatures of many validators in one. */
const aggregateSignatureCodec = struct({
  /** Who signed, top bit first. */
  bitmask: byteString,
  signature: option(byteString),
});

/** A JSON web key of any kind: the name of its Move type and its BCS. */
const jwkCodec = struct({ type: text, data: byteString });

/** A validator transaction. */
export const validatorTransactionCodec = variants("ValidatorTransaction", {
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
export type ValidatorTransaction = ValueOf<typeof validatorTransactionCodec>;
