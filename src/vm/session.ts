// What a run reads and writes: resources, table items and events, on top of a state that stays as it is.
import { toMapKey } from "../base/bytes.ts";
import type { Pieces } from "../base/pieces.ts";
import type { AbiStructType, AbiType } from "../move/abi.ts";
import { STATUS, VmError } from "./errors.ts";
import { decodeValue, encodeStoredInPieces, type Layout } from "./layout.ts";
import type { FunctionInstance, Linker } from "./linker.ts";
import { typeKey } from "./types.ts";
import { copyValue, countLoad, heapSize, type Root, type Value } from "./values.ts";

/** An item as it is stored. */
export interface StateRead {
  /** Undefined if there is no such item. */
  readonly bytes: Uint8Array | undefined;
  /** Size of the group that it is in, which is charged on the first use of the group. */
  readonly groupBytes?: number;
}

/** An item of the state and what it decodes to. */
interface DecodedItem {
  readonly type: string;
  /** Undefined if there is no such item. */
  readonly value: Value | undefined;
  /** Memory of the value. */
  readonly heap: number;
  readonly bytes: number;
  readonly groupBytes: number;
}

/** More pairs are not looked for one by one. */
const FEW_PAIRS = 16;

/** Values by pairs of names. A run has few of them as a rule, which are found without hashes. */
export class Pairs<T> {
  readonly #few: { readonly owner: string; readonly name: string; value: T }[] = [];
  #many: Map<string, Map<string, T>> | undefined;

  constructor(isLarge = false) {
    if (isLarge) this.#many = new Map();
  }

