// Makes the blocks of a local chain on top of the ledger's head, and commits them like the records of any other source.
import { setImmediate as nextTurn } from "node:timers/promises";
import { ConfigError } from "../base/errors.ts";
import { toPrefixedHex } from "../base/hex.ts";
import type { Logger } from "../base/log.ts";
import { DAY_MS, type NumberOptions, type NumberSettings } from "../base/settings.ts";
import { formatTime } from "../base/time-text.ts";
import type { AuthoredBlock, AuthoredChange } from "../chain/authored-block.ts";
import { type BlockBase, type MadeBlock, SubmittedFault, type SubmittedQueue } from "../chain/block.ts";
import { type BlockTimer, startBlockTimer } from "../chain/block-timer.ts";
import type { BlockSource } from "../chain/local-chain.ts";
import { Mempool } from "../chain/mempool.ts";
import type { Submitted } from "../chain/submission/submitted.ts";
import type { ExecutionStatus } from "../ledger/execution-status.ts";
import type { Position } from "../ledger/position.ts";
import { decodeRecord } from "../ledger/record.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { Store } from "../store/contract.ts";
import { isPassingFault } from "../store/errors.ts";
import type { Committer } from "../sync/committer.ts";
import type { Faults } from "./faults.ts";

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
  /** Port of the faucet; 0 picks a free one. Left out, there is none. */
  faucetPort: { fallback: undefined, min: 0, max: 65_535 },
  /** Port of the status that the official TypeScript SDK asks for after funding, as for the faucet. */
  statusPort: { fallback: undefined, min: 0, max: 65_535 },
  /** Stops after this many blocks; never when left out. */
  blocks: { fallback: undefined, min: 0, max: 1_000_000_000 },
} as const satisfies NumberSettings;

/** A chain that makes its own blocks. */
export interface LocalChainOptions extends NumberOptions<typeof LOCAL_CHAIN_NUMBERS> {
  /** The same seed gives the same ledger. */
  readonly seed?: string | undefined;
  /** False makes no random transactions of the demo accounts: they are then all yours. */
  readonly traffic?: boolean | undefined;
  /** Makes a block as soon as a transaction is submitted, without waiting for the block time. */
  readonly blockOnSubmit?: boolean | undefined;
  /** Called after each block with the number made since the start. */
  readonly onBlock?: ((made: number) => void) | undefined;
}

export interface BlockMakerOptions {
  readonly store: Store;
  readonly chain: BlockSource;
  /** Adds the state below a ledger that does not have all of it. */
  readonly viewOver?: ((view: LedgerView) => LedgerView) | undefined;
  readonly committer: Committer;
  readonly faults: Faults;
  readonly onCommit: (records: number) => void;
  readonly settings: LocalChainOptions | undefined;
  readonly logger: Logger;
}

/** What became of a transaction. */
export interface Settled {
  readonly hash: string;
  readonly version: bigint | undefined;
  readonly status: ExecutionStatus | undefined;
}

/** A mempool that tells when it takes a transaction. */
class PromptMempool extends Mempool {
  readonly #onAdd: () => void;

  constructor(onAdd: () => void) {
    super();
    this.#onAdd = onAdd;
  }

  override add(...added: Parameters<Mempool["add"]>): Submitted {
    const waiting = super.add(...added);
    this.#onAdd();
    return waiting;
  }
}

