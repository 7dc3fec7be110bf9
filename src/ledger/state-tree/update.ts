// Incremental update of the state tree: a batch of item changes and the stored nodes give the new root and the changed
// nodes. It reads nodes along the changed paths only, one call per level. Deletions collapse nodes, so the result is
// always the tree that the same items would give if built from scratch.
import { compareBytes, equalBytes } from "../../base/bytes.ts";
import { LedgerError } from "../errors.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../hash.ts";
import {
  createTreeNode,
  decodeTreeNode,
  encodeTreeNode,
  isEmptyNode,
  leafHashOf,
  nibbleAt,
  onlyLeaf,
  setChild,
  type TreeChild,
  type TreeNode,
  treeNodeHash,
  treeNodeKey,
  treeNodeName,
} from "./tree-node.ts";

/** Reads current nodes by key, in the given order. */
export type TreeNodeReader = (keys: readonly Uint8Array[]) => Promise<readonly (Uint8Array | undefined)[]>;

/** A leaf of the state tree: its position and its hash. */
export interface TreeLeaf {
  readonly keyHash: Uint8Array;
  readonly leafHash: Uint8Array;
}

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

/** A child that changed. */
interface SlotChange {
  readonly slot: number;
  readonly before: TreeChild | undefined;
}

/** How one `apply` changed the children of a node; leaves that changed their values alone are left out. */
export interface LoggedNode {
  readonly key: Uint8Array;
  readonly isNew: boolean;
  readonly isRemoved: boolean;
  /** Each child at most once. */
  readonly changes: readonly SlotChange[];
}

/** The root after a batch of changes, and the nodes that differ. */
export interface TreeUpdateResult {
  readonly root: Uint8Array;
  readonly nodes: readonly TreeNodeChange[];
}

/** A node in memory, with its loaded child nodes by slot. */
interface LoadedNode {
  readonly key: Uint8Array;
  readonly node: TreeNode;
  readonly below: (LoadedNode | undefined)[];
  /** Differs from the stored node. */
  isChanged: boolean;
  /** Must be removed from the store. */
  isRemoved: boolean;
}

function createLoaded(key: Uint8Array, node: TreeNode): LoadedNode {
  return {
    key,
    node,
    below: new Array<undefined>(16).fill(undefined),
    isChanged: false,
    isRemoved: false,
  };
}

const ROOT_KEY = treeNodeKey(SPARSE_MERKLE_PLACEHOLDER, 0);

interface Keyed {
  readonly keyHash: Uint8Array;
}

/** A stored node that the updates need and that is not in memory. */
interface MissingNode {
  readonly parent: LoadedNode;
  readonly depth: number;
  /** The updates below this node: a range of the sorted batch. */
  readonly start: number;
  readonly end: number;
}

/** The first index after `start` whose key belongs to another slot than the key at `start`. */
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

/** Adds the nodes below `parent` that updates `start..end` need and that are not in memory. */
function collectMissing(
  missing: MissingNode[],
  updates: readonly TreeUpdate[],
  parent: LoadedNode,
  start: number,
  end: number,
  depth: number,
): void {
  for (let from = start; from < end; ) {
    const to = groupEnd(updates, from, end, depth);
    const slot = slotOf(updates, from, depth);
    const child = parent.node.slots[slot];
    if (child !== undefined && child.keyHash === undefined) {
      const below = parent.below[slot];
      if (below === undefined) missing.push({ parent, depth: depth + 1, start: from, end: to });
      else collectMissing(missing, updates, below, from, to, depth + 1);
    }
    from = to;
  }
}

/** Loads the paths of all updates, level by level, and returns the number of nodes loaded. */
async function loadPaths(
  root: LoadedNode,
  updates: readonly TreeUpdate[],
  getNodes: TreeNodeReader,
): Promise<number> {
  let count = 0;
  let missing: MissingNode[] = [];
  collectMissing(missing, updates, root, 0, updates.length, 0);
  while (missing.length > 0) {
    const keys = missing.map(({ depth, start }) => treeNodeKey(keyAt(updates, start), depth));
    const found = await getNodes(keys);
    const next: MissingNode[] = [];
    for (const [i, { parent, depth, start, end }] of missing.entries()) {
      const bytes = found[i];
      const key = keys[i];
      if (bytes === undefined || key === undefined) {
        throw new LedgerError("corrupt", `state tree: a node ${depth} nibbles down is missing`);
      }
      const loaded = createLoaded(key, decodeTreeNode(bytes));
      parent.below[slotOf(updates, start, depth - 1)] = loaded;
      collectMissing(next, updates, loaded, start, end, depth);
    }
    count += missing.length;
    missing = next;
  }
  return count;
}

