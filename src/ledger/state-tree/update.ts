// The state root kept incrementally: a batch of item changes against the stored nodes gives the new root and
// the node changes. Nodes are read level by level, one call each, along the changed paths only; deletions
// collapse, so that the nodes left are always those the same items would give if built from scratch.
import { compareBytes, equalBytes } from "../../base/bytes.ts";
import { LedgerError } from "../errors.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../hash.ts";
import { leafHashOf, type TreeLeaf } from "./root.ts";
import {
  createTreeNode,
  decodeTreeNode,
  encodeTreeNode,
  nibbleAt,
  setChild,
  type TreeChild,
  type TreeNode,
  treeNodeHash,
  treeNodeKey,
} from "./tree-node.ts";

/** Reads current nodes by key, in the order asked. */
export type TreeNodeReader = (keys: readonly Uint8Array[]) => Promise<readonly (Uint8Array | undefined)[]>;

/** One item change: the new state value's hash; undefined removes the item. */
export interface TreeUpdate {
  readonly keyHash: Uint8Array;
  readonly valueHash: Uint8Array | undefined;
}

/** A changed node; undefined removes it. */
export interface TreeNodeChange {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** The root after a batch of changes, and the nodes that differ. */
export interface TreeUpdateResult {
  readonly root: Uint8Array;
  readonly nodes: readonly TreeNodeChange[];
}

/** A stored node on a changed path, with the stored nodes below it that are on one too, by slot. */
interface LoadedNode {
  readonly node: TreeNode;
  readonly below: (LoadedNode | undefined)[];
}

interface Keyed {
  readonly keyHash: Uint8Array;
}

interface WantedNode {
  readonly parent: LoadedNode | undefined;
  readonly depth: number;
  /** The updates below this node: a range of the sorted batch. */
  readonly start: number;
  readonly end: number;
}

/** The first index after `start` whose key leaves the slot of the one at `start`. */
function groupEnd(updates: readonly Keyed[], start: number, end: number, depth: number): number {
  const slot = slotOf(updates, start, depth);
  let at = start + 1;
  while (at < end && slotOf(updates, at, depth) === slot) at++;
  return at;
}

function keyAt(updates: readonly Keyed[], index: number): Uint8Array {
  const update = updates[index];
  if (update === undefined) throw new Error(`state tree update ${index} is out of range`);
  return update.keyHash;
}

function slotOf(updates: readonly Keyed[], index: number, depth: number): number {
  return nibbleAt(keyAt(updates, index), depth);
}

/** Current nodes by key, in the order asked, ready to be changed in place. */
type NodeSource = (keys: readonly Uint8Array[]) => Promise<readonly (TreeNode | undefined)[]>;

async function loadPaths(
  updates: readonly TreeUpdate[],
  getNodes: NodeSource,
): Promise<LoadedNode | undefined> {
  let root: LoadedNode | undefined;
  const path = (one: WantedNode) =>
    treeNodeKey(one.depth === 0 ? SPARSE_MERKLE_PLACEHOLDER : keyAt(updates, one.start), one.depth);
  let wanted: WantedNode[] = [{ parent: undefined, depth: 0, start: 0, end: updates.length }];
  while (wanted.length > 0) {
    const found = await getNodes(wanted.map(path));
    const next: WantedNode[] = [];
    for (const [i, { parent, depth, start, end }] of wanted.entries()) {
      const node = found[i];
      if (node === undefined) {
        if (parent === undefined) return undefined;
        throw new LedgerError("corrupt", `state tree: a node ${depth} nibbles down is missing`);
      }
      const loaded: LoadedNode = { node, below: [] };
      if (parent === undefined) root = loaded;
      else parent.below[slotOf(updates, start, depth - 1)] = loaded;
      for (let from = start; from < end; ) {
        const to = groupEnd(updates, from, end, depth);
        const child = loaded.node.slots[slotOf(updates, from, depth)];
        if (child !== undefined && child.keyHash === undefined) {
          next.push({ parent: loaded, depth: depth + 1, start: from, end: to });
        }
        from = to;
      }
    }
    wanted = next;
  }
  return root;
}

function isSameChild(a: TreeChild | undefined, b: TreeChild | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if ((a.keyHash === undefined) !== (b.keyHash === undefined)) return false;
  // A leaf hash commits to its key, so equal hashes of equal kinds are equal children.
  return equalBytes(a.hash, b.hash);
}

/** A changed node, not yet in bytes; undefined when it is gone. */
interface ChangedNode {
  readonly key: Uint8Array;
  readonly node: TreeNode | undefined;
}

/** One update of the tree: the sorted batch and the node changes gathered so far. */
class TreeChange {
  readonly nodes: ChangedNode[] = [];
  readonly #updates: readonly TreeUpdate[];

