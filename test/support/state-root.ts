// The state root by its definition, from all items at once and without stored nodes. Keys are 256-bit hashes; bit 0
// is the top bit of byte 0. A position without leaves hashes to the placeholder, with one leaf to that leaf's hash,
// with more to an inner node over both halves, even if one half is empty.
import { compareBytes } from "../../src/base/bytes.ts";
import { HASH_LENGTH, SPARSE_MERKLE_PLACEHOLDER } from "../../src/ledger/hash.ts";
import { innerHashOf } from "../../src/ledger/state-tree/tree-node.ts";
import type { TreeLeaf } from "../../src/ledger/state-tree/update.ts";

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
