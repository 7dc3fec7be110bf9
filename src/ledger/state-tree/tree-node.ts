// Stored nodes of the state tree: one per nibble path that has two or more leaves below it (and the root,
// which has one or more), with up to 16 children. A child that is a leaf is held in its parent's slot with
// its whole key hash, so no leaf has a node of its own.
//
// Node bytes: u16 mask of children, u16 mask of those that are leaves (little-endian), then for each child in
// slot order: leaf = key hash and leaf hash (64 bytes), inner = hash (32 bytes).
// Node key: number of nibbles, then the nibbles packed two to a byte, the last one padded with zero bits.
import { LedgerError } from "../errors.ts";
import { HASH_LENGTH, SPARSE_MERKLE_PLACEHOLDER } from "../hash.ts";
import { innerHashOf } from "./root.ts";

/** Children of one node. */
export const FANOUT = 16;

/** A child: a leaf when it has a key hash, else the root of a stored node one nibble further down. */
export interface TreeChild {
  readonly keyHash: Uint8Array | undefined;
  readonly hash: Uint8Array;
}

/** The 16 slots of a node. */
export type TreeNode = (TreeChild | undefined)[];

const HEADER_BYTES = 4;

/** Nibble number `depth` of a key hash. */
export function nibbleAt(keyHash: Uint8Array, depth: number): number {
  const byte = keyHash[depth >> 1] ?? 0;
  return (depth & 1) === 0 ? byte >> 4 : byte & 15;
}

/** Key of the node at the path of the first `depth` nibbles of a key hash. */
export function treeNodeKey(keyHash: Uint8Array, depth: number): Uint8Array {
  const packed = (depth + 1) >> 1;
  const key = new Uint8Array(1 + packed);
  key[0] = depth;
  key.set(keyHash.subarray(0, packed), 1);
  if ((depth & 1) === 1) key[packed] = (key[packed] ?? 0) & 0xf0;
  return key;
}

/** An empty node. */
export function createTreeNode(): TreeNode {
  return new Array<TreeChild | undefined>(FANOUT).fill(undefined);
}

/** Bytes of a node. */
export function encodeTreeNode(node: TreeNode): Uint8Array {
  let children = 0;
  let leaves = 0;
  let length = HEADER_BYTES;
  for (let slot = 0; slot < FANOUT; slot++) {
    const child = node[slot];
    if (child === undefined) continue;
    children |= 1 << slot;
    if (child.keyHash !== undefined) leaves |= 1 << slot;
    length += child.keyHash === undefined ? HASH_LENGTH : 2 * HASH_LENGTH;
  }
  const out = new Uint8Array(length);
  out[0] = children & 0xff;
  out[1] = children >> 8;
  out[2] = leaves & 0xff;
  out[3] = leaves >> 8;
  let at = HEADER_BYTES;
  for (let slot = 0; slot < FANOUT; slot++) {
    const child = node[slot];
    if (child === undefined) continue;
    if (child.keyHash !== undefined) {
      out.set(child.keyHash, at);
      at += HASH_LENGTH;
    }
    out.set(child.hash, at);
    at += HASH_LENGTH;
  }
  return out;
}

/** Slots of a node from its bytes; hashes are subarrays of the input. */
export function decodeTreeNode(bytes: Uint8Array): TreeNode {
  const children = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8);
  const leaves = (bytes[2] ?? 0) | ((bytes[3] ?? 0) << 8);
  const node = createTreeNode();
  let at = HEADER_BYTES;
  for (let slot = 0; slot < FANOUT; slot++) {
    if ((children & (1 << slot)) === 0) continue;
    let keyHash: Uint8Array | undefined;
    if ((leaves & (1 << slot)) !== 0) {
      keyHash = bytes.subarray(at, at + HASH_LENGTH);
      at += HASH_LENGTH;
    }
    node[slot] = { keyHash, hash: bytes.subarray(at, at + HASH_LENGTH) };
    at += HASH_LENGTH;
  }
  if (children === 0 || (leaves & ~children) !== 0 || bytes.length !== at) {
    throw new LedgerError("corrupt", `state tree node of ${bytes.length} bytes does not fit its own header`);
  }
  return node;
}

function foldRange(node: TreeNode, start: number, width: number): Uint8Array {
  let found = 0;
  let last: TreeChild | undefined;
  for (let slot = start; slot < start + width; slot++) {
    const child = node[slot];
    if (child === undefined) continue;
    found++;
    last = child;
  }
  if (last === undefined) return SPARSE_MERKLE_PLACEHOLDER;
  // Only a lone leaf floats up; a lone inner child keeps its chain of inner nodes.
  if (width === 1 || (found === 1 && last.keyHash !== undefined)) return last.hash;
  const half = width >> 1;
  return innerHashOf(foldRange(node, start, half), foldRange(node, start + half, half));
}

/** Hash of a node: its 16 slots folded as a binary tree of four levels. */
export function treeNodeHash(node: TreeNode): Uint8Array {
  return foldRange(node, 0, FANOUT);
}
