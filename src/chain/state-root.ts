// The state root that the last transaction of a block carries.
import { updateStateTree } from "../ledger/state-tree/update.ts";
import { stateValueHash } from "../ledger/state-value.ts";
import type { BlockBase } from "./block.ts";
import { NO_ROOT } from "./record-writer.ts";
import type { StateChange } from "./working-state.ts";

/** State root after some changes; a fork has a part of the state only, so nobody can compute its root. */
export async function stateRootAfter(
  base: Pick<BlockBase, "position" | "getTreeNodes">,
  changes: Iterable<StateChange>,
): Promise<Uint8Array> {
  if (base.position.stateRoot === undefined) return NO_ROOT;
  const updates = Array.from(changes, ({ keyHash, value }) => ({
    keyHash,
    valueHash: value === undefined ? undefined : stateValueHash(value),
  }));
  return (await updateStateTree(base.getTreeNodes, updates)).root;
}
