// The state at a kept block end as a list in the order of key hashes, which is how backup services number its items. The
// tree of that version is walked once, and every node's hash compared with its parent's; the list is kept for the next
// questions.
import { equalBytes } from "../../base/bytes.ts";
import { takeTurn } from "../../base/wait.ts";
import { decodeTreeNode, treeNodeHash, treeNodeKey } from "../../ledger/state-tree/tree-node.ts";
import type { TreeNodeReader } from "../../ledger/state-tree/update.ts";
import { StoreError } from "../../store/errors.ts";
import { BackupRefusal } from "./backup-refusal.ts";

const HASH_BYTES = 32;
/** Most items of a state that is listed: 128 MiB of key hashes. */
const MAX_ITEMS = 4 * 1024 * 1024;
/** Lists kept. */
const MAX_LISTS = 2;
/** Nodes read before others get a turn. */
const NODES_A_TURN = 64;

/** The key hashes of a state, in order. */
export class StateList {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get count(): number {
    return this.#bytes.length / HASH_BYTES;
  }

  /** Key hashes from an index on. */
  slice(start: number, end: number): Uint8Array[] {
    const found: Uint8Array[] = [];
    for (let i = start; i < Math.min(end, this.count); i++) {
      found.push(this.#bytes.subarray(HASH_BYTES * i, HASH_BYTES * (i + 1)));
    }
    return found;
  }
}

/** Lists of recent questions. */
export class StateLists {
  readonly #lists = new Map<string, Promise<StateList>>();

  /** The list of the tree with this root. `read` reads the nodes of that tree. */
  get(root: Uint8Array, read: () => TreeNodeReader): Promise<StateList> {
    const name = Buffer.from(root).toString("latin1");
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const listing = listTree(root, read());
    this.#lists.set(name, listing);
    listing.catch(() => this.#lists.delete(name));
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest);
    return listing;
  }
}

async function listTree(root: Uint8Array, getNodes: TreeNodeReader): Promise<StateList> {
  let bytes = new Uint8Array(1024 * HASH_BYTES);
  let count = 0;
  let nodes = 0;
  const add = (keyHash: Uint8Array): void => {
    if (count === MAX_ITEMS) {
      throw new BackupRefusal("not_kept", `states of more than ${MAX_ITEMS} items are not listed here`);
    }
    if (HASH_BYTES * count === bytes.length) {
      const grown = new Uint8Array(2 * bytes.length);
      grown.set(bytes);
      bytes = grown;
    }
    bytes.set(keyHash, HASH_BYTES * count++);
  };
  const walk = async (prefix: Uint8Array, depth: number, expected: Uint8Array): Promise<void> => {
    const [stored] = await getNodes([treeNodeKey(prefix, depth)]);
    if (stored === undefined) throw new StoreError("corrupt", "the state tree lacks a node");
    // Copied: read again below, when its bytes may be gone.
    const node = decodeTreeNode(new Uint8Array(stored));
    if (!equalBytes(treeNodeHash(node), expected)) {
      throw new StoreError("corrupt", "the state tree has a node of another version");
    }
    if (++nodes % NODES_A_TURN === 0) await takeTurn(undefined);
    for (const [slot, child] of node.slots.entries()) {
      if (child === undefined) continue;
      if (child.keyHash !== undefined) add(child.keyHash);
      else await walk(withNibble(prefix, depth, slot), depth + 1, child.hash);
    }
  };
  const [top] = await getNodes([treeNodeKey(new Uint8Array(HASH_BYTES), 0)]);
  if (top !== undefined) await walk(new Uint8Array(HASH_BYTES), 0, root);
  return new StateList(bytes.slice(0, HASH_BYTES * count));
}

function withNibble(prefix: Uint8Array, depth: number, nibble: number): Uint8Array {
  const out = prefix.slice();
  const at = depth >> 1;
  out[at] = (depth & 1) === 0 ? nibble << 4 : (out[at] ?? 0) | nibble;
  return out;
}
