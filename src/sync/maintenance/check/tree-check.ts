// Rebuilds the state tree from the items of a store and compares it with the stored tree. Shares only the node format
// with the code that updates the tree.
import { equalBytes } from "../../../base/bytes.ts";
import { toHex } from "../../../base/hex.ts";
import { HASH_LENGTH, SPARSE_MERKLE_PLACEHOLDER } from "../../../ledger/hash.ts";
import {
  createTreeNode,
  encodeTreeNode,
  nibbleAt,
  setChild,
  type TreeChild,
  type TreeNode,
  treeNodeHash,
  treeNodeKey,
} from "../../../ledger/state-tree/tree-node.ts";
import type { StoreWalk } from "../../../store/lmdb/walk.ts";
import type { CheckPace, Findings } from "./findings.ts";

const LEAF_BYTES = 2 * HASH_LENGTH;
/** Yields once per subtree at this depth: 16 ** 3 = 4096 times in a large tree. */
const TURN_DEPTH = 3;

/** Leaves in key order, 64 bytes each, so that millions fit in memory. */
export class LeafList {
  #bytes = Buffer.allocUnsafe(1024 * LEAF_BYTES);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  push(keyHash: Uint8Array, leafHash: Uint8Array): void {
    const at = this.#count * LEAF_BYTES;
    if (at === this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * at);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(keyHash, at);
    this.#bytes.set(leafHash, at + HASH_LENGTH);
    this.#count++;
  }

  keyAt(index: number): Uint8Array {
    return this.#bytes.subarray(index * LEAF_BYTES, index * LEAF_BYTES + HASH_LENGTH);
  }

  leafAt(index: number): TreeChild {
    const end = (index + 1) * LEAF_BYTES;
    return { keyHash: this.keyAt(index), hash: this.#bytes.subarray(end - HASH_LENGTH, end) };
  }
}

type NodeVisitor = (key: Uint8Array, node: TreeNode) => void;

function build(
  leaves: LeafList,
  start: number,
  end: number,
  depth: number,
  visit: NodeVisitor,
): TreeChild | undefined {
  if (start === end) return undefined;
  if (end - start === 1 && depth > 0) return leaves.leafAt(start);
  const node = createTreeNode();
  for (let from = start; from < end; ) {
    const to = endOfSlot(leaves, from, end, depth);
    setChild(node, nibbleAt(leaves.keyAt(from), depth), build(leaves, from, to, depth + 1, visit));
    from = to;
  }
  visit(treeNodeKey(leaves.keyAt(start), depth), node);
  return { keyHash: undefined, hash: treeNodeHash(node) };
}

/** End of the run of leaves below the same child as `from`. */
function endOfSlot(leaves: LeafList, from: number, end: number, depth: number): number {
  const slot = nibbleAt(leaves.keyAt(from), depth);
  let to = from + 1;
  while (to < end && nibbleAt(leaves.keyAt(to), depth) === slot) to++;
  return to;
}

/** As `build`, but yields before each subtree at TURN_DEPTH. */
async function buildInTurns(
  leaves: LeafList,
  start: number,
  end: number,
  depth: number,
  visit: NodeVisitor,
  pace: CheckPace,
): Promise<TreeChild | undefined> {
  if (depth === TURN_DEPTH || end - start < 2) {
    await pace.turn();
    return build(leaves, start, end, depth, visit);
  }
  const node = createTreeNode();
  for (let from = start; from < end; ) {
    const to = endOfSlot(leaves, from, end, depth);
    const child = await buildInTurns(leaves, from, to, depth + 1, visit, pace);
    setChild(node, nibbleAt(leaves.keyAt(from), depth), child);
    from = to;
  }
  visit(treeNodeKey(leaves.keyAt(start), depth), node);
  return { keyHash: undefined, hash: treeNodeHash(node) };
}

/** Root over the leaves; calls `visit` with every inner node. */
export async function rootOf(
  leaves: LeafList,
  pace: CheckPace,
  visit: NodeVisitor = () => {},
): Promise<Uint8Array> {
  const root = await buildInTurns(leaves, 0, leaves.count, 0, visit, pace);
  return root?.hash ?? SPARSE_MERKLE_PLACEHOLDER;
}

/** Compares the stored tree node by node with the one built from the leaves; returns the number of nodes. */
export async function checkTree(
  walk: StoreWalk,
  leaves: LeafList,
  findings: Findings,
  pace: CheckPace,
): Promise<number> {
  let nodes = 0;
  const root = await rootOf(leaves, pace, (key, node) => {
    nodes++;
    pace.row();
    const stored = walk.peekTreeNode(key);
    findings.expect(stored !== undefined && equalBytes(stored, encodeTreeNode(node)), () => {
      return `state tree: node ${toHex(key)} is ${stored === undefined ? "missing" : "not the one that the items give"}`;
    });
  });
  const { stateRoot } = walk.position;
  findings.expect(stateRoot !== undefined && equalBytes(root, stateRoot), () => {
    return `state root: the items give ${toHex(root)}, the position says ${toHex(stateRoot ?? new Uint8Array())}`;
  });
  const stored = walk.count("tree");
  findings.expect(stored === nodes, () => `state tree: ${stored} nodes are stored, the items give ${nodes}`);
  return nodes;
}