/** Makes blocks, by a timer or one at a time. */
export class BlockMaker {
  /** Transactions that wait for a block. */
  readonly mempool: Mempool;
  readonly #options: BlockMakerOptions;
  #timer: BlockTimer | undefined;
  /** How far the chain's clock is ahead of the wall clock. */
  #aheadUsec = 0n;
  #soon: Promise<void> | undefined;
  #isStopped = false;
  /** Settles when every requested block is made or has failed. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: BlockMakerOptions) {
    this.#options = options;
    this.mempool =
      options.settings?.blockOnSubmit === true ? new PromptMempool(() => this.#blockSoon()) : new Mempool();
  }

  /** Makes a block for what was submitted in this turn of the event loop. */
  #blockSoon(): void {
    const { faults } = this.#options;
    this.#soon ??= nextTurn().then(async () => {
      this.#soon = undefined;
      if (this.#isStopped || this.mempool.count === 0) return;
      await this.produceNow().catch((error: unknown) => void faults.report("blocks", error));
    });
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
    return this.exclusively(async () => (await this.#produce(nowMs)).position);
  }

  /** Makes one block by the clock that the timer uses. */
  produceNow(): Promise<Position> {
    return this.produce(this.#nowMs());
  }

  /** Runs a step between two blocks. */
  exclusively<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(step);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** The wall clock if the timer uses it, else undefined. */
  #nowMs(): number | undefined {
    return (this.#options.settings?.blockTimeMs ?? 0) > 0 ? Date.now() : undefined;
  }

  async #produce(
    nowMs: number | undefined,
    atLeastUsec = 0n,
  ): Promise<{ readonly position: Position; readonly records: readonly Uint8Array[] }> {
    const { chain, settings } = this.#options;
    const { mempool } = this;
    for (;;) {
      const settled: [Submitted, { readonly isIncluded: boolean }][] = [];
      try {
        const { position, block } = await this.#commit({ nowMs, atLeastUsec }, (base) => {
          mempool.expire(base.timestampUsec / 1_000_000n);
          const submitted: SubmittedQueue = {
            waiting: mempool.inOrder(),
            faucet: chain.submissions.faucet,
            settle: (one, outcome) => settled.push([one, outcome]),
          };
          return chain.produceBlock({ ...base, submitted, traffic: settings?.traffic });
        });
        for (const [submitted, outcome] of settled) mempool.settle(submitted, outcome);
        return { position, records: block?.records ?? [] };
      } catch (error) {
        if (!(error instanceof SubmittedFault)) throw error;
        if (isPassingFault(error.cause)) throw error.cause;
        this.#drop(error);
      }
    }
  }

  /** Submits transactions and makes blocks until each is in one, or the chain refused it: then it has no version. */
  submitNow(submit: () => Promise<readonly string[]>): Promise<readonly Settled[]> {
    return this.exclusively(async () => {
      const hashes = await submit();
      const found = new Map<string, Settled>();
      const isWaiting = (hash: string): boolean =>
        this.mempool.get(Buffer.from(hash.slice(2), "hex")) !== undefined;
      while (hashes.some(isWaiting)) {
        for (const record of (await this.#produce(this.#nowMs())).records) {
          const { version, info } = decodeRecord(record);
          const hash = toPrefixedHex(info.transactionHash);
          found.set(hash, { hash, version, status: info.status });
        }
      }
      return hashes.map((hash) => found.get(hash) ?? { hash, version: undefined, status: undefined });
    });
  }

  /** Makes a block at a time, which must be after the last block's, and lets the clock go on from there. */
  setTime(timeUsec: bigint): Promise<Position> {
    return this.exclusively(async () => {
      let position = await this.#position();
      if (timeUsec <= position.timestampUsec) {
        throw new ConfigError(
          `time: the chain's clock never goes back: expected a time after ${formatTime(position.timestampUsec)}, got ${formatTime(timeUsec)}`,
        );
      }
      // A block without a proposer repeats the time of the one before.
      while (position.timestampUsec < timeUsec) ({ position } = await this.#produce(undefined, timeUsec));
      const nowMs = this.#nowMs();
      if (nowMs !== undefined) this.#aheadUsec = timeUsec - BigInt(nowMs) * 1000n;
      return position;
    });
  }

  /** As `setTime`, by a time after the last block's, or after the clock's where that is later. */
  async advanceTime(byUsec: bigint): Promise<Position> {
    const { timestampUsec } = await this.#position();
    const nowMs = this.#nowMs();
    const now = nowMs === undefined ? 0n : BigInt(nowMs) * 1000n + this.#aheadUsec;
    const isLate = now > timestampUsec;
    return this.setTime(isLate ? now + byUsec : timestampUsec + byUsec);
  }

  /** Makes a block of changes, and one that ends the epoch before it where one is due. */
  author(changes: readonly AuthoredChange[]): Promise<AuthoredBlock["transactions"]> {
    return this.exclusively(async () => {
      const { chain } = this.#options;
      const nowMs = this.#nowMs();
      for (;;) {
        const made = await this.#commit({ nowMs, atLeastUsec: 0n }, (base) =>
          chain.authorBlock(base, changes),
        );
        if (made.block !== undefined) return made.block.transactions;
        await this.#produce(nowMs);
      }
    });
  }

  /** What a snapshot of the chain holds besides the ledger. Call it, and what it returns, between two blocks. */
  keepClockAndMempool(): () => void {
    const [aheadUsec, restoreMempool] = [this.#aheadUsec, this.mempool.keep()];
    return () => {
      this.#aheadUsec = aheadUsec;
      restoreMempool();
    };
  }

  async #position(): Promise<Position> {
    const view = await this.#options.store.openView();
    view.release();
    return view.position;
  }

  /** Makes and commits a block; none if `make` returns none. */
  async #commit<B extends Pick<MadeBlock, "records" | "signed">>(
    { nowMs, atLeastUsec }: { readonly nowMs: number | undefined; readonly atLeastUsec: bigint },
    make: (base: BlockBase) => Promise<B | undefined>,
  ): Promise<{ readonly position: Position; readonly block: B | undefined }> {
    const { store, committer, faults, onCommit, viewOver = (same) => same } = this.#options;
    const view = await store.openView();
    let block: B | undefined;
    try {
      const last = view.position.timestampUsec;
      const stepped = last === 0n ? FIRST_BLOCK_USEC : last + BLOCK_STEP_USEC;
      const clock = nowMs === undefined ? stepped : BigInt(nowMs) * 1000n + this.#aheadUsec;
      const now = atLeastUsec === 0n ? clock : atLeastUsec;
      block = await make({
        position: view.position,
        view: viewOver(view),
        getTreeNodes: (keys) => store.getTreeNodes(keys),
        // A clock that was set back must not stop the chain.
        timestampUsec: now > last ? now : last + 1n,
      });
    } finally {
      view.release();
    }
    if (block === undefined) return { position: view.position, block };
    const position = await committer.append(block.records, undefined, block.signed);
    if (position === undefined) throw new Error("a block was committed, but there is no ledger");
    onCommit(block.records.length);
    faults.clear("blocks");
    return { position, block };
  }

  /** One transaction must not stop the chain: the next block is made without it. */
  #drop({ submitted, cause }: SubmittedFault): void {
    this.mempool.remove(submitted.hash);
    const hash = toPrefixedHex(submitted.hash);
    this.#options.logger.error({ hash, cause }, "a submitted transaction could not be run and is dropped");
  }

  /** Stops the timer and waits for the requested blocks. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#soon;
    await this.#timer?.stop();
    await this.#turn;
  }
}
