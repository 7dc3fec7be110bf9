// Transactions that no user sends: what opens a block, what closes it, and what the validators make among themselves.
import type { ValueOf } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { bool, byteString, hash, text, u32, u64 } from "../bcs/scalars.ts";
import { map, option, vector } from "../bcs/sequences.ts";
import { addressCodec } from "../move/wire.ts";

/** What every block says about itself. */
export const blockMetadataCodec = struct({
  id: hash,
  epoch: u64,
  round: u64,
  proposer: addressCodec,
  /** Bit vector of the validators that voted for the block before. */
  previousVotes: byteString,
  failedProposers: vector(u32),
  timestampUsec: u64,
});
export type BlockMetadata = ValueOf<typeof blockMetadataCodec>;

/** Randomness or a decryption key that the validators made for one round. */
const roundSecretCodec = struct({ epoch: u64, round: u64, bytes: byteString });
export type RoundSecret = ValueOf<typeof roundSecretCodec>;

/** A decryption key with the round it decrypts for. */
const decryptionKeyCodec = struct({ key: roundSecretCodec, decryptionRound: u64 });

/** Block metadata in the newer forms. */
export const blockMetadataExtCodec = variants("BlockMetadataExt", {
  v0: { block: blockMetadataCodec },
  v1: { block: blockMetadataCodec, randomness: option(roundSecretCodec) },
  v2: {
    block: blockMetadataCodec,
    randomness: option(roundSecretCodec),
    decryptionKey: option(roundSecretCodec),
  },
  v3: {
    block: blockMetadataCodec,
    randomness: option(roundSecretCodec),
    decryptionKey: option(decryptionKeyCodec),
  },
});
export type BlockMetadataExt = ValueOf<typeof blockMetadataExtCodec>;

/** How full the block became. */
export const blockEndInfoCodec = variants("BlockEndInfo", {
  v0: { gasLimitReached: bool, outputLimitReached: bool, gasUnits: u64, approximateOutputBytes: u64 },
});
export type BlockEndInfo = ValueOf<typeof blockEndInfoCodec>;

/** Fees in octas by validator index. */
export const feeDistributionCodec = variants("FeeDistribution", { v0: { amounts: map(u64, u64) } });
export type FeeDistribution = ValueOf<typeof feeDistributionCodec>;

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