function isSameChild(a: TreeChild | undefined, b: TreeChild | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if ((a.keyHash === undefined) !== (b.keyHash === undefined)) return false;
  // A leaf hash commits to its key, so two children of one kind with equal hashes are equal.
  return equalBytes(a.hash, b.hash);
}

/** A changed node, in memory. */
interface ChangedNode extends Pick<LoggedNode, "isNew"> {
  readonly loaded: LoadedNode;
  readonly changes: SlotChange[];
}

/** One update of the tree: the sorted batch, and the nodes it changed first since `takeChanges`. */
class TreeChange {
  readonly changed: LoadedNode[] = [];
  /** Nodes created minus nodes removed. */
  growth = 0;
  /** The nodes whose children it changed, each once. */
  readonly logged: ChangedNode[] = [];
  readonly #updates: readonly TreeUpdate[];

  constructor(updates: readonly TreeUpdate[]) {
    this.#updates = updates;
  }

  /** Applies updates `start..end` to a node in place; returns true if a slot changed. */
  applyToSlots(loaded: LoadedNode, start: number, end: number, depth: number): boolean {
    let changes: SlotChange[] | undefined;
    for (let from = start; from < end; ) {
      const to = groupEnd(this.#updates, from, end, depth);
      const slot = slotOf(this.#updates, from, depth);
      const before = loaded.node.slots[slot];
      const below = loaded.below[slot];
      const after =
        below === undefined
          ? this.#applyToLeaf(loaded, slot, from, to, depth + 1)
          : this.#applyToNode(loaded, slot, below, from, to, depth + 1);
      if (!isSameChild(before, after)) {
        changes ??= this.#log(loaded);
        const isLeaf = before?.keyHash !== undefined && after?.keyHash !== undefined;
        if (!isLeaf || !equalBytes(before.keyHash, after.keyHash)) changes.push({ slot, before });
        setChild(loaded.node, slot, after);
      }
      from = to;
    }
    return changes !== undefined;
  }

  /** Marks the root node as changed, or as removed if it is empty, and returns the root hash. */
  settleRoot(root: LoadedNode): Uint8Array {
    root.isRemoved = isEmptyNode(root.node);
    this.#markChanged(root);
    return treeNodeHash(root.node);
  }

  /** Applies updates to the node behind a slot and returns the slot's new child. */
  #applyToNode(
    parent: LoadedNode,
    slot: number,
    loaded: LoadedNode,
    start: number,
    end: number,
    depth: number,
  ): TreeChild | undefined {
    if (!this.applyToSlots(loaded, start, end, depth)) return parent.node.slots[slot];
    this.#markChanged(loaded);
    const only = onlyLeaf(loaded.node);
    if (only === undefined && !isEmptyNode(loaded.node)) return innerChild(loaded);
    loaded.isRemoved = true;
    this.growth--;
    parent.below[slot] = undefined;
    return only;
  }

  /** Applies updates to a slot that holds one leaf or nothing, and returns the slot's new child. */
  #applyToLeaf(
    parent: LoadedNode,
    slot: number,
    start: number,
    end: number,
    depth: number,
  ): TreeChild | undefined {
    const before = parent.node.slots[slot];
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
    return this.#build(parent, slot, leaves, 0, leaves.length, depth);
  }

  /** Builds the nodes for all leaves below a slot. */
  #build(
    parent: LoadedNode,
    slot: number,
    leaves: readonly TreeLeaf[],
    start: number,
    end: number,
    depth: number,
  ): TreeChild | undefined {
    const first = leaves[start];
    if (start === end || first === undefined) return undefined;
    if (end - start === 1) return { keyHash: first.keyHash, hash: first.leafHash };
    const loaded = createLoaded(treeNodeKey(first.keyHash, depth), createTreeNode());
    const changes = this.#log(loaded);
    for (let from = start; from < end; ) {
      const to = groupEnd(leaves, from, end, depth);
      const at = slotOf(leaves, from, depth);
      changes.push({ slot: at, before: undefined });
      setChild(loaded.node, at, this.#build(loaded, at, leaves, from, to, depth + 1));
      from = to;
    }
    parent.below[slot] = loaded;
    this.growth++;
    this.#markChanged(loaded);
    return innerChild(loaded);
  }

  /** Takes what changes in a node that nothing changed yet. */
  #log(loaded: LoadedNode): SlotChange[] {
    const changes: SlotChange[] = [];
    this.logged.push({ loaded, isNew: isEmptyNode(loaded.node), changes });
    return changes;
  }

  #markChanged(loaded: LoadedNode): void {
    if (loaded.isChanged) return;
    loaded.isChanged = true;
    this.changed.push(loaded);
  }
}

