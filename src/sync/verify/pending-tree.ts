// The writer's state tree: ahead of the store while a batch is assembled, and kept from batch to batch because every
// block needs the nodes near the root.
import { compareBytes, equalBytes } from "../../base/bytes.ts";
import { toHex } from "../../base/hex.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { stateValueHash } from "../../ledger/formats/state-value.ts";
import { StateTree, type TreeUpdate } from "../../ledger/state-tree/update.ts";
import type { StateWrite, Store, TreeNodeWrite } from "../../store/contract.ts";
import { encodeBlockChanges } from "../proofs/node-log.ts";
import { endsGroup } from "../side-rows.ts";
import type { RootedBlock } from "./verified-page.ts";
import type { VerifiedBlock } from "./verifier.ts";

/** Budget for nodes kept in memory between batches. */
export const TREE_CACHE_BYTES: number = 32 * 2 ** 20;
/** Approximate memory of a node, measured in a heap of 11,000: each hash in it is an object of its own. */
const NODE_BYTES = 4096;

const NO_CHANGES = new Uint8Array();

interface PendingTreeOptions {
  /** Budget for its nodes. */
  readonly maxBytes?: number;
  /** True if blocks tell how they changed the nodes. */
  readonly keepsChanges?: boolean;
}

/** A state tree ahead of its store. Unusable after an error. */
export class PendingTree {
  readonly #tree: StateTree;
  readonly #maxBytes: number;
  readonly #keepsChanges: boolean;

  constructor(
    store: Pick<Store, "getTreeNodes">,
    { maxBytes = TREE_CACHE_BYTES, keepsChanges = false }: PendingTreeOptions = {},
  ) {
    this.#tree = new StateTree((keys) => store.getTreeNodes(keys));
    this.#maxBytes = maxBytes;
    this.#keepsChanges = keepsChanges;
  }

  /** Applies a block. Throws LedgerError `mismatch` if the root is not the claimed one. */
  async assertRoot(block: VerifiedBlock): Promise<RootedBlock> {
    const root = await this.apply(block.writes);
    const { version, blockHeight } = block.position;
    if (!equalBytes(root, block.claimedStateRoot)) {
      const [expected, actual] = [toHex(root), toHex(block.claimedStateRoot)];
      throw new LedgerError(
        "mismatch",
        `version ${version}: state checkpoint hash must be ${expected}, got ${actual}`,
        { details: { version, field: "state checkpoint hash", expected, actual } },
      );
    }
    if (!this.#keepsChanges) return { ...block, changes: NO_CHANGES, nodes: [] };
    const changes = encodeBlockChanges(version, this.#tree.logged());
    return { ...block, changes, nodes: endsGroup(blockHeight) ? this.takeChanges() : [] };
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

  /** Nodes that differ from the store. Store them before the next `apply`. */
  takeChanges(): readonly TreeNodeWrite[] {
    return this.#tree.takeChanges();
  }

  /** Estimated memory of its nodes. Above the budget only until `settle`. */
  get bytes(): number {
    return this.#tree.size * NODE_BYTES;
  }

  /** True if `settle` would forget nodes. */
  get isFull(): boolean {
    return this.bytes > this.#maxBytes;
  }

  /** Call when the changes are stored. */
  settle(): void {
    if (this.isFull) this.#tree.forget();
  }
}
