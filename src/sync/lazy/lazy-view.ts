// Read views of a ledger whose state is only partly known: items missing in the store come from the base layer, which
// fetches them on first use. Engines are not involved.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { KeyTrace } from "../../ledger/key-trace.ts";
import { type TrustLevel, weakestTrust } from "../../ledger/trust.ts";
import type {
  Block,
  HistoryRange,
  IndexName,
  LedgerPosition,
  LedgerView,
  OwnedKey,
  OwnedPage,
  StateItem,
  StoredRecord,
} from "../../ledger/view.ts";
import type { BaseFiller } from "./base-filler.ts";

/** A view with the base layer below it. */
export class LazyView implements LedgerView {
  readonly position: LedgerPosition;
  readonly keyTrace: KeyTrace;
  readonly #view: LedgerView;
  readonly #filler: BaseFiller;
  #fetched: TrustLevel | undefined;

  constructor(view: LedgerView, filler: BaseFiller) {
    this.position = view.position;
    this.keyTrace = filler.keyTrace;
    this.#view = view;
    this.#filler = filler;
  }

  async getItems(
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): Promise<readonly (StateItem | undefined)[]> {
    const items = await this.#view.getItems(keyHashes, version);
    const missing = keyHashes.filter((_, i) => items[i] === undefined);
    if (missing.length === 0) return items;
    const base = await this.getBaseItems(missing, version);
    let next = 0;
    return items.map((item) => item ?? base[next++]);
  }

  /** The items of the base layer alone. */
  protected async getBaseItems(
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): Promise<readonly (StateItem | undefined)[]> {
    const rows = await this.#filler.rows(this.#view, keyHashes, version);
    for (const { level } of rows) {
      if (level !== undefined) this.#fetched = weakestTrust(level, this.#fetched ?? level);
    }
    return rows.map(({ version: written, value }) =>
      value === undefined ? undefined : { version: written, value },
    );
  }

  fetchedTrust(): TrustLevel | undefined {
    return this.#fetched;
  }

  originOf(_version: bigint): string | undefined {
    return this.#filler.origin;
  }

  getHistory(keyHash: Uint8Array, range: HistoryRange): Promise<readonly StateItem[]> {
    return this.#view.getHistory(keyHash, range);
  }

  getOwnedKeys(owner: Uint8Array, page: OwnedPage): MaybePromise<readonly OwnedKey[]> {
    return this.#view.getOwnedKeys(owner, page);
  }

  /** Items that were never written here are in no index. */
  getIndexedTo(index: IndexName = "items"): MaybePromise<bigint | undefined> {
    return index === "items" ? undefined : this.#view.getIndexedTo(index);
  }

  getBlockByHeight(height: bigint): Promise<Block | undefined> {
    return this.#view.getBlockByHeight(height);
  }

  getBlockByVersion(version: bigint): Promise<Block | undefined> {
    return this.#view.getBlockByVersion(version);
  }

  getBlockAtTime(timestampUsec: bigint): Promise<Block | undefined> {
    return this.#view.getBlockAtTime(timestampUsec);
  }

  getRecords(start: bigint, limit: number, maxBytes: number): Promise<readonly StoredRecord[]> {
    return this.#view.getRecords(start, limit, maxBytes);
  }

  release(): void {
    this.#view.release();
  }
}
