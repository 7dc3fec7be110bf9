// Transactions of every kind, submitted by users, validators and the chain itself, and their hash.
import { concatBytes } from "../../base/bytes.ts";
import type { ValueOf } from "../../bcs/codec.ts";
import { variants } from "../../bcs/records.ts";
import { hash } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import { addressCodec } from "../../move/wire.ts";
import { scriptCodec } from "../../transaction/executable.ts";
import {
  blockEndInfoCodec,
  blockMetadataCodec,
  blockMetadataExtCodec,
  feeDistributionCodec,
  validatorTransactionCodec,
} from "../../transaction/system-transactions.ts";
import { hashedForm, userTransactionCodec } from "../../transaction/user-transaction.ts";
import { hashOf, hashOfParts, SEEDS } from "../hash.ts";
import { contractEventCodec } from "./block-event.ts";
import { stateKeyCodec } from "./state-key.ts";
import { writeSetCodec } from "./write-set.ts";

/** Payload of a genesis transaction. */
const genesisPayloadCodec = variants("GenesisPayload", {
  direct: { writeSet: writeSetCodec, events: vector(contractEventCodec) },
  script: { runAs: addressCodec, script: scriptCodec },
});
export type GenesisPayload = ValueOf<typeof genesisPayloadCodec>;

/** The transaction that closes a block. */
const blockEpilogueCodec = variants("BlockEpilogue", {
  v0: { blockId: hash, endInfo: blockEndInfoCodec },
  v1: { blockId: hash, endInfo: blockEndInfoCodec, fees: feeDistributionCodec },
  v2: {
    blockId: hash,
    endInfo: blockEndInfoCodec,
    fees: feeDistributionCodec,
    /** Keys to make hot; they never change a value. */
    hotKeys: vector(stateKeyCodec),
  },
});
export type BlockEpilogue = ValueOf<typeof blockEpilogueCodec>;

/** A transaction of any kind. */
export const transactionCodec = variants("Transaction", {
  user: { transaction: userTransactionCodec },
  genesis: { payload: genesisPayloadCodec },
  blockMetadata: { block: blockMetadataCodec },
  stateCheckpoint: { blockId: hash },
  validator: { transaction: validatorTransactionCodec },
  blockMetadataExt: { block: blockMetadataExtCodec },
  blockEpilogue: { epilogue: blockEpilogueCodec },
});
export type Transaction = ValueOf<typeof transactionCodec>;

/** Variant numbers that checks compare without decoding the transaction. */
export const USER_VARIANT = 0;
export const GENESIS_VARIANT = 1;

const USER_TAG: Uint8Array = Uint8Array.of(USER_VARIANT);

/** The bytes that the hash of a transaction covers, from its BCS. */
export function hashedTransaction(bcs: Uint8Array): Uint8Array {
  return bcs[0] === USER_VARIANT ? concatBytes(USER_TAG, hashedForm(bcs.subarray(1))) : bcs;
}

/** Hash of a transaction from its BCS. The caller must have decoded or skipped the transaction first. */
export function transactionHash(bcs: Uint8Array): Uint8Array {
  if (bcs[0] !== USER_VARIANT) return hashOf(SEEDS.transaction, bcs);
  // The hash covers an encrypted payload in its state before decryption.
  return hashOfParts(SEEDS.transaction, USER_TAG, hashedForm(bcs.subarray(1)));
}
