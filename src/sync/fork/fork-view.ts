// Read views of a fork. At the fork version and above: what was written here, over the network's items at the fork
// version. Below: what the network's node says about that version.
import type { Block, LedgerPosition, LedgerView, StateItem, StoredRecord } from "../../ledger/view.ts";
import { LazyView } from "../lazy-view.ts";
import type { ForkSource } from "./fork-source.ts";
import type { ForkPin } from "./pin.ts";

export class ForkView extends LazyView {
  override readonly position: LedgerPosition;
  readonly #view: LedgerView;
  readonly #source: ForkSource;
  readonly #pin: ForkPin;

  constructor(view: LedgerView, source: ForkSource, pin: ForkPin) {
    super(view, source.filler);
    this.#view = view;
    this.#source = source;
    this.#pin = pin;
    this.position = { ...view.position, fork: pin };
  }

  override async getItems(
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): Promise<readonly (StateItem | undefined)[]> {
    if (version >= this.#pin.version && version >= this.#view.position.oldestVersion) {
      return super.getItems(keyHashes, version);
    }
    // Versions made here that the pruner removed.
    if (version > this.#pin.version) return this.#view.getItems(keyHashes, version);
    const keys = keyHashes.map((keyHash) => {
      const key = this.keyTrace.keyOf(keyHash);
      if (key === undefined) throw new Error("a read whose state key is not known");
      return key;
    });
    const values = await this.#source.itemsAt(keys, version);
    return values.map((value) => (value === undefined ? undefined : { version, value }));
  }

  override async getBlockByVersion(version: bigint): Promise<Block | undefined> {
    return this.#isBelow(version) ? this.#source.blockOf(version) : super.getBlockByVersion(version);
  }

  override async getRecords(
    start: bigint,
    limit: number,
    maxBytes: number,
  ): Promise<readonly StoredRecord[]> {
    return this.#isBelow(start)
      ? this.#source.recordsFrom(start, limit)
      : super.getRecords(start, limit, maxBytes);
  }

  /** True for a version of the network that is not stored here. */
  #isBelow(version: bigint): boolean {
    return version <= this.#pin.version && version < this.#view.position.oldestVersion;
  }
}
