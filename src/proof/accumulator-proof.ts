// Proofs that transaction infos are in the ledger that a root commits to.
import { equalBytes } from "../base/bytes.ts";
import type { ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { hash } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "../ledger/hash.ts";
import type { AccumulatorState } from "../ledger/position.ts";
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

/**
 * Checks that the leaves from a version on are in the ledger. Returns the state of the accumulator before the first of
 * them, with which a follower can begin there. Throws ProofError.
 */
export function checkRangeProof(
  { left, right }: RangeProof,
  { version: lastVersion, accumulatorRoot }: LedgerRoot,
  firstVersion: bigint,
  leaves: readonly Uint8Array[],
): AccumulatorState {
  const end = firstVersion + BigInt(leaves.length);
  if (leaves.length === 0 || end > lastVersion + 1n) {
    throw new ProofError(
      "mismatch",
      `versions ${firstVersion} to ${end - 1n} are not all at or before ${lastVersion}`,
    );
  }
  let nodes = [...leaves];
  let first = firstVersion;
  let nextLeft = 0;
  let nextRight = 0;
  const height = accumulatorHeight(lastVersion + 1n);
  for (let level = 0; level < height; level++) {
    if ((first & 1n) === 1n) nodes.unshift(take(left, nextLeft++, "left"));
    const last = (first & ~1n) + BigInt(nodes.length) - 1n;
    if ((last & 1n) === 0n) {
      // Past the end of the ledger the sibling is the placeholder, which proofs list too.
      nodes.push(take(right, nextRight++, "right"));
    }
    nodes = pairUp(nodes);
    first >>= 1n;
  }
  if (nextLeft !== left.length || nextRight !== right.length) {
    throw new ProofError("malformed", "the range proof has more siblings than its range");
  }
  const [root = ACCUMULATOR_PLACEHOLDER] = nodes;
  if (!equalBytes(root, accumulatorRoot)) {
    throw new ProofError(
      "mismatch",
      `versions ${firstVersion} to ${end - 1n} are not in the ledger that was signed at ${lastVersion}`,
    );
  }
  return { leafCount: firstVersion, frozen: [...left].reverse() };
}

function take(siblings: readonly Uint8Array[], index: number, side: string): Uint8Array {
  const sibling = siblings[index];
  if (sibling === undefined)
    throw new ProofError("malformed", `the range proof lacks a sibling on the ${side}`);
  return sibling;
}

function pairUp(nodes: readonly Uint8Array[]): Uint8Array[] {
  const out: Uint8Array[] = [];
  for (let i = 0; i + 1 < nodes.length; i += 2) {
    out.push(hashPair(SEED, nodes[i] ?? ACCUMULATOR_PLACEHOLDER, nodes[i + 1] ?? ACCUMULATOR_PLACEHOLDER));
  }
  return out;
}
