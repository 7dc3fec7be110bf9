// Ledger infos: what the validators of an epoch sign about the ledger up to a version.
import { encodeWith, type ValueOf } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { byteString, hash, u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import { votersCodec } from "../ledger/formats/validator-set.ts";
import { domainSeed } from "../ledger/hash.ts";

/** The validators of an epoch. */
export const epochStateCodec = struct({ epoch: u64, voters: votersCodec });
export type EpochState = ValueOf<typeof epochStateCodec>;

export const ledgerInfoCodec = struct({
  epoch: u64,
  round: u64,
  blockId: hash,
  /** Root of the transaction accumulator after `version`. */
  accumulatorRoot: hash,
  version: u64,
  timestampUsec: u64,
  /** Present at the end of an epoch: the validators of the next one. */
  nextEpoch: option(epochStateCodec),
  consensusDataHash: hash,
});
export type LedgerInfo = ValueOf<typeof ledgerInfoCodec>;

/** One signature by several validators. */
const aggregateSignatureCodec = struct({
  /** Bit i, from the top bit of the first byte on: validator i signed. */
  signers: byteString,
  /** Absent at genesis only, which is trusted by waypoint. */
  signature: option(byteString),
});

/** A ledger info and who signed it. */
export const signedLedgerInfoCodec = variants("LedgerInfoWithSignatures", {
  v0: { ledgerInfo: ledgerInfoCodec, signatures: aggregateSignatureCodec },
});
export type SignedLedgerInfo = ValueOf<typeof signedLedgerInfoCodec>;

const SEED = domainSeed("LedgerInfo");

/** The bytes that validators sign. */
export function signingMessageOf(ledgerInfo: LedgerInfo): Uint8Array {
  const body = encodeWith(ledgerInfoCodec, ledgerInfo);
  const message = new Uint8Array(SEED.length + body.length);
  message.set(SEED);
  message.set(body, SEED.length);
  return message;
}
