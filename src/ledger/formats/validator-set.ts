// The on-chain validator set, and the voters that start an epoch.
import { decodeWith, encodeWith, type ValueOf } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { byteString, u8, u64, u128 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import { FRAMEWORK } from "../../move/address.ts";
import { structTagCodec } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import { resourceKeyHash } from "../key-hash.ts";

/** One validator in 0x1::stake::ValidatorSet. */
const validatorInfoCodec = struct({
  address: addressCodec,
  votingPower: u64,
  consensusKey: byteString,
  networkAddresses: byteString,
  fullnodeAddresses: byteString,
  index: u64,
});
export type ValidatorInfo = ValueOf<typeof validatorInfoCodec>;

/** 0x1::stake::ValidatorSet. */
export const validatorSetCodec = struct({
  consensusScheme: u8,
  active: vector(validatorInfoCodec),
  pendingInactive: vector(validatorInfoCodec),
  pendingActive: vector(validatorInfoCodec),
  totalVotingPower: u128,
  totalJoiningPower: u128,
});
export type ValidatorSet = ValueOf<typeof validatorSetCodec>;

/** A validator as a voter of an epoch. */
const voterCodec = struct({ address: addressCodec, consensusKey: byteString, votingPower: u64 });
export type Voter = ValueOf<typeof voterCodec>;
/** The voters of an epoch: at most as many as the chain takes. */
export const votersCodec = vector(voterCodec, 65_536);

/** State key hash of the validator set. */
export const VALIDATOR_SET_KEY_HASH: Uint8Array = resourceKeyHash(
  FRAMEWORK,
  encodeWith(structTagCodec, { address: FRAMEWORK, module: "stake", name: "ValidatorSet", typeArgs: [] }),
  undefined,
);

/** The voters of a set, by index: the active validators and those about to leave. */
export function votersOf(set: ValidatorSet): Voter[] {
  return [...set.active, ...set.pendingInactive].sort((a, b) => (a.index < b.index ? -1 : 1));
}

/** The voters from the data of the validator set's state item. */
export function decodeVoters(data: Uint8Array): Voter[] {
  return votersOf(decodeWith(validatorSetCodec, data));
}
