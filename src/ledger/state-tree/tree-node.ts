// Stored nodes of the state tree: one per nibble path with two or more leaves below it (the root: one or more), with up
// to 16 children. A leaf lies in its parent's slot with its whole key hash, so no leaf has a node of its own. The items
// alone determine all bytes of a node:
//
//   u16 mask of children, u16 mask of leaves among them (little-endian); for each child in slot order:
//   leaf = key hash and leaf hash (64 bytes), inner = hash (32 bytes); in a node with eight or more inner
//   children also the folded hashes of its ranges of slots (see `isFolded`), so that a change costs few hashes.
//
// Hashes follow the binary tree of key hashes; bit 0 is the top bit of byte 0. A position without leaves hashes to the
// placeholder, with one leaf to that leaf's hash at any depth, with more to an inner node over both halves, even if one
// half is empty.
import { sha3Short } from "../../base/keccak.ts";
import { LedgerError } from "../errors.ts";
import { HASH_LENGTH, hashPair, SEEDS, SPARSE_MERKLE_PLACEHOLDER } from "../hash.ts";

const FANOUT = 16;

/** A child: a leaf when it has a key hash, else the root of a stored node one nibble further down. */
export interface TreeChild {
  readonly keyHash: Uint8Array | undefined;
  readonly hash: Uint8Array;
}

/** The 16 slots of a node and the known hashes of the binary tree over them. Only `setChild` changes it. */
export interface TreeNode {
  readonly slots: (TreeChild | undefined)[];
  /** Mask of the slots that hold a child. */
  children: number;
  /** Mask of the slots that hold a leaf. */
  leaves: number;
  /** Hashes of ranges of slots, numbered as a heap: 1 is the node, 2 and 3 its halves, up to 15. */
  readonly folded: (Uint8Array | undefined)[];
}

const HEADER_BYTES = 4;
/** A node with this many inner children stores its folded hashes, which are small next to its subtrees. */
const KEEP_FOLDED = 8;

/** Hash of a leaf from its state key hash and its state value hash. */
export function leafHashOf(keyHash: Uint8Array, valueHash: Uint8Array): Uint8Array {
  return hashPair(SEEDS.sparseMerkleLeaf, keyHash, valueHash);
}

/** Hash of an inner node. */
export function innerHashOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashPair(SEEDS.sparseMerkleInternal, left, right);
}

/** Nibble number `depth` of a key hash. */
export function nibbleAt(keyHash: Uint8Array, depth: number): number {
  const byte = keyHash[depth >> 1] ?? 0;
  return (depth & 1) === 0 ? byte >> 4 : byte & 15;
}

/** The path of a child: a path of `depth` nibbles, and one more. */
export function withNibble(path: Uint8Array, depth: number, nibble: number): Uint8Array {
  const out = path.slice();
  const at = depth >> 1;
  out[at] = (depth & 1) === 0 ? nibble << 4 : (out[at] ?? 0) | nibble;
  return out;
}

/**
 * Key of the node at the path of the first `depth` nibbles of a key hash: the number of nibbles, then the
 * nibbles packed two to a byte, the last one padded with zero bits.
 */
export function treeNodeKey(keyHash: Uint8Array, depth: number): Uint8Array {
  const packed = (depth + 1) >> 1;
  const key = new Uint8Array(1 + packed);
  key[0] = depth;
  key.set(keyHash.subarray(0, packed), 1);
  if ((depth & 1) === 1) key[packed] = (key[packed] ?? 0) & 0xf0;
  return key;
}

/**
 * A node's key as a text, one character for each byte: the depth, then the nibbles of its way. Made by hand, because
 * the few bytes of a key have no ArrayBuffer until one is asked for, and making that costs four times as much.
 */
export function treeNodeName(key: Uint8Array): string {
  let name = "";
  for (let i = 0; i < key.length; i++) name += String.fromCharCode(key[i] ?? 0);
  return name;
}

/** First bytes of the key hashes that no state key has: they are zero. */
const LOG_ZEROS = 12;
const NOTHING = new Uint8Array();

/** Key hash under which a store keeps how the node with a key changed, as versions of an item. */
export function nodeLogKeyHash(key: Uint8Array): Uint8Array {
  return sha3Short(key, NOTHING).fill(0, 0, LOG_ZEROS);
}

/** True for a key hash of `nodeLogKeyHash`: not an item of the state. */
export function isNodeLogKey(keyHash: Uint8Array): boolean {
  for (let i = 0; i < LOG_ZEROS; i++) if (keyHash[i] !== 0) return false;
  return true;
}

/** An empty node. */
export function createTreeNode(): TreeNode {
  return {
    slots: new Array<undefined>(FANOUT).fill(undefined),
    children: 0,
    leaves: 0,
    folded: new Array<undefined>(FANOUT).fill(undefined),
  };
}

/** Sets or clears a slot and drops the folded hashes above it. */
export function setChild(node: TreeNode, slot: number, child: TreeChild | undefined): void {
  const bit = 1 << slot;
  node.slots[slot] = child;
  node.children = child === undefined ? node.children & ~bit : node.children | bit;
  node.leaves = child?.keyHash === undefined ? node.leaves & ~bit : node.leaves | bit;
  for (let range = (FANOUT + slot) >> 1; range > 0; range >>= 1) node.folded[range] = undefined;
}

/** True when a node has no children. */
export function isEmptyNode(node: TreeNode): boolean {
  return node.children === 0;
}

/** The only child of a node if that is a leaf; undefined otherwise. */
export function onlyLeaf({ slots, children, leaves }: TreeNode): TreeChild | undefined {
  const isOnly = children !== 0 && (children & (children - 1)) === 0;
  return isOnly && leaves === children ? slots[31 - Math.clz32(children)] : undefined;
}

