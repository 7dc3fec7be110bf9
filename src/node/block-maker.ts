// Makes the blocks of a local chain on top of the ledger's head, and commits them like the records of any other source.
import { DAY_MS, type NumberSettings } from "../base/settings.ts";
import type { MadeBlock } from "../chain/block.ts";
import { type BlockTimer, startBlockTimer } from "../chain/block-timer.ts";
import type { BlockSource } from "../chain/local-chain.ts";
import { Mempool } from "../chain/mempool.ts";
import type { Submitted } from "../chain/submission/submitted.ts";
import type { Position } from "../ledger/position.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { Store } from "../store/contract.ts";
import { isPassingFault } from "../store/errors.ts";
import type { Committer } from "../sync/committer.ts";
import type { Faults } from "./faults.ts";
import type { LocalChainOptions } from "./options.ts";

/** 2024-01-01: start of the clock of a chain that does not use the wall clock. */
const FIRST_BLOCK_USEC = 1_704_067_200_000_000n;
const BLOCK_STEP_USEC = 1_000_000n;

export const LOCAL_CHAIN_NUMBERS = {
  /**
   * Time between blocks; 0 makes them as fast as possible, on a clock of their own, so that the ledger depends on the
   * seed alone. Left out, only `produceBlock` makes blocks, on that same clock.
   */
  blockTimeMs: { fallback: undefined, min: 0, max: 24 * DAY_MS },
  /** Time between changes of epoch; left out, ten minutes, or that of the ledger if it exists. */
  epochTimeMs: { fallback: undefined, min: 1, max: 24 * DAY_MS },
  /** Stops after this many blocks; never when left out. */
  blocks: { fallback: undefined, min: 0, max: 1_000_000_000 },
} as const satisfies NumberSettings;

export interface BlockMakerOptions {
  readonly store: Store;
  readonly chain: BlockSource;
  /** Adds the state below a ledger that does not have all of it. */
  readonly viewOver?: ((view: LedgerView) => LedgerView) | undefined;
  readonly committer: Committer;
  readonly faults: Faults;
  readonly onCommit: (records: number) => void;
  readonly settings: LocalChainOptions | undefined;
}

/** Makes blocks, by a timer or one at a time. */
export class BlockMaker {
  /** Transactions that wait for a block. */
  readonly mempool: Mempool = new Mempool();
  readonly #options: BlockMakerOptions;
  #timer: BlockTimer | undefined;
  /** Settles when every requested block is made or has failed. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: BlockMakerOptions) {
    this.#options = options;
  }

  /** True while blocks are made by a timer. */
  get isMoving(): boolean {
    return this.#timer?.isMoving === true;
  }

  /** Starts the block timer, if a block time is set. */
  start(): void {
    const { faults } = this.#options;
    const { blockTimeMs, blocks, onBlock } = this.#options.settings ?? {};
    if (blockTimeMs === undefined) return;
    this.#timer = startBlockTimer({
      produce: async () => {
        await this.produce(blockTimeMs === 0 ? undefined : Date.now());
      },
      blockTimeMs,
      mayPass: (error) => isPassingFault(error) && faults.report("blocks", error),
      onFault: (error) => faults.report("blocks", error),
      blocks,
      onBlock,
    });
  }

  /**
   * Makes one block at the given wall time, or one step after the last block, and returns the new position. Concurrent
   * calls run one after the other, because each block builds on the last.
   */
  produce(nowMs: number | undefined): Promise<Position> {
    const block = this.#turn.then(() => this.#produce(nowMs));
    this.#turn = block.catch(() => {});
    return block;
  }

  async #produce(nowMs: number | undefined): Promise<Position> {
    const { store, chain, committer, faults, onCommit, viewOver = (same) => same } = this.#options;
    const view = await store.openView();
    let made: MadeBlock;
    const settled: Submitted[] = [];
    try {
      const last = view.position.timestampUsec;
      const stepped = last === 0n ? FIRST_BLOCK_USEC : last + BLOCK_STEP_USEC;
      const now = nowMs === undefined ? stepped : BigInt(nowMs) * 1000n;
      made = await chain.produceBlock({
        position: view.position,
        view: viewOver(view),
        getTreeNodes: (keys) => store.getTreeNodes(keys),
        submitted: {
          waiting: this.mempool.inOrder(),
          faucet: chain.submissions.faucet,
          settle: (submitted) => settled.push(submitted),
        },
        // A clock that was set back must not stop the chain.
        timestampUsec: now > last ? now : last + 1n,
      });
    } finally {
      view.release();
    }
    const { records, signed } = made;
    const position = await committer.append(records, undefined, signed);
    if (position === undefined) throw new Error("a block was committed, but there is no ledger");
    for (const { hash } of settled) this.mempool.remove(hash);
    onCommit(records.length);
    faults.clear("blocks");
    return position;
  }

  /** Stops the timer and waits for the requested blocks. */
  async stop(): Promise<void> {
    await this.#timer?.stop();
    await this.#turn;
  }
}
