// The state tree of the ledger that is being written: ahead of the store while a batch is put together, and
// kept from one batch to the next, because the nodes near the root are needed by every block.
import { compareBytes, equalBytes } from "../base/bytes.ts";
import { StateTree, type TreeUpdate } from "../ledger/state-tree/update.ts";
import { stateValueHash } from "../ledger/state-value.ts";
import type { StateWrite, Store, TreeNodeWrite } from "../store/contract.ts";

/** Budget for the nodes that are kept in memory between batches. */
export const TREE_CACHE_BYTES: number = 20 * 2 ** 20;
/** What a node takes, about. */
const NODE_BYTES = 1024;

/** A state tree that is ahead of its store. After an error it is spent. */
export class PendingTree {
  readonly #tree: StateTree;

  constructor(store: Pick<Store, "getTreeNodes">) {
    this.#tree = new StateTree((keys) => store.getTreeNodes(keys));
  }

  /** Applies the writes of one block, the last one of each key; the state root after them. */
  apply(writes: readonly StateWrite[]): Promise<Uint8Array> {
    // A stable sort: the last write of each key is the last of its neighbours.
    const sorted = [...writes].sort((a, b) => compareBytes(a.keyHash, b.keyHash));
    const updates: TreeUpdate[] = [];
    for (const [i, { keyHash, value }] of sorted.entries()) {
      const next = sorted[i + 1];
      if (next !== undefined && equalBytes(next.keyHash, keyHash)) continue;
      updates.push({ keyHash, valueHash: value === undefined ? undefined : stateValueHash(value) });
    }
    return this.#tree.apply(updates);
  }

  /** The nodes that differ from the store's; to be stored before anything else is applied. */
  takeChanges(): readonly TreeNodeWrite[] {
    return this.#tree.takeChanges();
  }

  /** Memory of its nodes, estimated. Above the budget only until the batch is settled. */
  get bytes(): number {
    return this.#tree.size * NODE_BYTES;
  }

  /** Says that the changes are stored. */
  settle(): void {
    if (this.bytes > TREE_CACHE_BYTES) this.#tree.forget();
  }
}
