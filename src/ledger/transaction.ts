// Transactions of every kind: the enum over what users, validators and the chain itself submit, and its hash.
import type { Codec } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { hash } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";
import {
  type BlockEndInfo,
  blockEndInfoCodec,
  type FeeDistribution,
  feeDistributionCodec,
} from "../transaction/block-end.ts";
import {
  type BlockMetadata,
  type BlockMetadataExt,
  blockMetadataCodec,
  blockMetadataExtCodec,
} from "../transaction/block-metadata.ts";
import { type Script, scriptCodec } from "../transaction/script.ts";
import { hashedForm, type UserTransaction, userTransactionCodec } from "../transaction/user-transaction.ts";
import {
  type ValidatorTransaction,
  validatorTransactionCodec,
} from "../transaction/validator-transaction.ts";
import { type ContractEvent, contractEventCodec } from "./event.ts";
import { hashOf, hashOfParts, SEEDS } from "./hash.ts";
import { type StateKey, stateKeyCodec } from "./state-key.ts";
import { type WriteSet, writeSetCodec } from "./write-set.ts";

/** What a genesis transaction applies. */
export type GenesisPayload =
  | { readonly kind: "direct"; readonly writeSet: WriteSet; readonly events: readonly ContractEvent[] }
  | { readonly kind: "script"; readonly runAs: Address; readonly script: Script };

/** The transaction that closes a block. */
export type BlockEpilogue =
  | { readonly kind: "v0"; readonly blockId: Uint8Array; readonly endInfo: BlockEndInfo }
  | {
      readonly kind: "v1";
      readonly blockId: Uint8Array;
      readonly endInfo: BlockEndInfo;
      readonly fees: FeeDistribution;
    }
  | {
      readonly kind: "v2";
      readonly blockId: Uint8Array;
      readonly endInfo: BlockEndInfo;
      readonly fees: FeeDistribution;
      /** Keys to make hot; they never change a value. */
      readonly hotKeys: readonly StateKey[];
    };

/** A transaction of any kind. */
export type Transaction =
  | { readonly kind: "user"; readonly transaction: UserTransaction }
  | { readonly kind: "genesis"; readonly payload: GenesisPayload }
  | { readonly kind: "blockMetadata"; readonly block: BlockMetadata }
  | { readonly kind: "stateCheckpoint"; readonly blockId: Uint8Array }
  | { readonly kind: "validator"; readonly transaction: ValidatorTransaction }
  | { readonly kind: "blockMetadataExt"; readonly block: BlockMetadataExt }
  | { readonly kind: "blockEpilogue"; readonly epilogue: BlockEpilogue };

const genesisPayloadCodec: Codec<GenesisPayload> = variants("GenesisPayload", {
  direct: { writeSet: writeSetCodec, events: vector(contractEventCodec) },
  script: { runAs: addressCodec, script: scriptCodec },
});

const blockEpilogueCodec: Codec<BlockEpilogue> = variants("BlockEpilogue", {
  v0: { blockId: hash, endInfo: blockEndInfoCodec },
  v1: { blockId: hash, endInfo: blockEndInfoCodec, fees: feeDistributionCodec },
  v2: {
    blockId: hash,
    endInfo: blockEndInfoCodec,
    fees: feeDistributionCodec,
    hotKeys: vector(stateKeyCodec),
  },
});

/** Transactions on the wire. */
export const transactionCodec: Codec<Transaction> = variants("Transaction", {
  user: { transaction: userTransactionCodec },
  genesis: { payload: genesisPayloadCodec },
  blockMetadata: { block: blockMetadataCodec },
  stateCheckpoint: { blockId: hash },
  validator: { transaction: validatorTransactionCodec },
  blockMetadataExt: { block: blockMetadataExtCodec },
  blockEpilogue: { epilogue: blockEpilogueCodec },
});

/** Variant numbers that checks ask for without reading the transaction. */
export const USER_VARIANT = 0;
export const GENESIS_VARIANT = 1;

const USER_TAG: Uint8Array = Uint8Array.of(USER_VARIANT);

/** Hash of a transaction from its BCS, which must have been read or skipped before. */
export function transactionHash(bcs: Uint8Array): Uint8Array {
  if (bcs[0] !== USER_VARIANT) return hashOf(SEEDS.transaction, bcs);
  // An encrypted payload is hashed as it was before decryption.
  return hashOfParts(SEEDS.transaction, USER_TAG, hashedForm(bcs.subarray(1)));
}
