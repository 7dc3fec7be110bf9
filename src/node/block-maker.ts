// Makes the blocks of a local chain on top of the ledger's head, and commits them like the records of any other source.
import { ConfigError, errorText } from "../base/errors.ts";
import { toPrefixedHex } from "../base/hex.ts";
import type { Logger } from "../base/log.ts";
import { USEC_PER_MS, USEC_PER_SEC } from "../base/numbers.ts";
import { formatTime, YEAR_10000_SECS } from "../base/texts/time-text.ts";
import { nextTurn, pause } from "../base/wait.ts";
import { BcsError } from "../bcs/errors.ts";
import type { AuthoredChange } from "../chain/authoring.ts";
import type { AuthoredBlock, BlockBase, MadeBlock } from "../chain/block.ts";
import type { BlockSource } from "../chain/local-chain.ts";
import { Mempool } from "../chain/mempool.ts";
import type { Submitted } from "../chain/submission/submitted.ts";
import { SubmittedFault, type SubmittedQueue } from "../chain/take-submitted.ts";
import { LedgerError } from "../ledger/errors.ts";
import { decodeRecord } from "../ledger/formats/record.ts";
import type { ExecutionStatus } from "../ledger/formats/transaction-info.ts";
import type { Position } from "../ledger/position.ts";
import { type LedgerPosition, type LedgerView, withView } from "../ledger/view.ts";
import type { Address } from "../move/address.ts";
import type { Store } from "../store/contract.ts";
import { isPassingFault } from "../store/errors.ts";
import type { Committer } from "../sync/committer.ts";
import type { Faults } from "./faults.ts";
import type { LocalChainOptions } from "./options/local-chain-options.ts";

/** 2024-01-01: start of the clock of a chain that does not use the wall clock. */
const FIRST_BLOCK_USEC = 1_704_067_200_000_000n;
const BLOCK_STEP_USEC = USEC_PER_SEC;
/** Pause before a block that failed is tried again. */
const RETRY_MS = 1000;

function wallClockUsec(): bigint {
  return BigInt(Date.now()) * USEC_PER_MS;
}

/** What the times of blocks follow: the wall clock, or a clock that steps with each block. */
export type ChainClock = "wall" | "stepping";

export function chainClockOf({ blockTimeMs, seed }: LocalChainOptions = {}): ChainClock {
  const isOnWallClock = blockTimeMs === undefined ? seed === undefined : blockTimeMs > 0;
  return isOnWallClock ? "wall" : "stepping";
}

/** The time of the block after the one at `last`, when the chain's clock says `now`. */
export function blockTimeAfter(last: bigint, clock: ChainClock, now: bigint = wallClockUsec()): bigint {
  if (clock === "stepping") return last === 0n ? FIRST_BLOCK_USEC : last + BLOCK_STEP_USEC;
  // A wall clock that was set back must not stop the chain.
  return now > last ? now : last + 1n;
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

/** One block. */
interface Produced {
  readonly position: Position;
  readonly records: readonly Uint8Array[];
  /** As in MadeBlock. */
  readonly hasMore: boolean;
}

/** What became of a transaction. */
export interface Settled {
  readonly hash: string;
  readonly version: bigint | undefined;
  readonly status: ExecutionStatus | undefined;
}

/** What a block takes from resources that the owner of a chain may set, as the verifier names it. */
const FROM_STATE: readonly unknown[] = ["block height", "block epoch", "block time", "new epoch", "chain id"];

/**
 * A block that is refused because of what the chain's owner set is not written, and must not end the node. One with a wrong
 * hash or root must: then this node makes or checks blocks wrongly.
 */
async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isOfState =
      error instanceof BcsError ||
      (error instanceof LedgerError && FROM_STATE.includes(error.details?.field));
    if (!isOfState) throw error;
    throw new LedgerError("unavailable", `the next block is refused: ${error.message}`, { cause: error });
  }
}

/** Makes blocks, by a timer or one at a time. */
export class BlockMaker {
  /** Transactions that wait for a block. */
  readonly mempool: Mempool;
  /** For another ledger in the place of this one. Call it between two blocks. */
  readonly forgetClockAndMempool: () => void;
  readonly #options: BlockMakerOptions;
  readonly #clock: ChainClock;
  readonly #stop = new AbortController();
  /** Settles when no more blocks are made by the block time. */
  #moving: Promise<void> = Promise.resolve();
  #isMoving = false;
  /** How far the chain's clock is ahead of the wall clock; undefined until the first look at the ledger. */
  #aheadUsec: bigint | undefined;
  #soon: Promise<void> | undefined;
  /** Settles when every requested block is made or has failed. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: BlockMakerOptions) {
    this.#options = options;
    this.#clock = chainClockOf(options.settings);
    const isPrompt = options.settings?.blockOnSubmit === true;
    this.mempool = new Mempool({}, isPrompt ? () => this.#blockSoon() : undefined);
    this.forgetClockAndMempool = this.keepClockAndMempool();
  }

  /** Makes blocks for what was submitted in this turn of the event loop, until none of it can run. */
  #blockSoon(): void {
    this.#soon ??= nextTurn("writer").then(async () => {
      this.#soon = undefined;
      const drain = async (): Promise<void> => {
        while (this.mempool.count > 0 && (await this.exclusively(() => this.#produce())).hasMore);
      };
      await drain().catch((error: unknown) => this.#report(error));
    });
  }

  /** Reports a failed block; returns true if it should be tried again. */
  #report(error: unknown): boolean {
    return !this.#stop.signal.aborted && this.#options.faults.report("blocks", error);
  }

