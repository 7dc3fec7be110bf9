// Proofs that transaction infos are in the ledger that a root commits to.
import { equalBytes } from "../base/bytes.ts";
import type { ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { hash } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import { hashPair, SEEDS } from "../ledger/hash.ts";
import { ProofError } from "./errors.ts";

const SEED = SEEDS.transactionAccumulator;

/** Levels above the leaves of a tree of n leaves. */
export function accumulatorHeight(leafCount: bigint): number {
  return leafCount <= 1n ? 0 : (leafCount - 1n).toString(2).length;
}

/** A ledger: how many versions it has and the root over them. */
export interface LedgerRoot {
  /** Its last version. */
  readonly version: bigint;
  readonly accumulatorRoot: Uint8Array;
}

/** Checks that the leaf of a version is in the ledger. Siblings are from the bottom up. Throws ProofError. */
export function checkAccumulatorProof(
  siblings: readonly Uint8Array[],
  { version: lastVersion, accumulatorRoot }: LedgerRoot,
  version: bigint,
  leaf: Uint8Array,
): void {
  if (version > lastVersion) {
    throw new ProofError("mismatch", `version ${version} is after the signed version ${lastVersion}`);
  }
  const height = accumulatorHeight(lastVersion + 1n);
  if (siblings.length !== height) {
    throw new ProofError(
      "malformed",
      `${lastVersion + 1n} versions take ${height} siblings, not ${siblings.length}`,
    );
  }
  let node = leaf;
  let index = version;
  for (const sibling of siblings) {
    node = (index & 1n) === 1n ? hashPair(SEED, sibling, node) : hashPair(SEED, node, sibling);
    index >>= 1n;
  }
  if (!equalBytes(node, accumulatorRoot)) {
    throw new ProofError(
      "mismatch",
      `version ${version} is not in the ledger that was signed at ${lastVersion}`,
    );
  }
}

/** What stands left and right of neighbouring leaves, each from the bottom up. */
export const rangeProofCodec = struct({ left: vector(hash), right: vector(hash) });
export type RangeProof = ValueOf<typeof rangeProofCodec>;
