import { Slices } from "../../base/wait.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { stateValueHash } from "../../ledger/formats/state-value.ts";
import { transactionInfoCodec } from "../../ledger/formats/transaction-info.ts";
import { type NodeReader, readTreePath } from "../../ledger/state-tree/path.ts";
import { type LedgerView, withView } from "../../ledger/view.ts";
import { TIME_KEYS } from "../../proof/claim.ts";
import {
  checkStateProof,
  joinStateProofs,
  type StateItems,
  type StateProof,
} from "../../proof/state-proof.ts";
import type { StoreView } from "../../store/contract.ts";
import { loadBlockEnd } from "../side-rows.ts";
import { outsideWindow, type ProofReader, type ProvablePoint } from "./signed-points.ts";
import { TreeAt } from "./tree-history.ts";

/** Items that are read at once. */
const RUN = 256;

/** A commit may replace a node while it is read. */
const ATTEMPTS = 3;

/** The state tree at the end of a block. */
export interface TreeOfBlock extends Omit<ProvablePoint, "signed"> {
  readonly stateRoot: Uint8Array;
  /** Remembers the nodes near the root. */
  readonly tree: TreeAt;
}

/** The way of the time, which every proof of a block has. */
const timeProofs = new WeakMap<TreeOfBlock, StateProof>();

/** Values of items and their ways through the tree, in the order of their key hashes. */
export async function proveItems(
  store: ProofReader,
  view: LedgerView,
  tree: TreeOfBlock,
  keys: readonly Uint8Array[],
): Promise<StateItems> {
  const slices = new Slices();
  const values: (Uint8Array | undefined)[] = [];
  const proofs: StateProof[] = [];
  const prover = { store, view, tree };
  for (let at = 0; at < keys.length; at += RUN) {
    const some = keys.slice(at, at + RUN);
    for (const item of await view.getItems(some, tree.end.version)) {
      // Stored bytes are valid only until the view is released.
      values.push(item?.value && new Uint8Array(item.value));
    }
    await withView(store.openRawView(), async (raw) => {
      for (const [i, key] of some.entries()) {
        const isTime = key === TIME_KEYS[0];
        const known = isTime ? timeProofs.get(tree) : undefined;
        const proof = known ?? (await proveItem({ ...prover, raw }, key, values[at + i]));
        if (isTime) timeProofs.set(tree, proof);
        proofs.push(proof);
        const pause = slices.pause();
        if (pause !== undefined) await pause;
      }
    });
  }
  return joinStateProofs(keys, values, proofs);
}

interface ItemProver {
  readonly store: ProofReader;
  readonly view: LedgerView;
  readonly tree: TreeOfBlock;
  /** Reads the nodes, where somebody else opened it. */
  readonly raw?: StoreView;
}

/** The way of an item with a value, or of an absent one, through the tree. */
export async function proveItem(
  { store, view, tree: { height, end, stateRoot, tree }, raw }: ItemProver,
  keyHash: Uint8Array,
  value: Uint8Array | undefined,
): Promise<StateProof> {
  let getNodes: NodeReader = raw === undefined ? tree.getNodes : tree.nodesIn(raw);
  for (let attempt = 1; ; attempt++) {
    try {
      const { leaf, siblings } = await readTreePath(keyHash, getNodes);
      const valueHash = value && stateValueHash(value);
      const proof = {
        leaf: leaf && {
          keyHash: leaf.keyHash,
          valueHash: valueHash ?? (await valueHashOf(view, leaf.keyHash, end.version)),
        },
        siblings: [...siblings],
      };
      checkStateProof(proof, stateRoot, keyHash, valueHash);
      return proof;
    } catch (error) {
      // A commit came since the view was opened.
      getNodes = new TreeAt(store, end.version).getNodes;
      if (attempt < ATTEMPTS) continue;
      // Pruned meanwhile, or damaged.
      if ((await loadBlockEnd(store, height)) === undefined) throw outsideWindow(end.version);
      throw error;
    }
  }
}

export function stateRootOf(info: Uint8Array): Uint8Array {
  const root = decodeWith(transactionInfoCodec, info).stateCheckpointHash;
  if (root === undefined) throw new LedgerError("corrupt", "the end of a block has no state root");
  return root;
}

/** The value hash of another item, which a proof of absence ends in. */
async function valueHashOf(view: LedgerView, keyHash: Uint8Array, version: bigint): Promise<Uint8Array> {
  const [item] = await view.getItems([keyHash], version);
  if (item?.value === undefined) {
    throw new LedgerError("corrupt", "the state tree has an item that the store lacks");
  }
  return stateValueHash(item.value);
}
