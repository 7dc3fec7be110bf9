// The state while a block is made: the items that its transactions may use, loaded once, and their changes.
// Transactions run one after the other, each with its own write set. The bytes belong to the view, which must stay
// open meanwhile.
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { stateKeyCodec } from "../ledger/state-key.ts";
import { type StateMetadata, stateValueCodec } from "../ledger/state-value.ts";
import type { LedgerView } from "../ledger/view.ts";
import { type WriteOp, type Writes, writtenValue } from "../ledger/write-set.ts";
import type { Item } from "./item.ts";

interface ItemValue {
  readonly data: Uint8Array;
  readonly metadata: StateMetadata | undefined;
}

interface Cell {
  readonly item: Item<unknown>;
  /** The value before the current transaction. */
  before: ItemValue | undefined;
  now: ItemValue | undefined;
}

/** Deposit in octas that the creator of an item pays; recorded in its metadata. */
const SLOT_DEPOSIT = 40_000n;

/** A change of finished transactions: BCS of the state value, undefined for a deletion. */
export interface StateChange {
  readonly keyHash: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Loaded items and their changes. Using an item that is not loaded is a programming error. */
export class WorkingState {
  readonly #cells = new Map<string, Cell>();
  readonly #touched = new Set<Cell>();
  readonly #changed = new Map<string, StateChange>();

  /** Adds items as absent, without reading them: for genesis. */
  addAbsent(items: Iterable<Item<unknown>>): void {
    for (const item of items) this.#cells.set(item.id, { item, before: undefined, now: undefined });
  }

  /** Adds items with their values at the view's latest version. */
  async load(view: LedgerView, items: readonly Item<unknown>[]): Promise<void> {
    for (const { key, keyHash } of view.keyTrace === undefined ? [] : items) {
      view.keyTrace?.noteBcs(keyHash, encodeWith(stateKeyCodec, key));
    }
    const found = await view.getItems(
      items.map((item) => item.keyHash),
      view.position.version,
    );
    items.forEach((item, index) => {
      const value = decodeItemValue(found[index]?.value);
      this.#cells.set(item.id, { item, before: value, now: value });
    });
  }

  /** Adds those of the items that are not loaded yet. */
  async loadMissing(view: LedgerView, items: readonly Item<unknown>[]): Promise<void> {
    const missing = items.filter(({ id }) => !this.#cells.has(id));
    if (missing.length > 0) await this.load(view, missing);
  }

  has(item: Item<unknown>): boolean {
    return this.#cell(item).now !== undefined;
  }

  get<T>(item: Item<T>): T | undefined {
    const value = this.#cell(item).now;
    return value === undefined ? undefined : decodeWith(item.codec, value.data);
  }

  /** Writes an item. A new item gets metadata if `createdUsec` is given. */
  set<T>(item: Item<T>, value: T, createdUsec?: bigint | undefined): void {
    const cell = this.#cell(item);
    const metadata =
      cell.now === undefined
        ? createdUsec === undefined
          ? undefined
          : ({ kind: "v0", deposit: SLOT_DEPOSIT, creationTimeUsec: createdUsec } as const)
        : cell.now.metadata;
    cell.now = { data: encodeWith(item.codec, value), metadata };
    this.#touched.add(cell);
  }

  delete(item: Item<unknown>): void {
    const cell = this.#cell(item);
    cell.now = undefined;
    this.#touched.add(cell);
  }

  /** Undoes the changes of the current transaction. */
  rollBack(): void {
    for (const cell of this.#touched) cell.now = cell.before;
    this.#touched.clear();
  }

  /** Items that the current transaction creates, and the bytes of their keys and values. */
  get creations(): { readonly count: number; readonly bytes: number } {
    let [count, bytes] = [0, 0];
    for (const { item, before, now } of this.#touched) {
      if (before !== undefined || now === undefined) continue;
      count++;
      bytes += encodeWith(stateKeyCodec, item.key).length + now.data.length;
    }
    return { count, bytes };
  }

  /** Number of items that the current transaction writes. */
  get writeCount(): number {
    return this.#touched.size;
  }

  /** Ends a transaction and returns its writes; the next transaction sees them. */
  finish(): Writes {
    const writes: (readonly [Item<unknown>["key"], WriteOp])[] = [];
    for (const cell of this.#touched) {
      const op = writeOpOf(cell.before, cell.now);
      if (op === undefined) continue;
      writes.push([cell.item.key, op]);
      const value = writtenValue(op);
      const { id, keyHash } = cell.item;
      this.#changed.set(id, {
        keyHash,
        value: value === undefined ? undefined : encodeWith(stateValueCodec, value),
      });
      cell.before = cell.now;
    }
    this.#touched.clear();
    return writes;
  }

  /** All changes of finished transactions, one for each item. */
  get changes(): Iterable<StateChange> {
    return this.#changed.values();
  }

  #cell(item: Item<unknown>): Cell {
    const cell = this.#cells.get(item.id);
    if (cell === undefined) throw new Error("the state item is not loaded");
    return cell;
  }
}

function decodeItemValue(value: Uint8Array | undefined): ItemValue | undefined {
  if (value === undefined) return undefined;
  const decoded = decodeWith(stateValueCodec, value);
  return { data: decoded.data, metadata: decoded.kind === "withMetadata" ? decoded.metadata : undefined };
}

function writeOpOf(before: ItemValue | undefined, now: ItemValue | undefined): WriteOp | undefined {
  if (now === undefined) {
    if (before === undefined) return undefined;
    const { metadata } = before;
    return metadata === undefined ? { kind: "deletion" } : { kind: "deletionWithMetadata", metadata };
  }
  const { data, metadata } = now;
  if (metadata === undefined) return { kind: before === undefined ? "creation" : "modification", data };
  const kind = before === undefined ? "creationWithMetadata" : "modificationWithMetadata";
  return { kind, data, metadata };
}
