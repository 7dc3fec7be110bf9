// The writer's state tree: ahead of the store while a batch is assembled, and kept from batch to batch because every
// block needs the nodes near the root.
import { compareBytes, equalBytes } from "../base/bytes.ts";
import { StateTree, type TreeUpdate } from "../ledger/state-tree/update.ts";
import { stateValueHash } from "../ledger/state-value.ts";
import type { StateWrite, Store, TreeNodeWrite } from "../store/contract.ts";

/** Budget for nodes kept in memory between batches. */
export const TREE_CACHE_BYTES: number = 20 * 2 ** 20;
/** Approximate memory of a node. */
const NODE_BYTES = 1024;

/** A state tree ahead of its store. Unusable after an error. */
export class PendingTree {
  readonly #tree: StateTree;

  constructor(store: Pick<Store, "getTreeNodes">) {
    this.#tree = new StateTree((keys) => store.getTreeNodes(keys));
  }

  /** Applies the last write of each key in one block and returns the state root. */
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

  /** Nodes that differ from those taken before. */
  takeChanges(): readonly TreeNodeWrite[] {
    return this.#tree.takeChanges();
  }

  /** Estimated memory of its nodes. */
  get bytes(): number {
    return this.#tree.size * NODE_BYTES;
  }

  /** True above the budget: call `settle` before the next `apply`. */
  get isFull(): boolean {
    return this.bytes > TREE_CACHE_BYTES;
  }

  /** Call only when all changes are stored. */
  settle(): void {
    if (this.isFull) this.#tree.forget();
  }
}
