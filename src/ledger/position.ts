// The full position of a ledger: what must be known to append to it and to check what is appended.
import type { LedgerPosition } from "./view.ts";

/** Roots of the full subtrees, left to right, and the number of leaves. */
export interface AccumulatorState {
  readonly leafCount: bigint;
  readonly frozen: readonly Uint8Array[];
}

/** Position of a ledger with what the next record is checked against. */
export interface Position extends LedgerPosition {
  readonly accumulator: AccumulatorState;
  /** Root of the state after `version`; undefined where the whole state is not known. */
  readonly stateRoot: Uint8Array | undefined;
}
