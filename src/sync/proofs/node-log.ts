// How a node of the state tree changed, as bytes: for each changed child what it was before, so that the node after the last
// change gives the node at every version from the log's start on. Of a leaf only the key: its hash follows from the item, so a
// leaf that changes its value alone is not logged.
//
//   log    start version (6), then changes, oldest first: version (6), slot and kind (1), hash or leaf key before (32)
//   part   length of the node after the last change (2), that node without folded hashes, log
import { concatBytes } from "../../base/bytes.ts";
import { HASH_LENGTH } from "../../ledger/hash.ts";
import {
  createTreeNode,
  decodeTreeNode,
  setChild,
  type TreeNode,
} from "../../ledger/state-tree/tree-node.ts";
import { StoreError } from "../../store/errors.ts";

/** Bytes of a version: enough for 2^48. */
const VERSION_BYTES = 6;
const SLOTS = 16;
const MASK_BYTES = 4;
const LEAF_BYTES = 2 * HASH_LENGTH;

/** Kinds of the child before a change. */
const [NONE, INNER, LEAF] = [0, 1, 2];
const BODY_BYTES = [0, HASH_LENGTH, HASH_LENGTH];

const EMPTY_NODE: Uint8Array = new Uint8Array(MASK_BYTES);
/** Takes the changes of one node. */
const scratch: Uint8Array = new Uint8Array(SLOTS * (VERSION_BYTES + 1 + HASH_LENGTH));

