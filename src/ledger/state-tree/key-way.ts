// The state tree as the binary tree that proofs are about: the way of a key follows the bits of its hash.
import { SPARSE_MERKLE_PLACEHOLDER } from "../hash.ts";
import { innerHashOf } from "./tree-node.ts";

export const KEY_BITS = 256;

export function bitAt(keyHash: Uint8Array, depth: number): number {
  return ((keyHash[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1;
}

/** Leading bits that two hashes share. */
export function commonBits(a: Uint8Array, b: Uint8Array): number {
  for (let depth = 0; depth < KEY_BITS; depth++) if (bitAt(a, depth) !== bitAt(b, depth)) return depth;
  return KEY_BITS;
}

/**
 * The hash of the node `top` bits down the way of a key, from that of the node `bottom` bits down. `siblingOf` gives what
 * stands beside the way below a depth, from the bottom up; undefined where nothing is.
 */
export function foldWay(
  keyHash: Uint8Array,
  hash: Uint8Array,
  { bottom, top = 0 }: { readonly bottom: number; readonly top?: number },
  siblingOf: (depth: number, isLeft: boolean) => Uint8Array | undefined,
): Uint8Array {
  let node = hash;
  for (let depth = bottom - 1; depth >= top; depth--) {
    const isLeft = bitAt(keyHash, depth) === 1;
    const sibling = siblingOf(depth, isLeft) ?? SPARSE_MERKLE_PLACEHOLDER;
    node = isLeft ? innerHashOf(sibling, node) : innerHashOf(node, sibling);
  }
  return node;
}
