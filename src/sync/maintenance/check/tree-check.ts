// Rebuilds a state tree from its leaves in key order, with one open node for each nibble of the last key. Shares only the
// node format with the code that updates the tree.
import { SPARSE_MERKLE_PLACEHOLDER } from "../../../ledger/hash.ts";
import {
  createTreeNode,
  nibbleAt,
  setChild,
  type TreeChild,
  type TreeNode,
  treeNodeHash,
  treeNodeKey,
} from "../../../ledger/state-tree/tree-node.ts";

interface Leaf extends TreeChild {
  readonly keyHash: Uint8Array;
}

export class TreeBuilder {
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
