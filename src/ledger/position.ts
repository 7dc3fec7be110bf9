// The full position of a ledger: everything needed to check and append the next record.
import type { Codec } from "../bcs/codec.ts";
import { BcsReader } from "../bcs/reader.ts";
import { struct } from "../bcs/records.ts";
import { hash, u8, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { ALL_TRUSTED, refutationCodec, trustCodec } from "./trust.ts";
import type { LedgerPosition } from "./view.ts";

/** Number of leaves, and the roots of the full subtrees from left to right. */
export interface AccumulatorState {
  readonly leafCount: bigint;
  readonly frozen: readonly Uint8Array[];
}

/** Position of a ledger, with the hashes that the next record is checked against. */
export interface Position extends LedgerPosition {
  /** Without leaves if those before the base version are unknown; see `isAccumulatorKnown`. */
  readonly accumulator: AccumulatorState;
  /** Root of the state after `version`; undefined unless the whole state is known. */
  readonly stateRoot: Uint8Array | undefined;
}

/** The fields that every stored position has. */
const FIRST_FIELDS = {
  chainId: u8,
  version: u64,
  timestampUsec: u64,
  epoch: u64,
  blockHeight: u64,
  oldestVersion: u64,
  oldestBlockHeight: u64,
  accumulator: struct({ leafCount: u64, frozen: vector(hash) }),
  stateRoot: option(hash),
} as const;
const firstFieldsCodec = struct(FIRST_FIELDS);

/** Positions as stores keep them. Decoded hashes are views on the input. */
export const positionCodec: Codec<Position> = struct({
  ...FIRST_FIELDS,
  trust: trustCodec,
  refuted: refutationCodec,
});

/**
 * Decodes a stored position. One written before trust was stored ends early: it is then `trusted`, until the writer
 * raises it by the waypoints that the store keeps.
 */
export function decodePosition(bytes: Uint8Array): Position {
  const reader = new BcsReader(bytes);
  const fields = firstFieldsCodec.read(reader);
  if (reader.remaining === 0) return { ...fields, ...ALL_TRUSTED };
  const trust = trustCodec.read(reader);
  const refuted = refutationCodec.read(reader);
  reader.finish();
  return { ...fields, trust, refuted };
}

/** True when the accumulator holds every version up to the position's own. */
export function isAccumulatorKnown(position: Pick<Position, "version" | "accumulator">): boolean {
  return position.accumulator.leafCount === position.version + 1n;
}

/** True when this node computed every hash itself: the ledger did not start in the middle. */
export function isWhole(position: Position): boolean {
  return position.stateRoot !== undefined && isAccumulatorKnown(position);
}
