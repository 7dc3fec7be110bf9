// The state tree while a batch is being put together: stored nodes, under those that earlier blocks of the
// batch changed already.
import { type TreeUpdate, updateStateTree } from "../ledger/state-tree/update.ts";
import { stateValueHash } from "../ledger/state-value.ts";
import type { StateWrite, Store, TreeNodeWrite } from "../store/contract.ts";

function mapKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** A state tree that is ahead of its store. */
export class PendingTree {
  readonly #store: Pick<Store, "getTreeNodes">;
  readonly #changed = new Map<string, TreeNodeWrite>();

  constructor(store: Pick<Store, "getTreeNodes">) {
    this.#store = store;
  }

  /** The nodes that differ from the store's. */
  get changes(): readonly TreeNodeWrite[] {
    return [...this.#changed.values()];
  }

  /** Applies the writes of one block, the last one of each key; the state root after them. */
  async apply(writes: readonly StateWrite[]): Promise<Uint8Array> {
    const last = new Map<string, StateWrite>();
    for (const write of writes) last.set(mapKey(write.keyHash), write);
    const updates: TreeUpdate[] = [];
    for (const { keyHash, value } of last.values()) {
      updates.push({ keyHash, valueHash: value === undefined ? undefined : stateValueHash(value) });
    }
    const { root, nodes } = await updateStateTree((keys) => this.#read(keys), updates);
    for (const node of nodes) this.#changed.set(mapKey(node.key), node);
    return root;
  }

  async #read(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const pending = keys.map((key) => this.#changed.get(mapKey(key)));
    const stored = keys.filter((_, i) => pending[i] === undefined);
    const found = stored.length === 0 ? [] : await this.#store.getTreeNodes(stored);
    let next = 0;
    return pending.map((node) => (node === undefined ? found[next++] : node.value));
  }
}