interface Masks {
  readonly children: number;
  readonly leaves: number;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** The slots of each range, as masks. */
const RANGES: readonly number[] = Array.from({ length: FANOUT }, (_, range) => {
  if (range === 0) return 0;
  const width = FANOUT >> (31 - Math.clz32(range));
  return ((1 << width) - 1) << (range * width - FANOUT);
});

/** True when a range is hashed from its halves: it has two or more children, or an inner one. */
function isFolded({ children, leaves }: Masks, range: number): boolean {
  const inside = children & (RANGES[range] ?? 0);
  // Only a lone leaf floats up; a lone inner child keeps its chain of inner nodes.
  return (inside & (inside - 1)) !== 0 || (inside & ~leaves) !== 0;
}

/** Mask of the ranges whose hashes the node's bytes include. */
function keptRanges(masks: Masks): number {
  if (bitCount(masks.children & ~masks.leaves) < KEEP_FOLDED) return 0;
  let ranges = 0;
  for (let range = 2; range < FANOUT; range++) if (isFolded(masks, range)) ranges |= 1 << range;
  return ranges;
}

function encodedBytes({ children, leaves }: Masks, kept: number): number {
  return HEADER_BYTES + HASH_LENGTH * (bitCount(children) + bitCount(leaves) + bitCount(kept));
}

/** Bytes of a node. */
export function encodeTreeNode(node: TreeNode): Uint8Array {
  const { children, leaves, slots } = node;
  const kept = keptRanges(node);
  // From Buffer's pool: commits write hundreds of nodes, and a separate allocation costs more than filling it.
  const out = Buffer.allocUnsafe(encodedBytes(node, kept));
  out[0] = children & 0xff;
  out[1] = children >> 8;
  out[2] = leaves & 0xff;
  out[3] = leaves >> 8;
  let at = HEADER_BYTES;
  for (let slot = 0; slot < FANOUT; slot++) {
    const child = slots[slot];
    if (child === undefined) continue;
    if (child.keyHash !== undefined) {
      out.set(child.keyHash, at);
      at += HASH_LENGTH;
    }
    out.set(child.hash, at);
    at += HASH_LENGTH;
  }
  for (let range = 2; kept >> range !== 0; range++) {
    if ((kept & (1 << range)) === 0) continue;
    out.set(fold(node, range), at);
    at += HASH_LENGTH;
  }
  return out;
}

/** A node from its bytes; hashes are subarrays of the input. */
export function decodeTreeNode(bytes: Uint8Array): TreeNode {
  const masks: Masks = {
    children: (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8),
    leaves: (bytes[2] ?? 0) | ((bytes[3] ?? 0) << 8),
  };
  const { children, leaves } = masks;
  const kept = keptRanges(masks);
  if (children === 0 || (leaves & ~children) !== 0 || bytes.length !== encodedBytes(masks, kept)) {
    throw new LedgerError("corrupt", `state tree node of ${bytes.length} bytes does not fit its header`);
  }
  const node = createTreeNode();
  let at = HEADER_BYTES;
  const take = (): Uint8Array => {
    at += HASH_LENGTH;
    return bytes.subarray(at - HASH_LENGTH, at);
  };
  for (let slot = 0; slot < FANOUT; slot++) {
    if ((children & (1 << slot)) === 0) continue;
    const keyHash = (leaves & (1 << slot)) === 0 ? undefined : take();
    setChild(node, slot, { keyHash, hash: take() });
  }
  for (let range = 2; kept >> range !== 0; range++) {
    if ((kept & (1 << range)) !== 0) node.folded[range] = take();
  }
  return node;
}

/** Hash of a range of slots; numbers from 16 on are single slots. */
function fold(node: TreeNode, range: number): Uint8Array {
  if (range >= FANOUT) return node.slots[range - FANOUT]?.hash ?? SPARSE_MERKLE_PLACEHOLDER;
  if (!isFolded(node, range)) {
    return loneChild(node, range)?.hash ?? SPARSE_MERKLE_PLACEHOLDER;
  }
  const known = node.folded[range];
  if (known !== undefined) return known;
  const hash = innerHashOf(fold(node, 2 * range), fold(node, 2 * range + 1));
  node.folded[range] = hash;
  return hash;
}

/** Where the way of a key leaves a node. */
export interface NodeStep {
  /** Hashes beside the way, from the top down. */
  readonly siblings: readonly Uint8Array[];
  /** The child at its end; undefined where nothing is. A child without a key hash is a node one nibble down. */
  readonly child: TreeChild | undefined;
}

/** Follows the way of a key through a node at a nibble depth. It ends early at a lone leaf and where nothing is. */
export function stepThrough(node: TreeNode, keyHash: Uint8Array, depth: number): NodeStep {
  const siblings: Uint8Array[] = [];
  const nibble = nibbleAt(keyHash, depth);
  let range = 1;
  for (let bit = 3; bit >= 0; bit--) {
    if (!isFolded(node, range)) return { siblings, child: loneChild(node, range) };
    range = 2 * range + ((nibble >> bit) & 1);
    siblings.push(fold(node, range ^ 1));
  }
  return { siblings, child: node.slots[range - FANOUT] };
}

/** The child of a range that has at most one. */
function loneChild({ slots, children }: TreeNode, range: number): TreeChild | undefined {
  const inside = children & (RANGES[range] ?? 0);
  return inside === 0 ? undefined : slots[31 - Math.clz32(inside)];
}

/** Hash of a node: its 16 slots folded as a binary tree of four levels. */
export function treeNodeHash(node: TreeNode): Uint8Array {
  return fold(node, 1);
}
