// A local chain that goes back and makes other blocks, and every history that it had.
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { type Ledger, type LedgerView, withView } from "../../src/ledger/view.ts";
import { eventIdAt } from "../../src/ledger/watch/event-id.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { ChainRun } from "./chain-run.ts";

export class ForkedHistories implements Ledger {
  readonly store = createMemoryStore();
  #run = new ChainRun(createLocalChain({ seed: "histories" }), this.store);
  #late = 0n;
  /** By the id of a block's last version: the id of the block before it. */
  readonly before = new Map<string, string | undefined>();
  #ids: string[] = [];
  /** Views that were opened through this ledger, and what happens before one of them. */
  views = 0;
  #inject: { readonly at: number; readonly act: () => Promise<void> } | undefined;

  async start(): Promise<this> {
    await this.#run.start();
    await this.#note();
    return this;
  }

  get headId(): string {
    return this.#ids.at(-1) ?? "";
  }

  /** Acts once, right before the view of this number. */
  injectAt(at: number, act: () => Promise<void>): void {
    this.views = 0;
    this.#inject = { at, act };
  }

  async openView(): Promise<LedgerView> {
    const inject = this.#inject;
    if (++this.views === inject?.at) {
      this.#inject = undefined;
      await inject.act();
    }
    return this.store.openView();
  }

  get height(): number {
    return this.#ids.length - 1;
  }

  /** Makes blocks. Returns the latest version before them and now. */
  async grow(blocks: number): Promise<readonly [previous: bigint, version: bigint]> {
    const { version: previous } = await this.#run.position();
    for (let i = 0; i < blocks; i++) {
      await this.#run.step();
      await this.#note();
    }
    const { version } = await this.#run.position();
    return [previous, version];
  }

  /** Undoes some blocks. What is made in their place differs. Returns the last version that is left. */
  async goBack(blocks: number): Promise<bigint> {
    const height = BigInt(this.height - blocks);
    const to = await withView(this.store.openView(), (view) => view.getBlockByHeight(height));
    if (to === undefined) throw new Error(`no block ${height}`);
    const { signal } = new AbortController();
    await rewindLedger({ store: this.store, to: to.lastVersion, signal, onProgress: () => {} });
    this.#ids = this.#ids.slice(0, Number(height) + 1);
    this.#run = new ChainRun(createLocalChain({ seed: "histories" }), this.store);
    this.#late += 1000n;
    this.#run.lateUsec = this.#late;
    return to.lastVersion;
  }

  /** True if the first id is in the history of the second. */
  isBefore(first: string, second: string): boolean {
    for (let id: string | undefined = second; id !== undefined; id = this.before.get(id)) {
      if (id === first) return true;
    }
    return false;
  }

  async #note(): Promise<void> {
    const id = await withView(this.store.openView(), (view) => eventIdAt(view, view.position.version));
    this.before.set(id, this.#ids.at(-1));
    this.#ids.push(id);
  }
}
