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

/** The root that siblings, from the bottom up, lead to from the leaf of a number. Throws ProofError `malformed`. */
export function foldAccumulator(
  seed: Uint8Array,
  siblings: readonly Uint8Array[],
  number: bigint,
  leaf: Uint8Array,
): Uint8Array {
  let node = leaf;
  let index = number;
  for (const sibling of siblings) {
    node = (index & 1n) === 1n ? hashPair(seed, sibling, node) : hashPair(seed, node, sibling);
    index >>= 1n;
  }
  if (index === 0n) return node;
  throw new ProofError("malformed", `leaf ${number} takes more than ${siblings.length} siblings`);
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
  if (!equalBytes(foldAccumulator(SEED, siblings, version, leaf), accumulatorRoot)) {
    throw new ProofError(
      "mismatch",
      `version ${version} is not in the ledger that was signed at ${lastVersion}`,
    );
  }
}

/** What stands left and right of neighbouring leaves, each from the bottom up. */
export const rangeProofCodec = struct({ left: vector(hash), right: vector(hash) });
export type RangeProof = ValueOf<typeof rangeProofCodec>;
