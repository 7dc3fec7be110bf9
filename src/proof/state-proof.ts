// Proofs that a state item has a value, or does not exist, under a state root.
import { equalBytes } from "../base/bytes.ts";
import type { ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { hash } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../ledger/hash.ts";
import { innerHashOf, leafHashOf } from "../ledger/state-tree/tree-node.ts";
import { ProofError } from "./errors.ts";

/** The way from a leaf, or from where it would be, to the root. */
export const stateProofCodec = struct({
  /** The leaf at the end of the way; undefined where there is none. */
  leaf: option(struct({ keyHash: hash, valueHash: hash })),
  /** From the root down. */
  siblings: vector(hash),
});
export type StateProof = ValueOf<typeof stateProofCodec>;

const KEY_BITS = 256;

function bitAt(keyHash: Uint8Array, depth: number): number {
  return ((keyHash[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1;
}

/** Whether both hashes begin with the same bits. */
function sharePrefix(a: Uint8Array, b: Uint8Array, bits: number): boolean {
  for (let depth = 0; depth < bits; depth++) if (bitAt(a, depth) !== bitAt(b, depth)) return false;
  return true;
}

/** The root that a proof leads to for a key. Throws ProofError `malformed`. */
function foldProof({ leaf, siblings }: StateProof, keyHash: Uint8Array): Uint8Array {
  if (siblings.length > KEY_BITS) {
    throw new ProofError("malformed", `${siblings.length} siblings are more than a key has bits`);
  }
  let node = leaf === undefined ? SPARSE_MERKLE_PLACEHOLDER : leafHashOf(leaf.keyHash, leaf.valueHash);
  for (let depth = siblings.length - 1; depth >= 0; depth--) {
    const sibling = siblings[depth] ?? SPARSE_MERKLE_PLACEHOLDER;
    node = bitAt(keyHash, depth) === 1 ? innerHashOf(sibling, node) : innerHashOf(node, sibling);
  }
  return node;
}

/**
 * Checks that the key has the value of that hash under the root; undefined means that it does not exist. Throws
 * ProofError.
 */
export function checkStateProof(
  proof: StateProof,
  root: Uint8Array,
  keyHash: Uint8Array,
  valueHash: Uint8Array | undefined,
): void {
  const { leaf, siblings } = proof;
  const isOwn = leaf !== undefined && equalBytes(leaf.keyHash, keyHash);
  if (valueHash === undefined) {
    if (isOwn) throw new ProofError("mismatch", "the proof of absence ends in the item itself");
    if (leaf !== undefined && !sharePrefix(leaf.keyHash, keyHash, siblings.length)) {
      throw new ProofError("mismatch", "the proof of absence ends in an item that lies elsewhere");
    }
  } else if (!isOwn || !equalBytes(leaf.valueHash, valueHash)) {
    throw new ProofError("mismatch", "the proof is for another item or value");
  }
  if (!equalBytes(foldProof(proof, keyHash), root)) {
    throw new ProofError("mismatch", "the proof does not lead to the state root");
  }
}
