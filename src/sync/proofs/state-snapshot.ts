// The state at a kept block end in the order of key hashes, which is how backup services number its items. A walk of the
// tree of that version compares every node's hash with its parent's. The first walk counts the items and marks some of
// them, and the marks are kept: later walks begin near the item that they are asked for.

import { compareBytes, equalBytes, toMapKey } from "../../base/bytes.ts";
import { keepSome } from "../../base/recent.ts";
import { takeTurn } from "../../base/wait.ts";
import { decodeTreeNode, nibbleAt, treeNodeHash, treeNodeKey } from "../../ledger/state-tree/tree-node.ts";
import type { TreeNodeReader } from "../../ledger/state-tree/update.ts";
import { StoreError } from "../../store/errors.ts";

const HASH_BYTES = 32;
/** The depth of a leaf that waits to be visited: no node is as deep. */
const LEAF = -1;
/** Items from one mark to the next: 32 MiB of marks for 256 million items. */
const STRIDE = 256;
/** Lists kept. */
const MAX_LISTS = 2;
/** Nodes read before others get a turn. */
const NODES_A_TURN = 64;

/** The number of items of a state, and the key hashes of some. */
export class StateList {
  readonly count: number;
  readonly #root: Uint8Array;
  readonly #marks: Uint8Array;

  private constructor(root: Uint8Array, count: number, marks: Uint8Array) {
    this.#root = root;
    this.count = count;
    this.#marks = marks;
  }

  /** Walks over the tree with this root. */
  static async count(root: Uint8Array, getNodes: TreeNodeReader): Promise<StateList> {
    let marks = new Uint8Array(1024 * HASH_BYTES);
    let count = 0;
    for await (const keyHash of walkTree(root, getNodes)) {
      const at = HASH_BYTES * (count / STRIDE);
      if (at === marks.length) {
        const grown = new Uint8Array(2 * marks.length);
        grown.set(marks);
        marks = grown;
      }
      if (count++ % STRIDE === 0) marks.set(keyHash, at);
    }
    return new StateList(root, count, marks);
  }

  /** Key hashes from an index on. `getNodes` reads the nodes of the same tree. */
  async *from(start: number, getNodes: TreeNodeReader): AsyncGenerator<Uint8Array> {
    if (start >= this.count) return;
    const mark = HASH_BYTES * Math.floor(start / STRIDE);
    let skipped = start % STRIDE;
    for await (const keyHash of walkTree(
      this.#root,
      getNodes,
      this.#marks.subarray(mark, mark + HASH_BYTES),
    )) {
      if (skipped-- <= 0) yield keyHash;
    }
  }
}

/** Lists of recent questions. */
export class StateLists {
  readonly #lists = new Map<string, Promise<StateList>>();

  /** The list of the tree with this root. `read` reads the nodes of that tree. */
  get(root: Uint8Array, read: () => TreeNodeReader): Promise<StateList> {
    return keepSome(this.#lists, toMapKey(root), MAX_LISTS, () => StateList.count(root, read()));
  }
}

interface Visit {
  /** Of a leaf, its key hash. */
  readonly prefix: Uint8Array;
  readonly depth: number;
  readonly expected: Uint8Array;
  /** True while keys before the first wanted one may be below. */
  readonly isOnWay: boolean;
}

/** The key hashes of a tree in order, from one on. Throws StoreError. */
async function* walkTree(
  root: Uint8Array,
  getNodes: TreeNodeReader,
  first: Uint8Array = new Uint8Array(HASH_BYTES),
): AsyncGenerator<Uint8Array> {
  const [top] = await getNodes([treeNodeKey(new Uint8Array(HASH_BYTES), 0)]);
  if (top === undefined) return;
  let nodes = 0;
  /** What waits to be visited, the next one last. */
  const open: Visit[] = [{ prefix: new Uint8Array(HASH_BYTES), depth: 0, expected: root, isOnWay: true }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { prefix, depth, expected, isOnWay } = next;
    if (depth === LEAF) {
      yield prefix;
      continue;
    }
    const [stored] = await getNodes([treeNodeKey(prefix, depth)]);
    if (stored === undefined) throw new StoreError("corrupt", "the state tree lacks a node");
    // Copied: read again below, when its bytes may be gone.
    const node = decodeTreeNode(new Uint8Array(stored));
    if (!equalBytes(treeNodeHash(node), expected)) {
      throw new StoreError("corrupt", "the state tree has a node of another version");
    }
    if (++nodes % NODES_A_TURN === 0) await takeTurn(undefined);
    const least = isOnWay ? nibbleAt(first, depth) : 0;
    for (let slot = node.slots.length - 1; slot >= least; slot--) {
      const child = node.slots[slot];
      if (child === undefined) continue;
      const { keyHash } = child;
      if (keyHash === undefined) {
        const below = withNibble(prefix, depth, slot);
        open.push({
          prefix: below,
          depth: depth + 1,
          expected: child.hash,
          isOnWay: isOnWay && slot === least,
        });
      } else if (!isOnWay || compareBytes(keyHash, first) >= 0) {
        open.push({ prefix: new Uint8Array(keyHash), depth: LEAF, expected: child.hash, isOnWay: false });
      }
    }
  }
}

function withNibble(prefix: Uint8Array, depth: number, nibble: number): Uint8Array {
  const out = prefix.slice();
  const at = depth >> 1;
  out[at] = (depth & 1) === 0 ? nibble << 4 : (out[at] ?? 0) | nibble;
  return out;
}
