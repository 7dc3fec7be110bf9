// Checks the items of a store: their order and encoding, the list of superseded values, and the state trees that they give
// at the head and at one earlier version. A tree is rebuilt from its leaves in key order, with one open node for each nibble
// of the last key; only the node format is shared with the code that updates the tree.
import { equalBytes } from "../../../base/bytes.ts";
import { errorText } from "../../../base/errors.ts";
import { toHex } from "../../../base/hex.ts";
import { assertStateValue, stateValueHash } from "../../../ledger/formats/state-value.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../../../ledger/hash.ts";
import {
  createTreeNode,
  encodeTreeNode,
  isNodeLogKey,
  leafHashOf,
  nibbleAt,
  setChild,
  type TreeChild,
  type TreeNode,
  treeNodeHash,
  treeNodeKey,
} from "../../../ledger/state-tree/tree-node.ts";
import type { ItemRow, StoreWalk } from "../../../store/lmdb/walk.ts";
import { assertLog, decodePart } from "../../proofs/node-log.ts";
import { type CheckPace, type Findings, Tally } from "./findings.ts";

interface Leaf extends TreeChild {
  readonly keyHash: Uint8Array;
}

class TreeBuilder {
  readonly #onNode: (key: Uint8Array, node: TreeNode) => void;
  /** The nodes on the way to the last leaf, by depth, which later leaves may change. */
  readonly #open: TreeNode[] = [];
  /** Its depth depends on the leaf after it. */
  #last: Leaf | undefined;
  #count = 0;

  /** `onNode` gets every finished node. */
  constructor(onNode: (key: Uint8Array, node: TreeNode) => void = () => {}) {
    this.#onNode = onNode;
  }

  /** Number of leaves. */
  get count(): number {
    return this.#count;
  }

