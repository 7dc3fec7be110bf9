// How a node of the state tree changed, as bytes: for each changed child what it was before, so that the node after the last
// change gives the node at every version from the log's start on. Of a leaf only the key: its hash follows from the item, so a
// leaf that changes its value alone is not logged.
//
//   log    start version (6), then changes, oldest first: version (6), slot and kind (1), hash or leaf key before (32)
//   part   length of the node after the last change (2), that node without folded hashes, log
//   block  version (6), then for each changed node: its key, flags (1), bytes of its changes (2), changes without version
import { concatBytes, equalBytes } from "../../base/bytes.ts";
import { HASH_LENGTH } from "../../ledger/hash.ts";
import {
  createTreeNode,
  decodeTreeNode,
  setChild,
  type TreeChild,
  type TreeNode,
} from "../../ledger/state-tree/tree-node.ts";
import type { LoggedNode } from "../../ledger/state-tree/update.ts";
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
/** Flags of a node that a block changed: it was not there before, it is not there any more. */
const [NEW, REMOVED] = [1, 2];
/** Of a node in the changes of a block: key, flags and size, changes. */
const MAX_NODE_BYTES = 1 + HASH_LENGTH + 3 + SLOTS * (1 + HASH_LENGTH);

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

/** How a block with a version changed the nodes of the tree. */
export function encodeBlockChanges(version: bigint, nodes: readonly LoggedNode[]): Uint8Array {
  let out = Buffer.allocUnsafe(2 * MAX_NODE_BYTES);
  writeVersion(out, version, 0);
  let at = VERSION_BYTES;
  for (const { key, before, after } of nodes) {
    if (out.length < at + MAX_NODE_BYTES) out = Buffer.concat([out], 2 * out.length);
    out.set(key, at);
    const flagsAt = at + key.length;
    const start = flagsAt + 3;
    let flags = NEW | REMOVED;
    let end = start;
    for (let slot = 0; slot < SLOTS; slot++) {
      const [old, next] = [before[slot], after[slot]];
      if (old !== undefined) flags &= ~NEW;
      if (next !== undefined) flags &= ~REMOVED;
      if (isSame(old, next)) continue;
      const kind = old === undefined ? NONE : old.keyHash === undefined ? INNER : LEAF;
      out[end++] = slot | (kind << 4);
      if (old === undefined) continue;
      out.set(old.keyHash ?? old.hash, end);
      end += HASH_LENGTH;
    }
    if (end === start) continue;
    out[flagsAt] = flags;
    out.writeUInt16BE(end - start, flagsAt + 1);
    at = end;
  }
  return out.subarray(0, at);
}

/** True if a log need not tell one child from the next in its place. */
function isSame(before: TreeChild | undefined, after: TreeChild | undefined): boolean {
  if (before === after) return true;
  if (before?.keyHash === undefined || after?.keyHash === undefined) return false;
  return equalBytes(before.keyHash, after.keyHash);
}

/** What one block changed in one node. */
export interface NodeChanges {
  readonly key: Uint8Array;
  readonly version: bigint;
  readonly isNew: boolean;
  readonly isRemoved: boolean;
  /** Changes without their version. */
  readonly changes: Uint8Array;
}

/** Where the flags of the node at a place of a block's changes stand. */
function flagsOf(block: Uint8Array, at: number): number {
  return at + 1 + (((block[at] ?? 0) + 1) >> 1);
}

/** Where the next node of a block's changes begins. */
function nextNode(block: Uint8Array, at: number): number {
  const flagsAt = flagsOf(block, at);
  return flagsAt + 3 + (((block[flagsAt + 1] ?? 0) << 8) | (block[flagsAt + 2] ?? 0));
}

function changesAt(block: Uint8Array, at: number): NodeChanges {
  const [flagsAt, end] = [flagsOf(block, at), nextNode(block, at)];
  const flags = block[flagsAt] ?? 0;
  return {
    key: block.subarray(at, flagsAt),
    version: BigInt(readVersion(block, 0)),
    isNew: (flags & NEW) !== 0,
    isRemoved: (flags & REMOVED) !== 0,
    changes: block.subarray(flagsAt + 3, end),
  };
}

/** What a block changed, node by node. */
export function* nodesOf(block: Uint8Array): Generator<NodeChanges> {
  for (let at = VERSION_BYTES; at < block.length; at = nextNode(block, at)) yield changesAt(block, at);
}

/** What a block changed in the node with a key. */
function changesOf(block: Uint8Array, key: Uint8Array): NodeChanges | undefined {
  for (let at = VERSION_BYTES; at < block.length; at = nextNode(block, at)) {
    if (isKeyAt(block, at, key)) return changesAt(block, at);
  }
  return undefined;
}

function isKeyAt(block: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (block[at + i] !== key[i]) return false;
  return true;
}

/** Throws StoreError `corrupt` unless the bytes are the changes of a block. */
export function assertBlockChanges(block: Uint8Array): Uint8Array {
  for (let at = VERSION_BYTES; at < block.length; ) {
    let [change, count] = [flagsOf(block, at) + 3, 0];
    at = nextNode(block, at);
    for (; change < at; count++) change += 1 + bodyBytes(block[change]);
    if (change !== at || at > block.length || count > SLOTS) throw damaged();
  }
  return block;
}

/**
 * The log of a node with what later blocks changed in it: the same log if they changed nothing, or it has their changes
 * already. A log that begins with them gives every version since the history began, or none before its node was there.
 */
export function withChanges(log: Uint8Array | undefined, later: readonly NodeChanges[]): Uint8Array {
  const [first] = later;
  const begun = log ?? emptyLog(first?.isNew === true ? first.version - 1n : 0n);
  let last = 0;
  for (let at = VERSION_BYTES; at < begun.length; at = endOfChange(begun, at)) last = at;
  const newest = readVersion(begun, last);
  const added = later.filter(({ version }) => version > newest);
  return added.length === 0 ? begun : concatBytes(begun, ...added.map(toLog));
}

/**
 * The log of a node with what later blocks changed in it; undefined if there is neither. A block that removed the node has
 * finished its log.
 */
export function withBlocks(
  log: Uint8Array | undefined,
  blocks: readonly Uint8Array[],
  key: Uint8Array,
): Uint8Array | undefined {
  const all = blocks.flatMap((block) => changesOf(block, key) ?? []);
  const later = all.slice(all.findLastIndex(({ isRemoved }) => isRemoved) + 1);
  return later.length === 0 ? log : withChanges(log, later);
}

/** Changes with their version before each. */
function toLog({ version, changes }: NodeChanges): Uint8Array {
  const log = new Uint8Array(changes.length + SLOTS * VERSION_BYTES);
  let length = 0;
  for (let at = 0; at < changes.length; ) {
    const end = at + 1 + bodyBytes(changes[at]);
    writeVersion(log, version, length);
    log.set(changes.subarray(at, end), length + VERSION_BYTES);
    length += VERSION_BYTES + end - at;
    at = end;
  }
  return log.subarray(0, length);
}

/** Bytes after a byte of slot and kind. Throws StoreError `corrupt`. */
function bodyBytes(head = 0xff): number {
  const bytes = BODY_BYTES[head >> 4];
  if (bytes === undefined) throw damaged();
  return bytes;
}

function damaged(): StoreError {
  return new StoreError("corrupt", "the log of a state tree node is damaged");
}

/** Where the change after the one at a place begins. Throws StoreError `corrupt`. */
function endOfChange(log: Uint8Array, at: number): number {
  const end = at + VERSION_BYTES + 1 + bodyBytes(log[at + VERSION_BYTES]);
  if (end > log.length) throw damaged();
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