  constructor(updates: readonly TreeUpdate[]) {
    this.#updates = updates;
  }

  /** Applies updates `start..end` to a stored node in place: true when any of its slots changed. */
  applyToSlots(loaded: LoadedNode, start: number, end: number, depth: number): boolean {
    let changed = false;
    for (let from = start; from < end; ) {
      const to = groupEnd(this.#updates, from, end, depth);
      const slot = slotOf(this.#updates, from, depth);
      const before = loaded.node.slots[slot];
      const below = loaded.below[slot];
      const after =
        below === undefined
          ? this.#applyToLeaf(before, from, to, depth + 1)
          : this.#applyToNode(before, below, from, to, depth + 1);
      if (!isSameChild(before, after)) {
        setChild(loaded.node, slot, after);
        changed = true;
      }
      from = to;
    }
    return changed;
  }

  /** Writes the root node, or removes it when nothing is left: the root hash. */
  settleRoot(root: TreeNode): Uint8Array {
    const key = treeNodeKey(SPARSE_MERKLE_PLACEHOLDER, 0);
    if (root.slots.every((child) => child === undefined)) {
      this.nodes.push({ key, node: undefined });
      return SPARSE_MERKLE_PLACEHOLDER;
    }
    this.nodes.push({ key, node: root });
    return treeNodeHash(root);
  }

  /** Applies updates to the stored node behind a slot: what the slot then holds. */
  #applyToNode(
    before: TreeChild | undefined,
    loaded: LoadedNode,
    start: number,
    end: number,
    depth: number,
  ): TreeChild | undefined {
    if (!this.applyToSlots(loaded, start, end, depth)) return before;
    const key = treeNodeKey(keyAt(this.#updates, start), depth);
    const children = loaded.node.slots.filter((child) => child !== undefined);
    const only = children.length === 1 ? children[0] : undefined;
    if (children.length === 0 || only?.keyHash !== undefined) {
      this.nodes.push({ key, node: undefined });
      return only;
    }
    return this.#writeNode(key, loaded.node);
  }

  /** Applies updates to a slot that holds one leaf or nothing. */
  #applyToLeaf(
    before: TreeChild | undefined,
    start: number,
    end: number,
    depth: number,
  ): TreeChild | undefined {
    const leaves: TreeLeaf[] = [];
    let kept = before?.keyHash === undefined ? undefined : { keyHash: before.keyHash, leafHash: before.hash };
    for (let i = start; i < end; i++) {
      const update = this.#updates[i];
      if (update === undefined) continue;
      if (kept !== undefined) {
        const order = compareBytes(kept.keyHash, update.keyHash);
        if (order < 0) leaves.push(kept);
        if (order <= 0) kept = undefined;
      }
      if (update.valueHash !== undefined) {
        leaves.push({ keyHash: update.keyHash, leafHash: leafHashOf(update.keyHash, update.valueHash) });
      }
    }
    if (kept !== undefined) leaves.push(kept);
    return this.#build(leaves, 0, leaves.length, depth);
  }

  /** New nodes for leaves that stand alone below a slot. */
  #build(leaves: readonly TreeLeaf[], start: number, end: number, depth: number): TreeChild | undefined {
    const first = leaves[start];
    if (start === end || first === undefined) return undefined;
    if (end - start === 1) return { keyHash: first.keyHash, hash: first.leafHash };
    const node = createTreeNode();
    for (let from = start; from < end; ) {
      const to = groupEnd(leaves, from, end, depth);
      node.slots[slotOf(leaves, from, depth)] = this.#build(leaves, from, to, depth + 1);
      from = to;
    }
    return this.#writeNode(treeNodeKey(first.keyHash, depth), node);
  }

  #writeNode(key: Uint8Array, node: TreeNode): TreeChild {
    this.nodes.push({ key, node });
    return { keyHash: undefined, hash: treeNodeHash(node) };
  }
}

function sortUpdates(updates: readonly TreeUpdate[]): TreeUpdate[] {
  const sorted = [...updates].sort(
    (a, b) => (a.keyHash[0] ?? 0) - (b.keyHash[0] ?? 0) || compareBytes(a.keyHash, b.keyHash),
  );
  for (let i = 1; i < sorted.length; i++) {
    if (equalBytes(keyAt(sorted, i - 1), keyAt(sorted, i))) throw new Error("one key twice in a tree update");
  }
  return sorted;
}

interface Applied {
  readonly root: Uint8Array;
  readonly nodes: readonly ChangedNode[];
}

function applySorted(sorted: readonly TreeUpdate[], loaded: LoadedNode | undefined): Applied {
  const root = loaded ?? { node: createTreeNode(), below: [] };
  const change = new TreeChange(sorted);
  if (!change.applyToSlots(root, 0, sorted.length, 0)) return { root: treeNodeHash(root.node), nodes: [] };
  const hash = change.settleRoot(root.node);
  return { root: hash, nodes: change.nodes };
}

function toBytes({ key, node }: ChangedNode): TreeNodeChange {
  return { key, value: node === undefined ? undefined : encodeTreeNode(node) };
}

/** The tree of the given items, in any order and every key at most once. */
export function createStateTree(items: readonly TreeUpdate[]): TreeUpdateResult {
  const { root, nodes } = applySorted(sortUpdates(items), undefined);
  return { root, nodes: nodes.map(toBytes) };
}

/** Applies changes, in any order and every key at most once, to the tree behind the reader. */
export async function updateStateTree(
  getNodes: TreeNodeReader,
  updates: readonly TreeUpdate[],
): Promise<TreeUpdateResult> {
  const tree = new StateTree(getNodes);
  const root = await tree.apply(updates);
  return { root, nodes: tree.takeChanges() };
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
}

/**
 * A tree that is changed batch after batch ahead of its store. Nodes stay as they are in memory between
 * batches, with the hashes inside them, and become bytes only when the changes are taken. After an error it is
 * spent.
 */
export class StateTree {
  readonly #getNodes: TreeNodeReader;
  /** Nodes seen or made so far; undefined for one that is not there. */
  readonly #known = new Map<string, TreeNode | undefined>();
  readonly #changed = new Map<string, Uint8Array>();

