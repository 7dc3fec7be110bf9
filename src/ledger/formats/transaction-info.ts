// Transaction infos: the hashes that tie a transaction to its results, and how its execution ended. The hash of an info is
// a leaf of the transaction accumulator.
import { encodeWith, type ValueOf } from "../../bcs/codec.ts";
import { struct, variants } from "../../bcs/records.ts";
import { hash, text, u16, u32, u64 } from "../../bcs/scalars.ts";
import { option } from "../../bcs/sequences.ts";
import { formatAddress } from "../../move/address.ts";
import { moduleIdCodec } from "../../move/wire.ts";
import { hashOf, SEEDS } from "../hash.ts";

/** Where an abort or a failure happened. */
const abortLocationCodec = variants("AbortLocation", { module: { module: moduleIdCodec }, script: {} });
export type AbortLocation = ValueOf<typeof abortLocationCodec>;

/** The module's description of an abort code. */
const abortInfoCodec = struct({ reasonName: text, description: text });

/** The outcome of an execution. */
export const executionStatusCodec = variants("ExecutionStatus", {
  success: {},
  outOfGas: {},
  moveAbort: { location: abortLocationCodec, code: u64, info: option(abortInfoCodec) },
  executionFailure: { location: abortLocationCodec, function: u16, codeOffset: u16 },
  miscellaneous: { statusCode: option(u64) },
});
export type ExecutionStatus = ValueOf<typeof executionStatusCodec>;

/** Names the place of an abort. */
export function locationName(location: AbortLocation): string {
  if (location.kind === "script") return "script";
  return `${formatAddress(location.module.address)}::${location.module.name}`;
}

/** The text of an abort. */
export function abortText(
  location: AbortLocation,
  code: bigint,
  info: { readonly reasonName: string; readonly description: string } | undefined,
): string {
  const hex = `0x${code.toString(16)}`;
  if (location.kind === "script") return `Move abort: code ${hex}`;
  const where = `Move abort in ${locationName(location)}`;
  return info === undefined
    ? `${where}: ${hex}`
    : `${where}: ${info.reasonName}(${hex}): ${info.description}`;
}

/** Facts about a transaction that its own bytes do not carry. */
export const auxiliaryInfoCodec = variants("AuxiliaryInfo", {
  none: {},
  v1: { transactionIndex: u32 },
  /** Occurs in simulations only. */
  simulated: { transactionIndex: u32 },
});
export type AuxiliaryInfo = ValueOf<typeof auxiliaryInfoCodec>;

/** The hash that a transaction info carries; only `v1` has one. */
export function auxiliaryInfoHash(info: AuxiliaryInfo): Uint8Array | undefined {
  return info.kind === "v1" ? hashOf(SEEDS.auxiliaryInfo, encodeWith(auxiliaryInfoCodec, info)) : undefined;
}

const optionalHash = option(hash);

/** The info of one transaction. */
export const transactionInfoCodec = variants("TransactionInfo", {
  v0: {
    gasUsed: u64,
    status: executionStatusCodec,
    transactionHash: hash,
    eventRootHash: hash,
    stateChangeHash: hash,
    /** State root after this version; only the last transaction of a block has one. */
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
    /** Root of the tree of hot items. Records do not suffice to recompute it. */
    hotStateCheckpointHash: optionalHash,
    auxiliaryInfoHash: optionalHash,
    /** Root of the tree of native positions. */
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
export type TransactionInfo = ValueOf<typeof transactionInfoCodec>;

/** Hash of an info from its BCS: a leaf of the transaction accumulator. */
export function transactionInfoHash(bcs: Uint8Array): Uint8Array {
  return hashOf(SEEDS.transactionInfo, bcs);
}
