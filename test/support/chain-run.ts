// Runs a local chain on a store: genesis, then blocks, all through the committer.
import { silentLogger } from "../../src/base/log.ts";
import type { MadeBlock } from "../../src/chain/block.ts";
import type { LocalChain } from "../../src/chain/local-chain.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import type { Position } from "../../src/ledger/position.ts";
import type { Store } from "../../src/store/contract.ts";
import { Committer } from "../../src/sync/committer.ts";
import { bootstrapGenesis } from "../../src/sync/genesis.ts";
import { parseProofWindow } from "../../src/sync/maintenance/prune-window.ts";
import { ProofHistory } from "../../src/sync/proofs/proof-history.ts";

/** 2024-01-01, one second before the first block. */
const START_USEC = 1_704_067_200_000_000n;
const STEP_USEC = 1_000_000n;

/** A chain on a store. */
export class ChainRun {
  readonly chain: LocalChain;
  readonly store: Store;
  readonly #committer: Committer;
  /** Added to the time of blocks: another time makes another history. */
  lateUsec = 0n;

  /** With a window it keeps what proofs need. */
  constructor(chain: LocalChain, store: Store, proofWindow?: string) {
    this.chain = chain;
    this.store = store;
    const history =
      proofWindow === undefined ? undefined : new ProofHistory(store, parseProofWindow(proofWindow));
    this.#committer = new Committer({ store, history, logger: silentLogger });
  }

  /** Commits a genesis, by default the chain's own. */
  async start(blob: Uint8Array = this.chain.genesisBlob()): Promise<this> {
    await bootstrapGenesis({ store: this.store, committer: this.#committer, check: checkGenesis(blob) });
    return this;
  }

  /** Makes and commits one block; returns its records. */
  async step(): Promise<readonly Uint8Array[]> {
    const { records, signed } = await this.#make();
    await this.#committer.append(records, undefined, signed);
    return records;
  }

  /** Commits records. */
  async append(records: readonly Uint8Array[]): Promise<void> {
    await this.#committer.append(records);
  }

  /** Makes the next block without committing it. */
  async make(): Promise<readonly Uint8Array[]> {
    return (await this.#make()).records;
  }

  async #make(): Promise<MadeBlock> {
    const view = await this.store.openView();
    try {
      const { position } = view;
      return await this.chain.produceBlock({
        position,
        view,
        getTreeNodes: (keys) => this.store.getTreeNodes(keys),
        timestampUsec: START_USEC + (position.blockHeight + 1n) * STEP_USEC + this.lateUsec,
      });
    } finally {
      view.release();
    }
  }

  /** Makes and commits several blocks; returns all their records. */
  async steps(count: number): Promise<Uint8Array[]> {
    const out: Uint8Array[] = [];
    for (let i = 0; i < count; i++) out.push(...(await this.step()));
    return out;
  }

  async position(): Promise<Position> {
    const view = await this.store.openView();
    view.release();
    return view.position;
  }
}
