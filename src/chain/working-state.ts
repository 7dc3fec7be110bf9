// The state while a block is made: the items that its transactions may use, loaded once, and their changes.
// Transactions run one after the other, each with its own write set. The bytes belong to the view, which must stay
// open meanwhile.
import { type Codec, decodeWith, encodeWith } from "../bcs/codec.ts";
import { type StateKey, stateKeyCodec } from "../ledger/state-key.ts";
import { type StateMetadata, stateValueCodec } from "../ledger/state-value.ts";
import type { LedgerView } from "../ledger/view.ts";
import { type WriteOp, type Writes, writtenValue } from "../ledger/write-set.ts";
import type { Item } from "./item.ts";
import { depositsOf, type PricedWrite } from "./submission/gas.ts";

/** A value with its bytes; each is made from the other when it is first asked for. */
class ItemValue {
  readonly #codec: Codec<unknown>;
  #data: Uint8Array | undefined;
  #value: unknown;
  readonly metadata: StateMetadata | undefined;

  constructor(
    codec: Codec<unknown>,
    content: { readonly data: Uint8Array } | { readonly value: unknown },
    metadata: StateMetadata | undefined,
  ) {
    this.#codec = codec;
    if ("data" in content) this.#data = content.data;
    else this.#value = content.value;
    this.metadata = metadata;
  }

  get data(): Uint8Array {
    this.#data ??= encodeWith(this.#codec, this.#value);
    return this.#data;
  }

  get value(): unknown {
    if (this.#value === undefined && this.#data !== undefined)
      this.#value = decodeWith(this.#codec, this.#data);
    return this.#value;
  }

  withMetadata(metadata: StateMetadata): ItemValue {
    return new ItemValue(this.#codec, { data: this.data }, metadata);
  }
}

interface Cell {
  readonly item: Item<unknown>;
  /** The value before the current transaction. */
  before: ItemValue | undefined;
  now: ItemValue | undefined;
}

/** Deposit in octas that the creator of an item pays; recorded in its metadata. */
const SLOT_DEPOSIT = 40_000n;

/** What items are read through. */
export type ItemView = Pick<LedgerView, "getItems" | "keyTrace" | "position">;

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
  async load(view: ItemView, items: readonly Item<unknown>[]): Promise<void> {
    for (const { key, keyHash } of view.keyTrace === undefined ? [] : items) {
      view.keyTrace?.noteBcs(keyHash, encodeWith(stateKeyCodec, key));
    }
    const found = await view.getItems(
      items.map((item) => item.keyHash),
      view.position.version,
    );
    items.forEach((item, index) => {
      const value = decodeItemValue(item.codec, found[index]?.value);
      this.#cells.set(item.id, { item, before: value, now: value });
    });
  }

  isLoaded({ id }: Pick<Item<unknown>, "id">): boolean {
    return this.#cells.has(id);
  }

  has(item: Item<unknown>): boolean {
    return this.#cell(item).now !== undefined;
  }

  get<T>(item: Item<T>): T | undefined {
    return this.#cell(item).now?.value as T | undefined;
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
    cell.now = new ItemValue(item.codec as Codec<unknown>, { value }, metadata);
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

  /** Bytes of an item's value at the start of the block; 0 if it was absent. */
  sizeOf(item: Item<unknown>): number {
    return this.#cell(item).before?.data.length ?? 0;
  }

  /** The writes of the current transaction, as far as gas depends on them. */
  pricedWrites(): PricedWrite[] {
    return [...this.#touched].flatMap((cell) => pricedWrite(cell) ?? []);
  }

  /** Records the deposits for the items that the current transaction creates. */
  recordDeposits(): void {
    for (const cell of this.#touched) {
      const write = pricedWrite(cell);
      if (write?.bytesBefore !== undefined || cell.now?.metadata === undefined || write === undefined)
        continue;
      const { slot, bytes } = depositsOf(write);
      const { creationTimeUsec } = cell.now.metadata;
      cell.now = cell.now.withMetadata({
        kind: "v1",
        slotDeposit: slot,
        bytesDeposit: bytes,
        creationTimeUsec,
      });
    }
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

function decodeItemValue(codec: Codec<unknown>, value: Uint8Array | undefined): ItemValue | undefined {
  if (value === undefined) return undefined;
  const decoded = decodeWith(stateValueCodec, value);
  const metadata = decoded.kind === "withMetadata" ? decoded.metadata : undefined;
  return new ItemValue(codec, { data: decoded.data }, metadata);
}

function keyBytesOf(key: StateKey): number {
  switch (key.kind) {
    case "accessPath":
      return key.address.length + key.path.length;
    case "tableItem":
      return key.handle.length + key.key.length;
    default:
      throw new Error(`the local chain writes no items of kind ${key.kind}`);
  }
}

/** Undefined for an item that is absent before and after. */
function pricedWrite({ item, before, now }: Cell): PricedWrite | undefined {
  if (before === undefined && now === undefined) return undefined;
  return {
    keyBytes: keyBytesOf(item.key),
    bytes: now?.data.length ?? 0,
    bytesBefore: before?.data.length,
  };
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
