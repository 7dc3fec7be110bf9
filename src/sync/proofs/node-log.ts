// How a node of the state tree changed, as bytes: for each changed child what it was before, so that the node after the last
// change gives the node at every version from the log's start on. Of a leaf only the key: its hash follows from the item, so a
// leaf that changes its value alone is not logged.
//
//   changes  for each changed child: slot and kind (1), hash or leaf key before (32)
//   log      start version (6), then for each block, oldest first: its version (6), bytes of its changes (2), its changes
//   part     bytes of the node after the last change (2), that node, log
//   block    version (6), then for each changed node: its key, flags (1), bytes of its changes (2), its changes
import { concatBytes } from "../../base/bytes.ts";
import { HASH_LENGTH } from "../../ledger/hash.ts";
import {
  createTreeNode,
  decodeTreeNode,
  setChild,
  type TreeNode,
} from "../../ledger/state-tree/tree-node.ts";
import type { LoggedNode } from "../../ledger/state-tree/update.ts";
import { StoreError } from "../../store/errors.ts";

/** Bytes of a version: enough for 2^48. */
const VERSION_BYTES = 6;
/** Bytes before the changes of a block in a log. */
const HEAD_BYTES = VERSION_BYTES + 2;
const SLOTS = 16;

/** Kinds of the child before a change. */
const [NONE, INNER, LEAF] = [0, 1, 2];
const BODY_BYTES = [0, HASH_LENGTH, HASH_LENGTH];

/** Flags of a node that a block changed: it was not there before, it is not there any more. */
const [NEW, REMOVED] = [1, 2];

function writeVersion(out: Buffer, version: bigint, at: number): void {
  out.writeUIntBE(Number(version), at, VERSION_BYTES);
}

function readVersion(log: Uint8Array, at: number): number {
  const low = (sizeAt(log, at + 2) << 16) | sizeAt(log, at + 4);
  return 2 ** 32 * sizeAt(log, at) + (low >>> 0);
}

/** A log without changes, of a node as it is from a version on. */
export function emptyLog(start: bigint): Uint8Array {
  const log = Buffer.alloc(VERSION_BYTES);
  writeVersion(log, start, 0);
  return log;
}

/** The first version whose node a log gives. */
export function startOf(log: Uint8Array): bigint {
  return BigInt(readVersion(log, 0));
}

