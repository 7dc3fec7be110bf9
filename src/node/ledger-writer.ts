// What a node does that may write: it begins the ledger, takes records in from its source, and prunes. A node can
// begin and stop writing several times; each time with a new one of these.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../base/log.ts";
import type { Store } from "../store/contract.ts";
import { Committer } from "../sync/committer.ts";
import { assertNotHalfCopied } from "../sync/copy/copy-mark.ts";
import { bootstrapGenesis } from "../sync/genesis.ts";
import type { PruneWindow } from "../sync/prune-window.ts";
import { Pruner } from "../sync/pruner.ts";
import { BlockMaker } from "./block-maker.ts";
import type { Faults } from "./faults.ts";
import { Following } from "./following.ts";
import type { LocalChainOptions } from "./options.ts";
import type { StartPlan } from "./start-plan.ts";

/** What a writer works with. */
export interface WriterOptions {
  readonly store: Store;
  readonly plan: StartPlan;
  readonly localChain: LocalChainOptions | undefined;
  readonly window: PruneWindow;
  readonly faults: Faults;
  readonly onCommit: (records: number) => void;
  readonly logger: Logger;
}

/** How long a start waits for the first records of a network before it goes on without. */
const FIRST_COMMIT_WAIT_MS = 10_000;

/** Parts of a node that can meet a fault that passes. */
const PARTS = ["blocks", "pruner"] as const;

/** The writing parts of a node. */
export class LedgerWriter {
  readonly #options: WriterOptions;
  readonly #stop = new AbortController();
  #preparing: Promise<void> = Promise.resolve();
  #following: Following | undefined;
  #blocks: BlockMaker | undefined;
  #committer: Committer | undefined;
  #pruner: Pruner | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get following(): Following | undefined {
    return this.#following;
  }

  get blocks(): BlockMaker | undefined {
    return this.#blocks;
  }

  /** Memory of the state tree's nodes; undefined before the ledger is begun. */
  get treeCache(): ReturnType<Committer["treeCache"]> | undefined {
    return this.#committer?.treeCache();
  }

  /** Rows that this writer pruned. */
  get prunedRows(): number {
    return this.#pruner?.state().removed ?? 0;
  }

  /** Makes sure that there is a ledger, or that one is on its way. */
  prepare(): Promise<void> {
    this.#preparing = this.#prepare();
    return this.#preparing;
  }

  async #prepare(): Promise<void> {
    const { store, plan, faults, onCommit, logger, localChain } = this.#options;
    const { check, chain } = plan;
    await assertNotHalfCopied(store);
    const committer = new Committer({ store, logger });
    this.#committer = committer;
    if (check !== undefined) await bootstrapGenesis({ store, committer, check });
    if (this.#stop.signal.aborted) return;
    if (chain !== undefined) {
      this.#blocks = new BlockMaker({ store, chain, committer, faults, onCommit, settings: localChain });
    }
    if (plan.follow === undefined) return;
    const following = new Following(plan.follow, {
      store,
      committer,
      logger,
      onCommit: ({ records }) => {
        onCommit(records);
        faults.clear("following");
      },
      onFault: (error) => faults.report("following", error),
      onWaiting: (error) => faults.report("following", error),
    });
    this.#following = following;
    await following.start(plan.proven);
    // An upstream that does not answer must not keep the node from starting.
    const { signal } = this.#stop;
    await Promise.race([
      following.ready,
      faults.stopped,
      sleep(FIRST_COMMIT_WAIT_MS, undefined, { ref: false, signal }).catch(() => {}),
    ]);
  }

  /** Starts what moves by itself. */
  run(): void {
    if (this.#stop.signal.aborted) return;
    const { store, window, logger, faults } = this.#options;
    this.#pruner = new Pruner({
      store,
      window,
      logger,
      onFault: (error) => faults.report("pruner", error),
      onSuccess: () => faults.clear("pruner"),
    });
    this.#blocks?.start();
  }

  /** Finishes what is in hand and writes no more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#blocks?.stop();
    await this.#preparing.catch(() => {});
    await this.#following?.close();
    await this.#pruner?.stop();
    for (const part of PARTS) this.#options.faults.forget(part);
  }
}
