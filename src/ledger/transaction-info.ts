// Transaction infos: the hashes that tie a transaction to what came out of it. The hash of an info is the
// leaf of the transaction accumulator.
import type { Codec } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { hash, u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import { type ExecutionStatus, executionStatusCodec } from "./execution-status.ts";
import { hashOf, SEEDS } from "./hash.ts";

type OptionalHash = Uint8Array | undefined;

interface CommonInfo {
  readonly gasUsed: bigint;
  readonly status: ExecutionStatus;
  readonly transactionHash: Uint8Array;
  readonly eventRootHash: Uint8Array;
  readonly stateChangeHash: Uint8Array;
  /** State root after this version; only at the end of a block. */
  readonly stateCheckpointHash: OptionalHash;
  readonly auxiliaryInfoHash: OptionalHash;
}

/** The info of one transaction. */
export type TransactionInfo =
  | (CommonInfo & { readonly kind: "v0" })
  | (CommonInfo & {
      readonly kind: "v1";
      /** Root of the tree of hot items; cannot be recomputed from records. */
      readonly hotStateCheckpointHash: OptionalHash;
      /** Root of the tree of native positions. */
      readonly positionCheckpointHash: OptionalHash;
      readonly reserved1: OptionalHash;
      readonly reserved2: OptionalHash;
      readonly reserved3: OptionalHash;
      readonly reserved4: OptionalHash;
      readonly reserved5: OptionalHash;
      readonly reserved6: OptionalHash;
      readonly reserved7: OptionalHash;
    });

const optionalHash: Codec<OptionalHash> = option(hash);

/** Transaction infos on the wire. */
export const transactionInfoCodec: Codec<TransactionInfo> = variants("TransactionInfo", {
  v0: {
    gasUsed: u64,
    status: executionStatusCodec,
    transactionHash: hash,
    eventRootHash: hash,
    stateChangeHash: hash,
    stateCheckpointHash: optionalHash,
    auxiliaryInfoHash: optionalHash,
  },
  v1: {
    gasUsed: u64,
    status: executionStatusCodec,
    transactionHash: hash,
    eventRootHash: hash,
    stateChangeHash: hash,
    stateCheckpointHash: optionalHash,
    hotStateCheckpointHash: optionalHash,
    auxiliaryInfoHash: optionalHash,
    positionCheckpointHash: optionalHash,
    reserved1: optionalHash,
    reserved2: optionalHash,
    reserved3: optionalHash,
    reserved4: optionalHash,
    reserved5: optionalHash,
    reserved6: optionalHash,
    reserved7: optionalHash,
  },
});

/** Hash of an info from its BCS: a leaf of the transaction accumulator. */
export function transactionInfoHash(bcs: Uint8Array): Uint8Array {
  return hashOf(SEEDS.transactionInfo, bcs);
}
