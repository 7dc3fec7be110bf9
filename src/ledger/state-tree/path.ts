// The way of a key through the stored state tree: what a proof of its value, or of its absence, is made of.
import { LedgerError } from "../errors.ts";
import { decodeTreeNode, stepThrough, type TreeNode, treeNodeKey } from "./tree-node.ts";
import type { TreeLeaf } from "./update.ts";

/** Reads nodes by key, as bytes or decoded. */
export type NodeReader = (
  keys: readonly Uint8Array[],
) => Promise<readonly (Uint8Array | TreeNode | undefined)[]>;

export interface TreePath {
  /** The leaf at the end: that of the key, another one alone below the same prefix, or none. */
  readonly leaf: TreeLeaf | undefined;
  /** Hashes beside the way, from the root down. */
  readonly siblings: readonly Uint8Array[];
}

/** Reads the way of a key. Throws LedgerError `corrupt` if a node is missing. */
export async function readTreePath(keyHash: Uint8Array, getNodes: NodeReader): Promise<TreePath> {
  const siblings: Uint8Array[] = [];
  for (let depth = 0; ; depth++) {
    const [node] = await getNodes([treeNodeKey(keyHash, depth)]);
    if (node === undefined) {
      if (depth === 0) return { leaf: undefined, siblings };
      throw new LedgerError("corrupt", `state tree: a node ${depth} nibbles down is missing`);
    }
    const step = stepThrough(node instanceof Uint8Array ? decodeTreeNode(node) : node, keyHash, depth);
    siblings.push(...step.siblings);
    if (step.child === undefined) return { leaf: undefined, siblings };
    const { keyHash: leafKey, hash } = step.child;
    if (leafKey !== undefined) return { leaf: { keyHash: leafKey, leafHash: hash }, siblings };
  }
}