  push(keyHash: Uint8Array, hash: Uint8Array): void {
    if (this.#last !== undefined) this.#place(this.#last, sharedNibbles(this.#last.keyHash, keyHash));
    this.#last = { keyHash, hash };
    this.#count++;
  }

  /** The root. Call once, after the last leaf. */
  finish(): Uint8Array {
    return (this.#last && this.#place(this.#last, -1)) ?? SPARSE_MERKLE_PLACEHOLDER;
  }

  /** Places a leaf that shares some nibbles with the next, and finishes the nodes without later leaves; returns the root's hash. */
  #place(leaf: Leaf, shared: number): Uint8Array | undefined {
    const nodes = this.#open;
    while (nodes.length <= Math.max(shared, 0)) nodes.push(createTreeNode());
    let child: TreeChild = leaf;
    for (let depth = nodes.length - 1; ; depth--) {
      const node = nodes[depth];
      if (node === undefined) return child.hash;
      setChild(node, nibbleAt(leaf.keyHash, depth), child);
      if (depth <= shared) return undefined;
      nodes.pop();
      this.#onNode(treeNodeKey(leaf.keyHash, depth), node);
      child = { keyHash: undefined, hash: treeNodeHash(node) };
    }
  }
}

function sharedNibbles(a: Uint8Array, b: Uint8Array): number {
  let depth = 0;
  while (nibbleAt(a, depth) === nibbleAt(b, depth) && depth < 2 * a.length) depth++;
  return depth;
}

export interface ItemCheckOptions {
  readonly walk: StoreWalk;
  readonly findings: Findings;
  readonly pace: CheckPace;
  /** What the records wrote: gets the values of kept versions. */
  readonly written: Tally;
  /** A version with its state root, for a store with a whole state. */
  readonly early: { readonly version: bigint; readonly stateRoot: Uint8Array } | undefined;
  /** Hears of the newest value of every key. */
  readonly onItem: (keyHash: Uint8Array, version: bigint) => void;
}

/** Result of the item check. */
export interface ItemsReport {
  /** All values. */
  readonly values: number;
  /** Keys with a value at the head. */
  readonly live: number;
  /** Nodes of the state tree; none unless the store has the whole state. */
  readonly treeNodes: number;
}

/** An empty value stands for a deletion: no value has no bytes. */
export const DELETED: Uint8Array = new Uint8Array(0);

/** Walks items, the list of superseded values and the state tree. */
export async function checkItems(options: ItemCheckOptions): Promise<ItemsReport> {
  const { walk, findings, pace, written, early, onItem } = options;
  const { position } = walk;
  const isWhole = position.stateRoot !== undefined;
  let treeNodes = 0;
  const headTree = new TreeBuilder((key, node) => {
    if (!isWhole) return;
    treeNodes++;
    pace.row();
    const stored = walk.peekTreeNode(key);
    findings.expect(stored !== undefined && equalBytes(stored, encodeTreeNode(node)), () => {
      return `state tree: node ${toHex(key)} is ${stored === undefined ? "missing" : "not the one that the items give"}`;
    });
  });
  const earlyTree = new TreeBuilder();
  const superseded = new Tally();
  let newer: ItemRow | undefined;
  let seenEarly = false;
  let values = 0;
  await pace.each(walk.items(), (row) => {
    const { keyHash, version, value, isNewest } = row;
    values++;
    const next = newer !== undefined && equalBytes(newer.keyHash, keyHash) ? newer : undefined;
    newer = { keyHash, version, isNewest, value: undefined };
    if (next === undefined) seenEarly = false;
    // Without closures: this runs for every value.
    if (isNewest !== (next === undefined)) findings.add(`${nameOf(row)}: has no newest value`);
    if (next === undefined ? version > position.version : version >= next.version) {
      findings.add(`${nameOf(row)}: later than ${next === undefined ? "the head" : "its newer value"}`);
    }
    if (next !== undefined) superseded.expect(next.version, keyHash, version);
    if (value === undefined) superseded.expect(version, keyHash, version);
    else checkValue(row, value, findings);
    if (isNodeLogKey(keyHash)) return;
    if (version >= position.oldestVersion) written.find(keyHash, version, value ?? DELETED);
    const isEarly = !seenEarly && early !== undefined && version <= early.version;
    if (isEarly) seenEarly = true;
    // No root covers the other values; those of kept versions are compared with what was written.
    const isInTree = value !== undefined && (isNewest || isEarly);
    const leaf = isInTree ? leafHashOf(keyHash, stateValueHash(value)) : undefined;
    if (isEarly && leaf !== undefined) earlyTree.push(keyHash, leaf);
    // Last, because these look up other rows.
    if (isNewest && leaf !== undefined) headTree.push(keyHash, leaf);
    if (isNewest) onItem(keyHash, version);
  });
  await checkSuperseded(options, superseded);
  const root = headTree.finish();
  if (position.stateRoot !== undefined) {
    expectRoot(root, position.stateRoot, position.version, findings);
    const stored = walk.count("tree");
    findings.expect(stored === treeNodes, () => {
      return `state tree: ${stored} nodes are stored, the items give ${treeNodes}`;
    });
    if (early === undefined) findings.add("no kept record has a state root");
    else expectRoot(earlyTree.finish(), early.stateRoot, early.version, findings);
  }
  return { values, live: headTree.count, treeNodes };
}

function expectRoot(root: Uint8Array, stated: Uint8Array, version: bigint, findings: Findings): void {
  findings.expect(equalBytes(root, stated), () => {
    return `state root as of version ${version}: the items give ${toHex(root)}, the ledger says ${toHex(stated)}`;
  });
}

function checkValue(row: ItemRow, value: Uint8Array, findings: Findings): void {
  try {
    if (isNodeLogKey(row.keyHash)) assertLog(decodePart(value).log);
    else assertStateValue(value);
  } catch (error) {
    findings.add(`${nameOf(row)}: ${errorText(error)}`);
  }
}

/** A superseded value that is not listed would never be pruned, and a visible one that is listed would be. */
async function checkSuperseded({ walk, findings, pace }: ItemCheckOptions, superseded: Tally): Promise<void> {
  const { version: head, oldestVersion } = walk.position;
  await pace.each(walk.stale(), ({ version: since, entries }) => {
    findings.expect(since <= head, () => `superseded at ${since}, above the head`);
    for (const { keyHash, version } of entries) {
      // A deletion is listed twice when the item was written again; pruning the first entry removes it.
      const mayBeGone = version < oldestVersion && version < since;
      if (mayBeGone && walk.peekItem(keyHash, version) === undefined) continue;
      superseded.find(since, keyHash, version);
    }
  });
  superseded.compare(findings, "list of superseded values");
}

function nameOf({ keyHash, version }: Pick<ItemRow, "keyHash" | "version">): string {
  return `item ${toHex(keyHash)} as of version ${version}`;
}
