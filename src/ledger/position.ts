// The full position of a ledger: what must be known to append to it and to check what is appended.
import type { Codec } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { hash, u8, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import type { LedgerPosition } from "./view.ts";

/** Roots of the full subtrees, left to right, and the number of leaves. */
export interface AccumulatorState {
  readonly leafCount: bigint;
  readonly frozen: readonly Uint8Array[];
}

/** Position of a ledger with what the next record is checked against. */
export interface Position extends LedgerPosition {
  /** Without leaves where those before the base are not known; see `isAccumulatorKnown`. */
  readonly accumulator: AccumulatorState;
  /** Root of the state after `version`; undefined where the whole state is not known. */
  readonly stateRoot: Uint8Array | undefined;
}

/** Positions as stores keep them. The hashes of one that was read are views on the input. */
export const positionCodec: Codec<Position> = struct({
  chainId: u8,
  version: u64,
  timestampUsec: u64,
  epoch: u64,
  blockHeight: u64,
  oldestVersion: u64,
  oldestBlockHeight: u64,
  accumulator: struct({ leafCount: u64, frozen: vector(hash) }),
  stateRoot: option(hash),
});

/** True when the accumulator holds every version up to the position's own. */
export function isAccumulatorKnown(position: Position): boolean {
  return position.accumulator.leafCount === position.version + 1n;
}
