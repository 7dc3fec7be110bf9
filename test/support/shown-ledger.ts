// A ledger that shows only its versions up to a chosen one, so that a finished chain can grow again in every test.
import { LedgerError } from "../../src/ledger/errors.ts";
import type { Block, Ledger, LedgerView } from "../../src/ledger/view.ts";
import { assertReadable } from "../../src/store/read-check.ts";

/** Views of the ledger end with the block of `last`. */
export class ShownLedger implements Ledger {
  /** Last version that readers see; must end a block. */
  last: bigint;
  readonly #ledger: Ledger;

  constructor(ledger: Ledger, last: bigint) {
    this.#ledger = ledger;
    this.last = last;
  }

  async openView(): Promise<LedgerView> {
    const view = await this.#ledger.openView();
    const head = await view.getBlockByVersion(this.last);
    if (head?.lastVersion !== this.last) throw new LedgerError("no_ledger", `${this.last} ends no block`);
    return new ShownView(view, head);
  }
}

class ShownView implements LedgerView {
  readonly position: LedgerView["position"];
  readonly #view: LedgerView;

  constructor(view: LedgerView, head: Block) {
    this.#view = view;
    const { lastVersion: version, timestampUsec, epoch, height: blockHeight } = head;
    this.position = { ...view.position, version, timestampUsec, epoch, blockHeight };
  }

  async getItems(keyHashes: readonly Uint8Array[], version: bigint) {
    assertReadable(this.position, version);
    return this.#view.getItems(keyHashes, version);
  }

  async getHistory(keyHash: Uint8Array, range: Parameters<LedgerView["getHistory"]>[1]) {
    assertReadable(this.position, range.to);
    return this.#view.getHistory(keyHash, range);
  }

  getOwnedKeys(owner: Uint8Array, page: Parameters<LedgerView["getOwnedKeys"]>[1]) {
    assertReadable(this.position, page.version);
    return this.#view.getOwnedKeys(owner, page);
  }

  getIndexedTo() {
    return this.#view.getIndexedTo();
  }

  async getBlockByHeight(height: bigint) {
    return height > this.position.blockHeight ? undefined : this.#view.getBlockByHeight(height);
  }

  async getBlockByVersion(version: bigint) {
    return version > this.position.version ? undefined : this.#view.getBlockByVersion(version);
  }

  async getBlockAtTime(timestampUsec: bigint) {
    const { timestampUsec: latest } = this.position;
    return this.#view.getBlockAtTime(timestampUsec < latest ? timestampUsec : latest);
  }

  async getRecords(start: bigint, limit: number, maxBytes: number) {
    assertReadable(this.position, start);
    const shown = Number(this.position.version - start) + 1;
    return this.#view.getRecords(start, Math.min(limit, shown), maxBytes);
  }

  release(): void {
    this.#view.release();
  }
}