  /** True while blocks are made at a steady pace. */
  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** Starts to make blocks at a steady pace, if a block time is set. */
  start(): void {
    const { blockTimeMs } = this.#options.settings ?? {};
    if (blockTimeMs === undefined) return;
    this.#isMoving = true;
    const moving = this.#move(blockTimeMs).catch((error: unknown) => void this.#report(error));
    this.#moving = moving.finally(() => {
      this.#isMoving = false;
    });
  }

  /** Makes blocks until the chain stops, one fails for good, or there are as many as were asked for. */
  async #move(blockTimeMs: number): Promise<void> {
    const { blocks = Number.POSITIVE_INFINITY, onBlock } = this.#options.settings ?? {};
    const { signal } = this.#stop;
    for (let made = 0; made < blocks && !signal.aborted; ) {
      const started = performance.now();
      try {
        await this.produce();
      } catch (error) {
        if (!this.#report(error)) return;
        await pause(RETRY_MS, signal);
        continue;
      }
      made++;
      onBlock?.(made);
      // Without a pause `exclusively` leaves a turn to requests and the pruner.
      await pause(blockTimeMs - (performance.now() - started), signal);
    }
  }

  /**
   * Makes one block by the chain's clock, and returns the new position. Concurrent calls run one after the other, because
   * each block builds on the last.
   */
  produce(): Promise<Position> {
    return this.exclusively(async () => (await this.#produce()).position);
  }

  /** Runs a step between two blocks. Rejects once the chain stops, so that a caller who makes many blocks ends. */
  async exclusively<T>(step: () => Promise<T>): Promise<T> {
    if (this.#stop.signal.aborted) throw new LedgerError("unavailable", "the node is closed");
    const turn = this.#turn.then(step);
    // A block in memory may be made without leaving the current turn of the event loop; requests need one before the next.
    this.#turn = turn.catch(() => {}).then(() => nextTurn("writer"));
    return turn;
  }

  /** The time that the next block on top of a ledger has. */
  nextTimeUsec({ timestampUsec: last }: Pick<LedgerPosition, "timestampUsec">): bigint {
    return blockTimeAfter(last, this.#clock, this.#nowUsec(last));
  }

  /** What the chain's clock says, which may be before the last block. */
  #nowUsec(last: bigint): bigint {
    if (this.#clock === "stepping") return last;
    const wallUsec = wallClockUsec();
    // A chain whose clock was set ahead goes on from its last block after a restart.
    this.#aheadUsec ??= last < wallUsec ? 0n : last + 1n - wallUsec;
    return wallUsec + this.#aheadUsec;
  }

  async #produce(atUsec?: bigint): Promise<Produced> {
    const { chain, settings } = this.#options;
    const { mempool } = this;
    for (;;) {
      const settled: [Submitted, { readonly isIncluded: boolean }][] = [];
      try {
        const { position, block } = await this.#commit(atUsec, (base) => {
          mempool.expire(base.timestampUsec / USEC_PER_SEC);
          const submitted: SubmittedQueue = {
            waiting: mempool.inOrder(),
            faucet: chain.submissions.faucet,
            settle: (one, outcome) => settled.push([one, outcome]),
          };
          return chain.produceBlock({ ...base, submitted, traffic: settings?.traffic });
        });
        for (const [submitted, outcome] of settled) mempool.settle(submitted, outcome);
        return { position, records: block?.records ?? [], hasMore: block?.hasMore === true };
      } catch (error) {
        if (!(error instanceof SubmittedFault)) throw error;
        if (isPassingFault(error.cause)) throw error.cause;
        this.#drop(error);
      }
    }
  }

  /**
   * Submits transactions and makes blocks until each is in one, or the chain refused it: then it has no version. What
   * waits of `before` gets its blocks first. Throws LedgerError `unavailable`, with none of them waiting any more, if a
   * block cannot take them now: their state may be on a network that is out of reach.
   */
  submitNow(submit: () => Promise<readonly string[]>, before?: Address): Promise<readonly Settled[]> {
    return this.exclusively(async () => {
      if (before !== undefined && this.mempool.hasOf(before)) while ((await this.#produce()).hasMore);
      const hashes = await submit();
      const waiting = (): Uint8Array[] =>
        hashes
          .map((hash) => Buffer.from(hash.slice(2), "hex"))
          .filter((hash) => this.mempool.get(hash) !== undefined);
      const found = new Map<string, Settled>();
      try {
        for (let hasMore = true; hasMore && waiting().length > 0; ) {
          const made = await this.#produce();
          ({ hasMore } = made);
          for (const record of made.records) {
            const { version, info } = decodeRecord(record);
            const hash = toPrefixedHex(info.transactionHash);
            found.set(hash, { hash, version, status: info.status });
          }
        }
        if (waiting().length > 0) {
          throw new LedgerError("unavailable", "no block can take the transaction just now: try again");
        }
      } finally {
        for (const hash of waiting()) this.mempool.remove(hash);
      }
      return hashes.map((hash) => found.get(hash) ?? { hash, version: undefined, status: undefined });
    });
  }

  /** Makes a block at a time, which must be after the last block's, and lets the clock go on from there. */
  setTime(timeUsec: bigint): Promise<Position> {
    return this.exclusively(() => this.#setTime(timeUsec));
  }

  /** As `setTime`, by a time after the last block's, or after the clock's where that is later. */
  advanceTime(byUsec: bigint): Promise<Position> {
    return this.exclusively(async () => {
      const { timestampUsec: last } = await this.#position();
      const now = this.#nowUsec(last);
      const isLate = now > last;
      return this.#setTime((isLate ? now : last) + byUsec);
    });
  }

  async #setTime(timeUsec: bigint): Promise<Position> {
    let position = await this.#position();
    if (timeUsec <= position.timestampUsec) {
      throw new ConfigError(
        `time: the chain's clock never goes back: expected a time after ${formatTime(position.timestampUsec)}, got ${formatTime(timeUsec)}`,
      );
    }
    if (timeUsec >= YEAR_10000_SECS * USEC_PER_SEC)
      throw new ConfigError("time: expected one before the year 10000");
    // A block without a proposer repeats the time of the one before.
    while (position.timestampUsec < timeUsec) ({ position } = await this.#produce(timeUsec));
    this.#aheadUsec = timeUsec - wallClockUsec();
    return position;
  }

  /** Makes a block of changes, and one that ends the epoch before it where one is due. */
  author(changes: readonly AuthoredChange[]): Promise<AuthoredBlock["transactions"]> {
    return this.exclusively(async () => {
      for (;;) {
        const made = await this.#commit(undefined, (base) => this.#options.chain.authorBlock(base, changes));
        this.mempool.forgetSequenceNumbers();
        if (made.block !== undefined) return made.block.transactions;
        await this.#produce();
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

  #position(): Promise<Position> {
    return withView(this.#options.store.openView(), ({ position }) => position);
  }

  /** Makes and commits a block, at a time or by the clock; none if `make` returns none. */
  async #commit<B extends Pick<MadeBlock, "records" | "signed">>(
    atUsec: bigint | undefined,
    make: (base: BlockBase) => Promise<B | undefined>,
  ): Promise<{ readonly position: Position; readonly block: B | undefined }> {
    const { store, committer, faults, onCommit, viewOver = (same) => same } = this.#options;
    const view = await store.openView();
    let block: B | undefined;
    try {
      block = await orUnavailable(
        make({
          position: view.position,
          view: viewOver(view),
          getTreeNodes: (keys) => store.getTreeNodes(keys),
          timestampUsec: atUsec ?? this.nextTimeUsec(view.position),
        }),
      );
    } finally {
      view.release();
    }
    if (block === undefined) return { position: view.position, block };
    const position = await orUnavailable(committer.append(block.records, undefined, block.signed));
    if (position === undefined) throw new Error("a block was committed, but there is no ledger");
    onCommit(block.records.length);
    faults.clear("blocks");
    return { position, block };
  }

  /** One transaction must not stop the chain: the next block is made without it. */
  #drop({ submitted, cause }: SubmittedFault): void {
    this.mempool.remove(submitted.hash);
    const hash = toPrefixedHex(submitted.hash);
    this.#options.logger.error(
      { hash, err: cause },
      "a submitted transaction could not be run and is dropped",
    );
  }

  /** Ends after the blocks that were asked for, and after one more for the transactions that wait. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#moving;
    await this.#turn;
    this.mempool.close();
    await this.#makeLastBlocks();
  }

  /** Clients were told that these transactions are accepted: only a ledger that ends with the process may forget them. */
  async #makeLastBlocks(): Promise<void> {
    const { store, logger } = this.#options;
    if (store.copies !== undefined) return;
    try {
      while (this.mempool.count > 0 && (await this.#produce()).hasMore);
    } catch (error) {
      logger.error({ err: errorText(error) }, "the last block could not be made");
    }
    const { count } = this.mempool;
    if (count > 0) logger.warn({ count }, "no block could take all transactions: those that waited are lost");
  }
}