  constructor(getNodes: TreeNodeReader) {
    this.#getNodes = getNodes;
  }

  /** Nodes in memory. */
  get size(): number {
    return this.#known.size;
  }

  /** Applies changes, in any order and every key at most once; the root after them. */
  async apply(updates: readonly TreeUpdate[]): Promise<Uint8Array> {
    const sorted = sortUpdates(updates);
    const { root, nodes } = applySorted(sorted, await loadPaths(sorted, (keys) => this.#load(keys)));
    for (const { key, node } of nodes) {
      const name = nameOf(key);
      this.#known.set(name, node);
      this.#changed.set(name, key);
    }
    return root;
  }

  /** The nodes that changed since they were last taken, in bytes. */
  takeChanges(): TreeNodeChange[] {
    const changes: TreeNodeChange[] = [];
    for (const [name, key] of this.#changed) changes.push(toBytes({ key, node: this.#known.get(name) }));
    this.#changed.clear();
    return changes;
  }

  /** Forgets what is in memory; only for a tree whose changes are taken and stored. */
  forget(): void {
    this.#known.clear();
  }

  async #load(keys: readonly Uint8Array[]): Promise<(TreeNode | undefined)[]> {
    const names = keys.map(nameOf);
    const missing = keys.filter((_, i) => !this.#known.has(names[i] ?? ""));
    const found = missing.length === 0 ? [] : await this.#getNodes(missing);
    let next = 0;
    for (const name of names) {
      if (this.#known.has(name)) continue;
      const bytes = found[next++];
      this.#known.set(name, bytes === undefined ? undefined : decodeTreeNode(bytes));
    }
    return names.map((name) => this.#known.get(name));
  }
}
