// Block metadata: the transaction that opens a block.
import type { ValueOf } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, hash, u32, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
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
