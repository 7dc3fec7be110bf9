// The state that a block is made on: the items it may touch, loaded once, and what its transactions change.
// Transactions run one after the other; each collects its own write set. Bytes are those of the view, which must
// stay open as long as the workingState is used.
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { type StateMetadata, stateValueCodec } from "../ledger/state-value.ts";
import type { LedgerView } from "../ledger/view.ts";
import { type WriteOp, type Writes, writtenValue } from "../ledger/write-set.ts";
import type { Item } from "./item.ts";

interface Held {
  readonly data: Uint8Array;
  readonly metadata: StateMetadata | undefined;
}

interface Cell {
  readonly item: Item<unknown>;
  /** As the transactions before this one left it. */
  before: Held | undefined;
  now: Held | undefined;
}

/** Octas that a new item costs its creator; recorded in its metadata. */
const SLOT_DEPOSIT = 40_000n;

/** Items by their place; anything not loaded counts as a mistake of the caller. */
export class WorkingState {
  readonly #cells = new Map<Item<unknown>, Cell>();
  readonly #touched = new Set<Cell>();
  readonly #changed = new Map<Item<unknown>, Uint8Array | undefined>();

  /** Takes items as absent: before genesis, and for what cannot be there yet. */
  expectAbsent(items: Iterable<Item<unknown>>): void {
    for (const item of items) this.#cells.set(item, { item, before: undefined, now: undefined });
  }

  /** Loads items as the latest version of a view has them, in addition to those already here. */
  async load(view: LedgerView, items: readonly Item<unknown>[]): Promise<void> {
    const found = await view.getItems(
      items.map((item) => item.keyHash),
      view.position.version,
    );
    items.forEach((item, index) => {
      const held = decodeHeld(found[index]?.value);
      this.#cells.set(item, { item, before: held, now: held });
    });
  }

  has(item: Item<unknown>): boolean {
    return this.#cell(item).now !== undefined;
  }

  get<T>(item: Item<T>): T | undefined {
    const held = this.#cell(item).now;
    return held === undefined ? undefined : decodeWith(item.codec, held.data);
  }

  /** Writes an item. A new one remembers its creation when a time is given. */
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

  /** Ends a transaction: hands out its writes, and the next one starts from them. */
  finish(): Writes {
    const writes: (readonly [Item<unknown>["key"], WriteOp])[] = [];
    for (const cell of this.#touched) {
      const op = writeOpOf(cell.before, cell.now);
      if (op === undefined) continue;
      writes.push([cell.item.key, op]);
      const value = writtenValue(op);
      this.#changed.set(cell.item, value === undefined ? undefined : encodeWith(stateValueCodec, value));
      cell.before = cell.now;
    }
    this.#touched.clear();
    return writes;
  }

  /** Everything that finished transactions changed: BCS of the state value, undefined where deleted. */
  get changes(): ReadonlyMap<Item<unknown>, Uint8Array | undefined> {
    return this.#changed;
  }

  #cell(item: Item<unknown>): Cell {
    const cell = this.#cells.get(item);
    if (cell === undefined) throw new Error("state item was not loaded");
    return cell;
  }
}

function decodeHeld(value: Uint8Array | undefined): Held | undefined {
  if (value === undefined) return undefined;
  const decoded = decodeWith(stateValueCodec, value);
  return { data: decoded.data, metadata: decoded.kind === "withMetadata" ? decoded.metadata : undefined };
}

function writeOpOf(before: Held | undefined, now: Held | undefined): WriteOp | undefined {
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
