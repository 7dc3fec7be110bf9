// Finds the blocks of many versions of one view. A ledger makes blocks at a steady pace, so a guess by proportion from a
// block that is known is nearly always right or next to it, where halving takes a read for each doubling of the ledger.
import { blockOf } from "./read-point.ts";
import type { Block, LedgerView } from "./view.ts";

/** Guesses before halving does it. */
const MAX_GUESSES = 6;

/** Blocks of one view. Cheapest for versions that rise. */
export class BlockFinder {
  readonly #view: LedgerView;
  #last: Block | undefined;

  constructor(view: LedgerView) {
    this.#view = view;
  }

  /** The block of a version that the view has. */
  async find(version: bigint): Promise<Block> {
    const block = (await this.#guess(version)) ?? (await blockOf(this.#view, version));
    this.#last = block;
    return block;
  }

  async #guess(version: bigint): Promise<Block | undefined> {
    const { position } = this.#view;
    let below = this.#last;
    if (below === undefined || version < below.firstVersion) return undefined;
    if (version <= below.lastVersion) return below;
    let above = { height: position.blockHeight + 1n, firstVersion: position.version + 1n };
    for (let guesses = 0; guesses < MAX_GUESSES; guesses++) {
      const [blocks, versions] = [
        above.height - below.height - 1n,
        above.firstVersion - below.lastVersion - 1n,
      ];
      if (blocks < 1n || versions < 1n) return undefined;
      const height: bigint = below.height + 1n + ((version - below.lastVersion - 1n) * blocks) / versions;
      const block = await this.#view.getBlockByHeight(height);
      if (block === undefined) return undefined;
      if (version > block.lastVersion) below = block;
      else if (version < block.firstVersion) above = block;
      else return block;
    }
    return undefined;
  }
}
