// The writing side of a node: begins the ledger, commits records from its source, prunes. A node that becomes the writer
// again makes a new LedgerWriter.
import { equalBytes } from "../base/bytes.ts";
import { ConfigError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { Slices } from "../base/wait.ts";
import { BcsReader } from "../bcs/reader.ts";
import type { GenesisCheck } from "../ledger/formats/genesis.ts";
import { type RecordSpans, readRecord, recordCodec } from "../ledger/formats/record.ts";
import { transactionInfoHash } from "../ledger/formats/transaction-info.ts";
import { FORKED, LOCAL, TRUSTED, type TrustLevel } from "../ledger/trust.ts";
import { type LedgerPosition, type LedgerView, withView } from "../ledger/view.ts";
import type { CommitBatch, Store, StoreCopies, StoreCopy } from "../store/contract.ts";
import { isPassingFault } from "../store/errors.ts";
import { createMemoryStore } from "../store/memory/store.ts";
import { Committer } from "../sync/committer.ts";
import { loadPinFor } from "../sync/fork/pin.ts";
import { bootstrapGenesis } from "../sync/genesis.ts";
import { IndexBuilder } from "../sync/index-builder.ts";
import { keepAccumulator } from "../sync/maintenance/kept-accumulator.ts";
import type { ProofWindow, PruneWindow } from "../sync/maintenance/prune-window.ts";
import { Pruner } from "../sync/maintenance/pruner.ts";
import { clearProofHistory, ProofHistory } from "../sync/proofs/proof-history.ts";
import { loadPosition } from "../sync/reading.ts";
import { assertNotHalfFetched, assertNotHalfRewound } from "../sync/side-rows.ts";
import { keepGenesisLedgerInfo } from "../sync/signatures/signed-rows.ts";
import type { IndexProgress } from "../sync/store-writer.ts";
import { BlockMaker } from "./block-maker.ts";
import type { Faults } from "./faults.ts";
import type { Following } from "./following/following.ts";
import type { Forking, ForkPlan } from "./following/forking.ts";
import type { LocalChainOptions } from "./options/local-chain-options.ts";
import type { StartPlan } from "./start-plan.ts";
import type { VerifierStarter } from "./store-engine.ts";

export interface WriterOptions {
  readonly store: Store;
  /** Starts a process that verifies pages for a follower, where the engine has one. */
  readonly startVerifier?: VerifierStarter | undefined;
  readonly plan: StartPlan;
  readonly localChain: LocalChainOptions | undefined;
  readonly window: PruneWindow;
  /** How far back proofs can be made; `off`, the default, keeps nothing for them. */
  readonly proofWindow?: ProofWindow | undefined;
  /** False writes no index of items, or of transactions. */
  readonly index?: boolean | undefined;
  readonly transactionIndex?: boolean | undefined;
  readonly faults: Faults;
  readonly onCommit: (records: number) => void;
  /** Called with every batch, after its commit. */
  readonly onBatch?: ((batch: CommitBatch) => void) | undefined;
  readonly logger: Logger;
}

/** A copy of a chain in memory. */
export interface ChainCopy {
  readonly ledger: StoreCopy;
  /** Puts back the clock and the mempool. */
  readonly restoreChain: () => void;
}

/** Parts that report transient faults, which a stopped writer clears. */
const PARTS = ["blocks", "following", "index", "pruner"] as const;

export class LedgerWriter {
  readonly #options: WriterOptions;
  readonly #stop = new AbortController();
  #preparing: Promise<void> = Promise.resolve();
  #following: Following | undefined;
  #forking: Forking | undefined;
  #blocks: BlockMaker | undefined;
  #committer: Committer | undefined;
  /** A ledger in memory before its first block of its own. */
  #beginning: StoreCopy | undefined;
  #indexBuilder: IndexBuilder | undefined;
  #pruner: Pruner | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get following(): Following | undefined {
    return this.#following;
  }

  get forking(): Forking | undefined {
    return this.#forking;
  }

  get blocks(): BlockMaker | undefined {
    return this.#blocks;
  }

  /** The cache of state-tree nodes; undefined before the ledger begins. */
  get treeCache(): ReturnType<Committer["treeCache"]> | undefined {
    return this.#committer?.treeCache();
  }

  /** How much of the ledger is indexed; undefined without an index. */
  get indexProgress(): IndexProgress | undefined {
    return this.#indexBuilder?.progress;
  }

  /** Rows that this writer pruned. */
  get prunedRows(): number {
    return this.#pruner?.removed ?? 0;
  }

  /** Begins the ledger, or starts to follow one. */
  prepare(): Promise<void> {
    this.#preparing = this.#prepare();
    return this.#preparing;
  }

  async #prepare(): Promise<void> {
    const { store, startVerifier, plan, faults, onCommit, onBatch, logger, localChain } = this.#options;
    const { genesis } = plan;
    const chain = plan.chain ?? plan.fork?.chain;
    await assertNotHalfRewound(store);
    if (plan.follow?.isStateWhole !== true) await assertNotHalfFetched(store);
    if (plan.fork === undefined) await loadPinFor(store, undefined);
    else await this.#startFork(plan.fork);
    const madeHere = plan.fork === undefined ? LOCAL : FORKED;
    const committer = await this.#committerOf(store, chain === undefined ? TRUSTED : madeHere, onBatch);
    this.#committer = committer;
    if (genesis !== undefined) await bootstrapGenesis({ store, committer, check: genesis });
    if (this.#stop.signal.aborted) return;
    if (chain !== undefined) {
      if (plan.fork === undefined) await keepGenesisLedgerInfo(store);
      const viewOver = (view: LedgerView): LedgerView => this.#forking?.viewOver(view) ?? view;
      this.#blocks = new BlockMaker({
        store,
        chain,
        viewOver,
        committer,
        faults,
        onCommit,
        settings: localChain,
        logger,
      });
      this.#beginning = store.copies?.take();
      // Later starts find the accounts as their owners left them.
      const isNew = this.#forking?.isNew ?? (await loadPosition(store))?.version === 0n;
      if (isNew && plan.accounts.length > 0) await this.#blocks.author(plan.accounts);
    }
    if (plan.follow === undefined) {
      // Stored, so that later readers of the store know the proof. A local chain proves nothing.
      if (chain === undefined && plan.genesisWaypoint !== undefined)
        await committer.noteMatchedWaypoint(plan.genesisWaypoint);
      return;
    }
    const { Following } = await import("./following/following.ts");
    const following = new Following(plan.follow, {
      store,
      committer,
      startVerifier,
      logger,
      onCommit: ({ records }) => {
        onCommit(records);
        faults.clear("following");
      },
      onRest: () => faults.clear("following"),
      onFault: (error) => faults.report("following", error),
      mayPass: (error) => {
        const mayPass = isPassingFault(error);
        if (mayPass) faults.report("following", error);
        return mayPass;
      },
    });
    this.#following = following;
    await following.start(plan.genesisWaypoint);
  }

  async #startFork(plan: ForkPlan): Promise<void> {
    const { store, logger, index: items = true, transactionIndex: transactions = true } = this.#options;
    const { Forking } = await import("./following/forking.ts");
    if (this.#stop.signal.aborted) return;
    this.#forking = new Forking(plan, { store, logger, indexes: { items, transactions } });
    await this.#forking.start();
  }

  async #committerOf(
    store: Store,
    level: TrustLevel,
    onCommit?: (batch: CommitBatch) => void,
  ): Promise<Committer> {
    const { plan, logger, index, transactionIndex } = this.#options;
    return new Committer({
      store,
      logger,
      level,
      index,
      indexesPart: plan.fork !== undefined,
      transactionIndex,
      history: await this.#proofHistory(store),
      bounds: plan.follow?.options,
      onCommit,
    });
  }

  async #proofHistory(store: Store): Promise<ProofHistory | undefined> {
    const { proofWindow = { kind: "off" } } = this.#options;
    if (proofWindow.kind !== "off") return new ProofHistory(store, proofWindow);
    await clearProofHistory(store);
    return undefined;
  }

  /** Starts what writes beside the source: the index builder, then the pruner, and the block timer. */
  run(): void {
    if (this.#stop.signal.aborted) return;
    const { index = true, transactionIndex = true, logger, faults } = this.#options;
    const committer = this.#committer;
    if ((index || transactionIndex) && committer !== undefined) {
      this.#indexBuilder = new IndexBuilder({
        committer,
        logger,
        onFault: (error) => faults.report("index", error),
        onSuccess: () => faults.clear("index"),
      });
    }
    // The index is built from records, so none may be pruned before.
    void (this.#indexBuilder?.ended ?? Promise.resolve()).then(() => this.#startPruner());
    this.#blocks?.start();
  }

  #startPruner(): void {
    if (this.#stop.signal.aborted) return;
    const { store, window, logger, faults } = this.#options;
    this.#pruner = new Pruner({
      store,
      window,
      logger,
      beforePrune: (floor, signal) => keepAccumulator(store, floor, signal),
      onFault: (error) => faults.report("pruner", error),
      onSuccess: () => faults.clear("pruner"),
    });
  }

  /** Copies the ledger with what the chain holds besides it. Throws ConfigError unless both are in memory. */
  async snapshot(): Promise<ChainCopy> {
    const { blocks, copies } = this.#inMemory();
    return blocks.exclusively(async () => {
      const [ledger, restoreChain] = [copies.take(), blocks.keepClockAndMempool()];
      return { ledger, restoreChain };
    });
  }

  /** Puts a copy back between two blocks, and calls `onBack` with the position after. */
  async revert(copy: ChainCopy, onBack: (to: LedgerPosition) => void): Promise<void> {
    const { blocks, copies } = this.#inMemory();
    await this.#indexBuilder?.ended;
    await blocks.exclusively(async () => {
      // A pruner at work would prune by the ledger that it looked at.
      const pruner = this.#pruner;
      await pruner?.stop();
      await this.#committer?.replaceContent(() => copies.restore(copy.ledger));
      copy.restoreChain();
      onBack((await loadPosition(this.#options.store)) ?? copy.ledger.position);
      if (pruner !== undefined) this.#startPruner();
    });
  }

  /**
   * Puts the ledger of a page of records, from where this chain began, in the place of the chain's, as `revert` does. Checks
   * every hash before, and every root where there are some. Throws BcsError, LedgerError and ConfigError.
   */
  async load(page: Uint8Array, onBack: (to: LedgerPosition) => void): Promise<StoreCopy> {
    const { blocks } = this.#inMemory();
    const { plan } = this.#options;
    const store = createMemoryStore();
    const copies = store.copies as StoreCopies;
    copies.restore(this.#beginning as StoreCopy);
    const committer = await this.#committerOf(store, plan.fork === undefined ? LOCAL : FORKED);
    for await (const block of blocksOf(page, plan.genesis)) {
      const signed = await withView(store.openView(), (view) => plan.chain?.signAgain(view, block));
      await committer.append(
        block.map(({ bytes }) => bytes),
        undefined,
        signed,
      );
    }
    if ((await committer.heldBack()).length > 0) throw new ConfigError("the last block has no end");
    const ledger = copies.take();
    await this.revert({ ledger, restoreChain: blocks.forgetClockAndMempool }, onBack);
    return ledger;
  }

  #inMemory(): { readonly blocks: BlockMaker; readonly copies: StoreCopies } {
    const [blocks, { copies }] = [this.#blocks, this.#options.store];
    if (blocks === undefined || copies === undefined) {
      throw new ConfigError(
        "snapshot: expected a node that makes its own blocks and keeps its ledger in memory (--store memory)",
      );
    }
    return { blocks, copies };
  }

  /** Finishes writes in flight and writes no more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    // First, so that no block waits for the network's answers.
    await this.#forking?.close();
    await this.#blocks?.stop();
    await this.#preparing.catch(() => {});
    await this.#following?.close();
    await this.#indexBuilder?.stop();
    await this.#pruner?.stop();
    for (const part of PARTS) this.#options.faults.forget(part);
  }
}

/** The blocks after genesis in a page of records, in slices. Throws BcsError, and ConfigError for another genesis. */
async function* blocksOf(
  page: Uint8Array,
  genesis: GenesisCheck | undefined,
): AsyncGenerator<readonly RecordSpans[]> {
  const reader = new BcsReader(page);
  const slices = new Slices("writer");
  let block: RecordSpans[] = [];
  for (let left = reader.count(recordCodec.minBytes); left > 0; left--) {
    await slices.pause();
    const record = readRecord(reader);
    if (record.version === 0n) {
      if (genesis === undefined || !equalBytes(transactionInfoHash(record.infoBytes), genesis.infoHash))
        throw new ConfigError(
          "it begins with another genesis: start this chain with the same seed, or genesis",
        );
      continue;
    }
    block.push(record);
    // Only the last record of a block has a state root.
    if (record.info.stateCheckpointHash === undefined) continue;
    yield block;
    block = [];
  }
  reader.finish();
  if (block.length > 0) yield block;
}
