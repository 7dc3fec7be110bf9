// The state root computed from all items at once: the rule itself, without any stored nodes. Keys are 256-bit
// hashes, bit 0 is the top bit of byte 0. No leaf below a position: the placeholder; one: that leaf's hash
// wherever it stands; more: an inner node over both halves, even if one half is empty.
import { compareBytes } from "../../base/bytes.ts";
import { HASH_LENGTH, hashPair, SEEDS, SPARSE_MERKLE_PLACEHOLDER } from "../hash.ts";

/** A leaf of the state tree: where it stands and what it commits to. */
export interface TreeLeaf {
  readonly keyHash: Uint8Array;
  readonly leafHash: Uint8Array;
}

/** Hash of a leaf from its state key hash and its state value hash. */
export function leafHashOf(keyHash: Uint8Array, valueHash: Uint8Array): Uint8Array {
  return hashPair(SEEDS.sparseMerkleLeaf, keyHash, valueHash);
}

/** Hash of an inner node. */
export function innerHashOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashPair(SEEDS.sparseMerkleInternal, left, right);
}

function bitAt(keyHash: Uint8Array, depth: number): number {
  return ((keyHash[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1;
}

function rangeHash(sorted: readonly TreeLeaf[], start: number, end: number, depth: number): Uint8Array {
  const first = sorted[start];
  if (start >= end || first === undefined) return SPARSE_MERKLE_PLACEHOLDER;
  if (end - start === 1) return first.leafHash;
  if (depth >= 8 * HASH_LENGTH) throw new Error("two leaves of the state tree share one key");
  let middle = start;
  for (let leaf = first; middle < end && bitAt(leaf.keyHash, depth) === 0; ) {
    middle++;
    leaf = sorted[middle] ?? leaf;
  }
  return innerHashOf(rangeHash(sorted, start, middle, depth + 1), rangeHash(sorted, middle, end, depth + 1));
}

/** Root over the given leaves, in any order; every key at most once. */
export function stateRootOf(leaves: readonly TreeLeaf[]): Uint8Array {
  const sorted = [...leaves].sort((a, b) => compareBytes(a.keyHash, b.keyHash));
  return rangeHash(sorted, 0, sorted.length, 0);
}