function writeVersion(out: Uint8Array, version: bigint, at: number): void {
  let rest = Number(version);
  for (let i = at + VERSION_BYTES - 1; i >= at; i--) {
    out[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

function readVersion(log: Uint8Array, at: number): number {
  let version = 0;
  for (let i = at; i < at + VERSION_BYTES; i++) version = 256 * version + (log[i] ?? 0);
  return version;
}

/** A log without changes, of a node as it is from a version on. */
export function emptyLog(start: bigint): Uint8Array {
  const log = new Uint8Array(VERSION_BYTES);
  writeVersion(log, start, 0);
  return log;
}

/** The first version whose node a log gives. */
export function startOf(log: Uint8Array): bigint {
  return BigInt(readVersion(log, 0));
}

/** Masks of the children of a node's bytes and of the leaves among them. */
function masksOf(node: Uint8Array): { readonly children: number; readonly leaves: number } {
  const [low = 0, high = 0, lowLeaves = 0, highLeaves = 0] = node;
  return { children: low | (high << 8), leaves: lowLeaves | (highLeaves << 8) };
}

/** Bytes of the child whose slot has a bit of the masks. */
function childBytes({ children, leaves }: ReturnType<typeof masksOf>, bit: number): number {
  if ((children & bit) === 0) return 0;
  return (leaves & bit) === 0 ? HASH_LENGTH : LEAF_BYTES;
}

/** A node's bytes as words: comparing these costs a fourth. */
function wordsOf(node: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = node.byteOffset % 4 === 0 ? node : new Uint8Array(node);
  return new Int32Array(buffer, byteOffset, length >> 2);
}

/** True if two nodes have the same hash at two places, counted in words. */
function isSameHash(before: Int32Array, from: number, after: Int32Array, to: number): boolean {
  for (let i = 0; i < HASH_LENGTH / 4; i++) if (before[from + i] !== after[to + i]) return false;
  return true;
}

/** The changes that lead from one node to the next, both as the store has them; undefined where there is none. */
export function changesBetween(
  version: bigint,
  before: Uint8Array = EMPTY_NODE,
  after: Uint8Array = EMPTY_NODE,
): Uint8Array {
  const [old, next] = [wordsOf(before), wordsOf(after)];
  const [oldMasks, nextMasks] = [masksOf(before), masksOf(after)];
  let length = 0;
  let [from, to] = [MASK_BYTES, MASK_BYTES];
  for (let rest = oldMasks.children | nextMasks.children; rest !== 0; rest &= rest - 1) {
    const bit = rest & -rest;
    const oldBytes = childBytes(oldMasks, bit);
    const nextBytes = childBytes(nextMasks, bit);
    // The key of a leaf, or the hash of an inner child.
    if (oldBytes !== nextBytes || !isSameHash(old, from >> 2, next, to >> 2)) {
      const kind = oldBytes === 0 ? NONE : oldBytes === LEAF_BYTES ? LEAF : INNER;
      writeVersion(scratch, version, length);
      length += VERSION_BYTES;
      scratch[length++] = (31 - Math.clz32(bit)) | (kind << 4);
      if (kind !== NONE) {
        for (let i = 0; i < HASH_LENGTH; i++) scratch[length + i] = before[from + i] ?? 0;
        length += HASH_LENGTH;
      }
    }
    from += oldBytes;
    to += nextBytes;
  }
  // From Buffer's pool: a separate allocation costs more than the rest.
  const changes = Buffer.allocUnsafe(length);
  changes.set(scratch.subarray(0, length));
  return changes;
}

/** A log with the changes of a later block; the same log if there are none, or it has them already. */
export function withChanges(log: Uint8Array, changes: Uint8Array | undefined): Uint8Array {
  if (changes === undefined) return log;
  let last = readVersion(log, 0);
  for (let at = VERSION_BYTES; at < log.length; at = endOfChange(log, at)) last = readVersion(log, at);
  return readVersion(changes, 0) > last ? concatBytes(log, changes) : log;
}

/** Where the change after the one at a place begins. Throws StoreError `corrupt`. */
function endOfChange(log: Uint8Array, at: number): number {
  const end = at + VERSION_BYTES + 1 + (BODY_BYTES[(log[at + VERSION_BYTES] ?? 0xff) >> 4] ?? log.length);
  if (end > log.length) throw new StoreError("corrupt", "the log of a state tree node is damaged");
  return end;
}

/** Where the first change above a version begins; the end of the log if there is none. */
function firstAbove(log: Uint8Array, version: bigint): number {
  const last = Number(version);
  let at = VERSION_BYTES;
  while (at < log.length && readVersion(log, at) <= last) at = endOfChange(log, at);
  return at;
}

/** Throws StoreError `corrupt` unless the bytes are a log. */
export function assertLog(log: Uint8Array): Uint8Array {
  if (log.length < VERSION_BYTES)
    throw new StoreError("corrupt", "the log of a state tree node is too short");
  for (let at = VERSION_BYTES; at < log.length; ) at = endOfChange(log, at);
  return log;
}

/** A log without the changes above a version. */
export function cutLog(log: Uint8Array, version: bigint): Uint8Array {
  return log.subarray(0, firstAbove(log, version));
}

/** A log of the versions from `start` on. */
export function trimLog(log: Uint8Array, start: bigint): Uint8Array {
  return start <= startOf(log) ? log : concatBytes(emptyLog(start), log.subarray(firstAbove(log, start)));
}

/** Brings a node back to a version, except for the hashes of its leaves. Takes the node after all changes. */
export function undoChanges(node: TreeNode, log: Uint8Array, version: bigint): void {
  let undone = 0;
  for (let at = firstAbove(log, version); at < log.length; at = endOfChange(log, at)) {
    const head = log[at + VERSION_BYTES] ?? 0;
    const [slot, kind] = [head & 15, head >> 4];
    // The first change after the version says what the child was then.
    if ((undone & (1 << slot)) !== 0) continue;
    undone |= 1 << slot;
    const body = log.subarray(at + VERSION_BYTES + 1, endOfChange(log, at));
    const child = { keyHash: kind === LEAF ? body : undefined, hash: body };
    setChild(node, slot, kind === NONE ? undefined : child);
  }
}

/** The node behind stored bytes. */
export function openNode(bytes: Uint8Array | undefined): TreeNode {
  return bytes === undefined ? createTreeNode() : decodeTreeNode(bytes);
}

/** A finished log with the node after its last change. */
export function encodePart(node: Uint8Array = EMPTY_NODE, log: Uint8Array): Uint8Array {
  let length = MASK_BYTES;
  const masks = masksOf(node);
  for (let slot = 0; slot < SLOTS; slot++) length += childBytes(masks, 1 << slot);
  return concatBytes(Uint8Array.of(length >> 8, length & 0xff), node.subarray(0, length), log);
}

export function decodePart(part: Uint8Array): { readonly node: TreeNode; readonly log: Uint8Array } {
  const end = 2 + (((part[0] ?? 0) << 8) | (part[1] ?? 0));
  const bytes = part.subarray(2, end);
  const node = createTreeNode();
  const masks = masksOf(bytes);
  let at = MASK_BYTES;
  for (let slot = 0; slot < SLOTS; slot++) {
    const length = childBytes(masks, 1 << slot);
    const hash = bytes.subarray(at + length - HASH_LENGTH, at + length);
    const keyHash = length === LEAF_BYTES ? bytes.subarray(at, at + HASH_LENGTH) : undefined;
    if (length > 0) setChild(node, slot, { keyHash, hash });
    at += length;
  }
  return { node, log: part.subarray(end) };
}
