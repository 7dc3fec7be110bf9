// Block metadata: the transaction that opens a block.
import type { Codec } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, hash, u32, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";

/** What every block says about itself. */
export interface BlockMetadata {
  readonly id: Uint8Array;
  readonly epoch: bigint;
  readonly round: bigint;
  readonly proposer: Address;
  /** Bit vector of the validators that voted for the block before. */
  readonly previousVotes: Uint8Array;
  readonly failedProposers: readonly number[];
  readonly timestampUsec: bigint;
}

/** Randomness or a decryption key that the validators made for one round. */
export interface RoundSecret {
  readonly epoch: bigint;
  readonly round: bigint;
  readonly bytes: Uint8Array;
}

/** A decryption key with the round it decrypts for. */
export interface DecryptionKey {
  readonly key: RoundSecret;
  readonly decryptionRound: bigint;
}

/** Block metadata in the newer forms. */
export type BlockMetadataExt =
  | { readonly kind: "v0"; readonly block: BlockMetadata }
  | { readonly kind: "v1"; readonly block: BlockMetadata; readonly randomness: RoundSecret | undefined }
  | {
      readonly kind: "v2";
      readonly block: BlockMetadata;
      readonly randomness: RoundSecret | undefined;
      readonly decryptionKey: RoundSecret | undefined;
    }
  | {
      readonly kind: "v3";
      readonly block: BlockMetadata;
      readonly randomness: RoundSecret | undefined;
      readonly decryptionKey: DecryptionKey | undefined;
    };

/** Block metadata on the wire. */
export const blockMetadataCodec: Codec<BlockMetadata> = struct({
  id: hash,
  epoch: u64,
  round: u64,
  proposer: addressCodec,
  previousVotes: byteString,
  failedProposers: vector(u32),
  timestampUsec: u64,
});

const roundSecretCodec: Codec<RoundSecret> = struct({ epoch: u64, round: u64, bytes: byteString });

const decryptionKeyCodec: Codec<DecryptionKey> = struct({ key: roundSecretCodec, decryptionRound: u64 });

/** The newer forms on the wire. */
export const blockMetadataExtCodec: Codec<BlockMetadataExt> = variants("BlockMetadataExt", {
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
