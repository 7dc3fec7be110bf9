// State items with their layouts: those that a genesis writes, or those that the choice of the next transactions depends
// on. The bytes belong to the view, which must stay open meanwhile.
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { stateKeyCodec } from "../ledger/formats/state-key.ts";
import { type StateMetadata, stateValueCodec } from "../ledger/formats/state-value.ts";
import type { WriteOp, Writes } from "../ledger/formats/write-set.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { StateChange } from "../vm/ledger/ledger-transactions.ts";
import { type Item, idOf } from "./item.ts";

interface Cell {
  readonly item: Item<unknown>;
  /** Undefined for an item that is absent. */
  readonly stored: { readonly data: Uint8Array; readonly metadata: StateMetadata | undefined } | undefined;
  /** Decoded when it is first asked for. */
  value?: unknown;
}

/** Loaded items and what is written over them. Reading an item that is not loaded is a programming error. */
export class WorkingState {
  readonly #cells = new Map<string, Cell>();
  readonly #written = new Map<string, Cell>();

  /** Adds items with their values at the view's latest version. */
  async load(view: LedgerView, items: readonly Item<unknown>[]): Promise<void> {
    for (const { key, keyHash } of view.keyTrace === undefined ? [] : items) {
      view.keyTrace?.noteBcs(keyHash, encodeWith(stateKeyCodec, key));
    }
    const found = await view.getItems(
      items.map((item) => item.keyHash),
      view.position.version,
    );
    for (const [index, item] of items.entries()) this.#cells.set(item.id, cellOf(item, found[index]?.value));
  }

  /** Takes over changes of items that are loaded. */
  update(changes: Iterable<StateChange>): void {
    for (const { keyHash, value } of changes) {
      const cell = this.#cells.get(idOf(keyHash));
      if (cell !== undefined) this.#cells.set(cell.item.id, cellOf(cell.item, value));
    }
  }

  has(item: Item<unknown>): boolean {
    return this.#cell(item).stored !== undefined;
  }

  get<T>(item: Item<T>): T | undefined {
    const cell = this.#cell(item);
    if (cell.stored !== undefined) cell.value ??= decodeWith(item.codec, cell.stored.data);
    return cell.value as T | undefined;
  }

  /** Writes an item, loaded or new. */
  set<T>(item: Item<T>, value: T): void {
    this.#written.set(item.id, { item, stored: this.#cells.get(item.id)?.stored, value });
  }

  /** What was written. */
  writes(): Writes {
    return Array.from(this.#written.values(), ({ item, stored, value }) => {
      const data = encodeWith(item.codec, value);
      const kind = stored === undefined ? "creation" : "modification";
      const op: WriteOp =
        stored?.metadata === undefined
          ? { kind, data }
          : { kind: "modificationWithMetadata", data, metadata: stored.metadata };
      return [item.key, op] as const;
    });
  }

  #cell(item: Item<unknown>): Cell {
    const cell = this.#cells.get(item.id);
    if (cell === undefined) throw new Error("the state item is not loaded");
    return cell;
  }
}

function cellOf(item: Item<unknown>, value: Uint8Array | undefined): Cell {
  if (value === undefined) return { item, stored: undefined };
  const stored = decodeWith(stateValueCodec, value);
  const metadata = stored.kind === "withMetadata" ? stored.metadata : undefined;
  return { item, stored: { data: stored.data, metadata } };
}