function innerChild({ node }: LoadedNode): TreeChild {
  return { keyHash: undefined, hash: treeNodeHash(node) };
}

function sortUpdates(updates: readonly TreeUpdate[]): TreeUpdate[] {
  const sorted = [...updates].sort((a, b) => compareBytes(a.keyHash, b.keyHash));
  for (let i = 1; i < sorted.length; i++) {
    if (equalBytes(keyAt(sorted, i - 1), keyAt(sorted, i)))
      throw new Error("a tree update has one key twice");
  }
  return sorted;
}

function applySorted(
  sorted: readonly TreeUpdate[],
  root: LoadedNode,
): { readonly rootHash: Uint8Array; readonly change: TreeChange } {
  const change = new TreeChange(sorted);
  const isChanged = change.applyToSlots(root, 0, sorted.length, 0);
  return { rootHash: isChanged ? change.settleRoot(root) : treeNodeHash(root.node), change };
}

/** All children that a removed node had; a leaf that is left has gone up. */
function childrenBefore({ slots }: TreeNode, changes: readonly SlotChange[]): SlotChange[] {
  const left = slots.map((before, slot) => ({ slot, before }));
  const unchanged = left.filter(({ slot }) => !changes.some((change) => change.slot === slot));
  return [...changes, ...unchanged].filter(({ before }) => before !== undefined);
}

function toBytes({ key, node, isRemoved }: LoadedNode): TreeNodeChange {
  return { key, value: isRemoved ? undefined : encodeTreeNode(node) };
}

/** Builds the tree of the given items, in any order, each key at most once. */
export function createStateTree(items: readonly TreeUpdate[]): TreeUpdateResult {
  const { rootHash, change } = applySorted(sortUpdates(items), createLoaded(ROOT_KEY, createTreeNode()));
  return { root: rootHash, nodes: change.changed.map(toBytes) };
}

/** Applies changes, in any order, each key at most once, to the tree that `getNodes` reads. */
export async function updateStateTree(
  getNodes: TreeNodeReader,
  updates: readonly TreeUpdate[],
): Promise<TreeUpdateResult> {
  const tree = new StateTree(getNodes);
  const root = await tree.apply(updates);
  return { root, nodes: tree.takeChanges() };
}

/**
 * A tree in memory that runs ahead of its store by several batches. Decoded nodes and their hashes stay in memory
 * between batches; `takeChanges` encodes them. Unusable after an error.
 */
export class StateTree {
  readonly #getNodes: TreeNodeReader;
  /** Loaded on first use. */
  #root: LoadedNode | undefined;
  #size = 0;
  #changed: LoadedNode[] = [];
  #logged: readonly ChangedNode[] = [];

  constructor(getNodes: TreeNodeReader) {
    this.#getNodes = getNodes;
  }

  /** Nodes in memory. */
  get size(): number {
    return this.#size;
  }

  /** Applies changes, in any order, each key at most once, and returns the new root. */
  async apply(updates: readonly TreeUpdate[]): Promise<Uint8Array> {
    const sorted = sortUpdates(updates);
    const top = this.#root ?? (await this.#loadRoot());
    this.#size += await loadPaths(top, sorted, this.#getNodes);
    const { rootHash, change } = applySorted(sorted, top);
    this.#logged = change.logged;
    this.#size += change.growth;
    for (const loaded of change.changed) this.#changed.push(loaded);
    return rootHash;
  }

  /** What the last `apply` changed. */
  logged(): LoggedNode[] {
    return this.#logged.map(({ loaded: { key, node, isRemoved }, isNew, changes }) => {
      return { key, isNew, isRemoved, changes: isRemoved ? childrenBefore(node, changes) : changes };
    });
  }

  /** The encoded nodes that changed since the last call. */
  takeChanges(): TreeNodeChange[] {
    const changed = this.#changed;
    this.#changed = [];
    for (const loaded of changed) loaded.isChanged = false;
    if (!changed.some(({ isRemoved }) => isRemoved)) return changed.map(toBytes);
    // A node removed and created again is listed twice, first as removed; the last entry wins.
    const changes = new Map<string, LoadedNode>();
    for (const loaded of changed) changes.set(treeNodeName(loaded.key), loaded);
    return [...changes.values()].map(toBytes);
  }

  /** Drops the nodes in memory. Allowed only when all changes are taken and stored. */
  forget(): void {
    this.#root = undefined;
    this.#size = 0;
  }

  async #loadRoot(): Promise<LoadedNode> {
    const [bytes] = await this.#getNodes([ROOT_KEY]);
    const root = createLoaded(ROOT_KEY, bytes === undefined ? createTreeNode() : decodeTreeNode(bytes));
    this.#root = root;
    this.#size = 1;
    return root;
  }
}
