// Makes the blocks of a local chain: takes the ledger as it stands, has the chain make the next block, and
// takes it in like any other source's.
import { type BlockTimer, startBlockTimer } from "../chain/block-timer.ts";
import type { LocalChain } from "../chain/local-chain.ts";
import type { Store } from "../store/contract.ts";
import { isPassingFault } from "../store/errors.ts";
import type { Committer } from "../sync/committer.ts";
import type { Faults } from "./faults.ts";
import type { LocalChainOptions } from "./options.ts";

/** 2024-01-01: where the clock of a chain without a wall clock begins. */
const FIRST_BLOCK_USEC = 1_704_067_200_000_000n;
const BLOCK_STEP_USEC = 1_000_000n;

/** What a block maker works with. */
export interface BlockMakerOptions {
  readonly store: Store;
  readonly chain: LocalChain;
  readonly committer: Committer;
  readonly faults: Faults;
  readonly onCommit: (records: number) => void;
  readonly settings: LocalChainOptions | undefined;
}

/** Makes blocks, by a timer or one at a time. */
export class BlockMaker {
  readonly #options: BlockMakerOptions;
  #timer: BlockTimer | undefined;

  constructor(options: BlockMakerOptions) {
    this.#options = options;
  }

  /** True once blocks are made by a timer. */
  get isMoving(): boolean {
    return this.#timer !== undefined;
  }

  /** Makes blocks at a steady pace from now on, where one is set. */
  start(): void {
    const { faults } = this.#options;
    const { blockTimeMs, blocks, onBlock } = this.#options.settings ?? {};
    if (blockTimeMs === undefined) return;
    this.#timer = startBlockTimer({
      produce: () => this.produce(blockTimeMs === 0 ? undefined : Date.now()),
      blockTimeMs,
      mayPass: (error) => isPassingFault(error) && faults.report("blocks", error),
      onFault: (error) => faults.report("blocks", error),
      ...(blocks === undefined ? {} : { blocks }),
      ...(onBlock === undefined ? {} : { onBlock }),
    });
  }

  /** Makes one block at the given wall time, or one step after the last. */
  async produce(nowMs: number | undefined): Promise<void> {
    const { store, chain, committer, faults, onCommit } = this.#options;
    const view = await store.openView();
    let records: readonly Uint8Array[];
    try {
      const last = view.position.timestampUsec;
      const stepped = last === 0n ? FIRST_BLOCK_USEC : last + BLOCK_STEP_USEC;
      const now = nowMs === undefined ? stepped : BigInt(nowMs) * 1000n;
      records = await chain.produceBlock({
        position: view.position,
        view,
        getTreeNodes: (keys) => store.getTreeNodes(keys),
        // A clock that was set back must not stop the chain.
        timestampUsec: now > last ? now : last + 1n,
      });
    } finally {
      view.release();
    }
    await committer.append(records);
    onCommit(records.length);
    faults.clear("blocks");
  }

  /** Waits for the block in hand and makes no more. */
  async stop(): Promise<void> {
    await this.#timer?.stop();
  }
}