  get(owner: string, name: string): T | undefined {
    if (this.#many !== undefined) return this.#many.get(owner)?.get(name);
    for (const pair of this.#few) if (pair.owner === owner && pair.name === name) return pair.value;
    return undefined;
  }

  /** Sets a value that is not there. */
  add(owner: string, name: string, value: T): void {
    if (this.#many === undefined) {
      this.#few.push({ owner, name, value });
      if (this.#few.length < FEW_PAIRS) return;
      this.#many = new Map();
      for (const pair of this.#few) this.add(pair.owner, pair.name, pair.value);
    } else {
      const values = this.#many.get(owner) ?? new Map<string, T>();
      this.#many.set(owner, values.set(name, value));
    }
  }
}

const MAX_DECODED_BYTES = 32 << 20;
/** Memory of an item, and of a value by each byte that it was decoded from. */
const DECODED_ITEM_BYTES = 512;
const DECODED_BYTES_PER_BYTE = 24;

/**
 * Items of one state, decoded once for all sessions that read it, by type or handle, and by address or key; each session
 * gets a copy. Takes nothing that does not fit any more.
 */
export class DecodedItems extends Pairs<DecodedItem> {
  #bytes = 0;

  constructor() {
    super(true);
  }

  override add(owner: string, name: string, item: DecodedItem): void {
    const bytes = DECODED_ITEM_BYTES + name.length + DECODED_BYTES_PER_BYTE * item.bytes;
    if (this.#bytes + bytes > MAX_DECODED_BYTES) return;
    this.#bytes += bytes;
    super.add(owner, name, item);
  }
}

/** The state under a run. Reads may throw NeedsItem. */
export interface StateSource {
  resource(address: string, type: AbiStructType, group: string | undefined): StateRead;
  tableItem(handle: string, key: Uint8Array): StateRead;
}

/** A place of the state. */
export class GlobalSlot implements Root {
  isDirty = false;
  hasAggregatorChange = false;
  readonly layout: Layout;
  /** What the state under the session has. */
  readonly #stored: Value | undefined;
  readonly #isShared: boolean;
  #place: Value[] | undefined;

  /** A value that sessions share is copied on its first use: code often asks only whether there is one. */
  constructor(layout: Layout, stored: Value | undefined, isShared: boolean) {
    this.layout = layout;
    this.#stored = stored;
    this.#isShared = isShared;
  }

  /** An array that holds the value, or nothing. */
  get place(): Value[] {
    if (this.#place === undefined) {
      const stored = this.#stored;
      this.#place = stored === undefined ? [] : [this.#isShared ? copyValue(stored) : stored];
    }
    return this.#place;
  }

  /** True if the state under the session has a value. */
  get wasThere(): boolean {
    return this.#stored !== undefined;
  }

  get exists(): boolean {
    return this.#place === undefined ? this.wasThere : this.#place.length > 0;
  }

  put(value: Value): void {
    this.place[0] = value;
    this.isDirty = true;
  }

  take(): Value | undefined {
    this.isDirty = true;
    return this.place.pop();
  }

  /** What the session does to the place: bytes to write, "delete", or undefined for nothing. */
  *change(): Pieces<Uint8Array | "delete" | undefined> {
    const [value] = this.place;
    if (value === undefined) return this.wasThere ? "delete" : undefined;
    return this.isDirty || this.hasAggregatorChange
      ? yield* encodeStoredInPieces(value, this.layout)
      : undefined;
  }
}

export interface SessionResource {
  readonly address: string;
  readonly type: AbiStructType;
  readonly group: string | undefined;
  readonly slot: GlobalSlot;
}

export interface SessionTableItem {
  readonly handle: string;
  readonly key: Uint8Array;
  readonly slot: GlobalSlot;
}

export interface SessionEvent {
  /** Undefined for a module event. */
  readonly guid: Uint8Array | undefined;
  readonly sequenceNumber: bigint;
  readonly type: AbiType;
  readonly data: Uint8Array;
}

/** Facts of the transaction that code may ask for. Undefined in views and system transactions. */
export interface TransactionFacts {
  readonly sender: string;
  readonly secondarySigners: readonly string[];
  readonly gasPayer: string;
  readonly maxGasAmount: bigint;
  readonly gasUnitPrice: bigint;
  readonly entry?: EntryFacts | undefined;
  /** The multisig account that acts. */
  readonly multisig?: string | undefined;
  /** Place in its block. */
  readonly transactionIndex?: number | undefined;
  readonly sessionCounter: number;
}

/** An entry function that a transaction calls. */
export interface EntryFacts {
  readonly address: string;
  readonly module: string;
  readonly name: string;
  readonly typeArgs: readonly string[];
  readonly args: readonly Uint8Array[];
}

export interface SessionOptions {
  readonly state: StateSource;
  /** Of that state, if it never changes. */
  readonly decoded?: DecodedItems | undefined;
  readonly linker: Linker;
  readonly chainId: number;
  readonly sessionHash: Uint8Array;
  readonly scriptHash: Uint8Array;
  readonly facts: TransactionFacts | undefined;
  readonly features: Features;
  /** Items and bytes of the state, as of the beginning of the epoch. */
  readonly usage?: { readonly items: bigint; readonly bytes: bigint } | undefined;
  /** True if the run may take random numbers. */
  readonly isUnbiasable?: boolean | undefined;
  readonly tracer?: Tracer | undefined;
}

/** Watches the calls of a run. */
export interface Tracer {
  /** The run begins, perhaps again, because it had to fetch an item. */
  begin(): void;
  /** `args` are of the parameters alone. */
  enter(callee: FunctionInstance, args: readonly Value[], session: Session): void;
  leave(session: Session): void;
  /** A fault ends all open calls. */
  fail(error: unknown, session: Session): void;
}

/** Feature flags on the chain. */
export class Features {
  readonly #bits: Uint8Array;

  constructor(bits: Uint8Array) {
    this.#bits = bits;
  }

  has(flag: number): boolean {
    return (((this.#bits[flag >> 3] ?? 0) >> (flag & 7)) & 1) === 1;
  }
}

export class Session {
  readonly options: SessionOptions;
  /** Resources and items that were used, in the order of their first use. */
  readonly resources: SessionResource[] = [];
  readonly tableItems: SessionTableItem[] = [];
  /** Resources by type and address, items by handle and key. */
  readonly #slots = new Pairs<GlobalSlot>();
  /** Groups that were used, by name and address. */
  readonly #groups = new Pairs<true>();
  readonly events: SessionEvent[] = [];
  /** The last key of a table: code asks whether it is there before it asks for its item. */
  lastKey:
    | { readonly key: Value; readonly type: AbiType; readonly bytes: Uint8Array; readonly name: string }
    | undefined;
  /** State of native modules, by the name of the module. */
  readonly extensions = new Map<string, unknown>();
  isUnbiasable: boolean;

  constructor(options: SessionOptions) {
    this.options = options;
    this.isUnbiasable = options.isUnbiasable === true;
  }

  /** State of a native module, made on first use. */
  extension<T>(name: string, make: () => T): T {
    const found = (this.extensions.get(name) as T | undefined) ?? make();
    this.extensions.set(name, found);
    return found;
  }

  /** A resource, or the place where it would be. The first load is charged, by `onLoad` if it is given. */
  resource(address: string, type: AbiStructType, key: string, onLoad?: (bytes: number) => void): GlobalSlot {
    let slot = this.#slots.get(key, address);
    if (slot === undefined) {
      const { linker, state } = this.options;
      const { meter } = linker;
      const { group, layout } = linker.stored(type);
      const item =
        this.#decoded(key, address, key) ??
        this.#decode(key, address, key, layout, state.resource(address, type, group));
      slot = this.#slot(layout, item);
      const bytes = item.bytes + (group === undefined ? 0 : this.#firstGroupBytes(group, address, item));
      if (onLoad === undefined) {
        meter.useMemory(item.heap);
        meter.chargeIo(meter.readPrice(bytes));
      } else onLoad(bytes);
      this.#slots.add(key, address, slot);
      this.resources.push({ address, type, group, slot });
    }
    return slot;
  }

  /** A table item, or the place where it would be. `onUse` charges; it gets what was read on the first use only. */
  tableItem(
    handle: string,
    key: Uint8Array,
    valueType: AbiType,
    onUse: (bytes: number | undefined) => void,
    name: string = toMapKey(key),
  ): GlobalSlot {
    let slot = this.#slots.get(handle, name);
    if (slot === undefined) {
      const { linker, state } = this.options;
      const layout = linker.layout(valueType);
      const type = typeKey(valueType);
      const item =
        this.#decoded(handle, name, type) ??
        this.#decode(handle, name, type, layout, state.tableItem(handle, key));
      slot = this.#slot(layout, item);
      linker.meter.useMemory(item.heap);
      onUse(item.bytes);
      this.#slots.add(handle, name, slot);
      this.tableItems.push({ handle, key, slot });
    } else onUse(undefined);
    return slot;
  }

  #decoded(owner: string, name: string, type: string): DecodedItem | undefined {
    const item = this.options.decoded?.get(owner, name);
    return item?.type === type ? item : undefined;
  }

  #decode(
    owner: string,
    name: string,
    type: string,
    layout: Layout,
    { bytes, groupBytes = 0 }: StateRead,
  ): DecodedItem {
    countLoad(Math.max(bytes?.length ?? 0, groupBytes));
    const value = bytes && decodeValue(bytes, layout);
    if (bytes !== undefined && value === undefined)
      throw new VmError(STATUS.unknownInvariantViolation, "stored bytes do not decode");
    const heap = value === undefined ? 0 : heapSize(value);
    const item = { type, value, heap, bytes: bytes?.length ?? 0, groupBytes };
    this.options.decoded?.add(owner, name, item);
    return item;
  }

  #slot(layout: Layout, { value }: DecodedItem): GlobalSlot {
    return new GlobalSlot(layout, value, this.options.decoded !== undefined);
  }

  #firstGroupBytes(group: string, address: string, { groupBytes }: DecodedItem): number {
    if (this.#groups.get(group, address)) return 0;
    this.#groups.add(group, address, true);
    return groupBytes;
  }
}