/** How a block with a version changed the nodes of the tree. */
export function encodeBlockChanges(version: bigint, nodes: readonly LoggedNode[]): Uint8Array {
  let size = VERSION_BYTES;
  for (const { key, changes } of nodes) size += key.length + 3 + changes.length * (1 + HASH_LENGTH);
  const out = Buffer.allocUnsafe(size);
  writeVersion(out, version, 0);
  let at = VERSION_BYTES;
  for (const { key, isNew, isRemoved, changes } of nodes) {
    if (changes.length === 0) continue;
    out.set(key, at);
    const flagsAt = at + key.length;
    at = flagsAt + 3;
    for (const { slot, before } of changes) {
      const kind = before === undefined ? NONE : before.keyHash === undefined ? INNER : LEAF;
      out[at++] = slot | (kind << 4);
      if (before === undefined) continue;
      out.set(before.keyHash ?? before.hash, at);
      at += HASH_LENGTH;
    }
    out[flagsAt] = (isNew ? NEW : 0) | (isRemoved ? REMOVED : 0);
    out.writeUInt16BE(at - flagsAt - 3, flagsAt + 1);
  }
  return out.subarray(0, at);
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

/** A number of two bytes: how many bytes of changes follow it. */
function sizeAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** True if a block removed a node. */
export function hasRemoved(block: Uint8Array): boolean {
  for (let at = VERSION_BYTES; at < block.length; ) {
    const flagsAt = flagsOf(block, at);
    if (((block[flagsAt] ?? 0) & REMOVED) !== 0) return true;
    at = flagsAt + 3 + sizeAt(block, flagsAt + 1);
  }
  return false;
}

/** What a block changed, node by node; only in the node with a key, if one is given. */
export function nodesOf(block: Uint8Array, key?: Uint8Array): NodeChanges[] {
  const version = BigInt(readVersion(block, 0));
  const nodes: NodeChanges[] = [];
  for (let at = VERSION_BYTES; at < block.length; ) {
    const flagsAt = flagsOf(block, at);
    const end = flagsAt + 3 + sizeAt(block, flagsAt + 1);
    if (key === undefined || isKeyAt(block, at, key)) {
      const flags = block[flagsAt] ?? 0;
      nodes.push({
        key: block.subarray(at, flagsAt),
        version,
        isNew: (flags & NEW) !== 0,
        isRemoved: (flags & REMOVED) !== 0,
        changes: block.subarray(flagsAt + 3, end),
      });
    }
    at = end;
  }
  return nodes;
}

function isKeyAt(block: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (block[at + i] !== key[i]) return false;
  return true;
}

/** Throws StoreError `corrupt` unless the bytes are the changes of a block. */
export function assertBlockChanges(block: Uint8Array): Uint8Array {
  let at = VERSION_BYTES;
  while (at < block.length) at = assertChanges(block, flagsOf(block, at) + 1);
  return block;
}

/** Where the changes end whose size stands at a place. Throws StoreError `corrupt` unless they are whole. */
function assertChanges(bytes: Uint8Array, place: number): number {
  let at = place + 2;
  const end = at + sizeAt(bytes, place);
  let count = 0;
  for (; at < end; count++) at += 1 + bodyBytes(bytes[at]);
  if (at !== end || end > bytes.length || count > SLOTS) throw damaged();
  return end;
}

/**
 * The log of a node with what later blocks changed in it: the same log if they changed nothing, or it has their changes
 * already. A log that begins with them gives every version since the history began, or none before its node was there.
 */
export function withChanges(log: Uint8Array | undefined, later: readonly NodeChanges[]): Uint8Array {
  const [first] = later;
  const begun = log ?? emptyLog(first?.isNew === true ? first.version - 1n : 0n);
  let last = 0;
  for (let at = VERSION_BYTES; at < begun.length; at = endOfBlock(begun, at)) last = at;
  const newest = last === 0 ? 0 : readVersion(begun, last);
  const added = later.filter(({ version }) => version > newest);
  if (added.length === 0) return begun;
  const size = added.reduce((sum, { changes }) => sum + HEAD_BYTES + changes.length, begun.length);
  const all = Buffer.allocUnsafe(size);
  all.set(begun);
  let at = begun.length;
  for (const { version, changes } of added) {
    writeVersion(all, version, at);
    all.writeUInt16BE(changes.length, at + VERSION_BYTES);
    all.set(changes, at + HEAD_BYTES);
    at += HEAD_BYTES + changes.length;
  }
  return all;
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
  const all = blocks.flatMap((block) => nodesOf(block, key));
  const later = all.slice(all.findLastIndex(({ isRemoved }) => isRemoved) + 1);
  return later.length === 0 ? log : withChanges(log, later);
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

/** Where the changes end of the block at a place of a log. Throws StoreError `corrupt`. */
function endOfBlock(log: Uint8Array, at: number): number {
  const end = at + HEAD_BYTES + sizeAt(log, at + VERSION_BYTES);
  if (end > log.length) throw damaged();
  return end;
}

/** Where the first block above a version begins; the end of the log if there is none. */
function firstAbove(log: Uint8Array, version: bigint): number {
  const last = Number(version);
  let at = VERSION_BYTES;
  while (at < log.length && readVersion(log, at) <= last) at = endOfBlock(log, at);
  return at;
}

/** Throws StoreError `corrupt` unless the bytes are a log. */
export function assertLog(log: Uint8Array): Uint8Array {
  if (log.length < VERSION_BYTES)
    throw new StoreError("corrupt", "the log of a state tree node is too short");
  for (let at = VERSION_BYTES; at < log.length; ) at = assertChanges(log, at + VERSION_BYTES);
  return log;
}

/** A log without the blocks above a version. */
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
  for (let at = firstAbove(log, version); at < log.length; ) {
    const end = endOfBlock(log, at);
    for (at += HEAD_BYTES; at < end; ) {
      const head = log[at] ?? 0;
      const [slot, kind] = [head & 15, head >> 4];
      const body = log.subarray(at + 1, at + 1 + bodyBytes(head));
      at += 1 + body.length;
      // The first change after the version says what the child was then.
      if ((undone & (1 << slot)) !== 0) continue;
      undone |= 1 << slot;
      const child = { keyHash: kind === LEAF ? body : undefined, hash: body };
      setChild(node, slot, kind === NONE ? undefined : child);
    }
  }
}

/** The node behind stored bytes. */
export function openNode(bytes: Uint8Array | undefined): TreeNode {
  return bytes === undefined ? createTreeNode() : decodeTreeNode(bytes);
}

/** A finished log with the node after its last change. */
export function encodePart(node: Uint8Array = new Uint8Array(), log: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(node.length >> 8, node.length & 0xff), node, log);
}

export function decodePart(part: Uint8Array): { readonly node: TreeNode; readonly log: Uint8Array } {
  const end = 2 + sizeAt(part, 0);
  return { node: openNode(end === 2 ? undefined : part.subarray(2, end)), log: part.subarray(end) };
}
