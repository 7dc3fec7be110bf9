// The on-chain validator set, and the list of voters that an epoch starts with.
import { type Codec, decodeWith, encodeWith } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { byteString, u8, u64, u128 } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import { type Address, parseAddress } from "../move/address.ts";
import { structTagCodec } from "../move/type-tag.ts";
import { addressCodec } from "../move/wire.ts";
import { resourceKeyHash } from "./key-hash.ts";

/** One validator in 0x1::stake::ValidatorSet. */
export interface ValidatorInfo {
  readonly address: Address;
  readonly votingPower: bigint;
  readonly consensusKey: Uint8Array;
  readonly networkAddresses: Uint8Array;
  readonly fullnodeAddresses: Uint8Array;
  readonly index: bigint;
}

/** 0x1::stake::ValidatorSet. */
export interface ValidatorSet {
  readonly consensusScheme: number;
  readonly active: readonly ValidatorInfo[];
  readonly pendingInactive: readonly ValidatorInfo[];
  readonly pendingActive: readonly ValidatorInfo[];
  readonly totalVotingPower: bigint;
  readonly totalJoiningPower: bigint;
}

/** A validator as an epoch knows it. */
export interface Voter {
  readonly address: Address;
  readonly consensusKey: Uint8Array;
  readonly votingPower: bigint;
}

const validatorInfoCodec: Codec<ValidatorInfo> = struct({
  address: addressCodec,
  votingPower: u64,
  consensusKey: byteString,
  networkAddresses: byteString,
  fullnodeAddresses: byteString,
  index: u64,
});

/** Validator sets on the wire. */
export const validatorSetCodec: Codec<ValidatorSet> = struct({
  consensusScheme: u8,
  active: vector(validatorInfoCodec),
  pendingInactive: vector(validatorInfoCodec),
  pendingActive: vector(validatorInfoCodec),
  totalVotingPower: u128,
  totalJoiningPower: u128,
});

const FRAMEWORK = parseAddress("0x1");

/** State key hash of the validator set. */
export const VALIDATOR_SET_KEY_HASH: Uint8Array = resourceKeyHash(
  FRAMEWORK,
  encodeWith(structTagCodec, { address: FRAMEWORK, module: "stake", name: "ValidatorSet", typeArgs: [] }),
  undefined,
);

/** The voters of a set, in the order of their index: the active ones and those about to leave. */
export function votersOf(set: ValidatorSet): Voter[] {
  return [...set.active, ...set.pendingInactive].sort((a, b) => (a.index < b.index ? -1 : 1));
}

/** The voters from the data of the validator set's state item. */
export function decodeVoters(data: Uint8Array): Voter[] {
  return votersOf(decodeWith(validatorSetCodec, data));
}
