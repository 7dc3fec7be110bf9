// What a run reads and writes: resources, table items and events, on top of a state that stays as it is.
import type { AbiStructType, AbiType } from "../move/abi.ts";
import { STATUS, VmError } from "./errors.ts";
import { decodeValue, encodeStored, type Layout } from "./layout.ts";
import type { FunctionInstance, Linker } from "./linker.ts";
import { typeKey } from "./types.ts";
import { heapSize, type Root, type Value } from "./values.ts";

/** Bytes that a read took, for its price. */
export interface StateRead {
  /** Undefined if there is no such item. */
  readonly bytes: Uint8Array | undefined;
  /** What the read is charged for. */
  readonly chargedBytes: number;
}

/** The state under a run. Reads may throw NeedsItem. */
export interface StateSource {
  resource(address: string, type: AbiStructType, group: string | undefined): StateRead;
  tableItem(handle: string, key: Uint8Array): StateRead;
}

/** A place of the state: an array that holds the value, or nothing. */
export class GlobalSlot implements Root {
  isDirty = false;
  hasAggregatorChange = false;
  readonly place: Value[] = [];
  /** True if the state under the session has a value. */
  readonly wasThere: boolean;
  readonly layout: Layout;

  constructor(layout: Layout, value: Value | undefined) {
    this.layout = layout;
    this.wasThere = value !== undefined;
    if (value !== undefined) this.place.push(value);
  }

  get exists(): boolean {
    return this.place.length > 0;
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
  change(): Uint8Array | "delete" | undefined {
    const [value] = this.place;
    if (value === undefined) return this.wasThere ? "delete" : undefined;
    return this.isDirty || this.hasAggregatorChange ? encodeStored(value, this.layout) : undefined;
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
  /** Resources by type and address, items by handle and key: texts that stay as they are keep their hashes. */
  readonly #slots = new Map<string, Map<string, GlobalSlot>>();
  readonly events: SessionEvent[] = [];
  /** State of native modules, by the name of the module. */
  readonly extensions = new Map<string, unknown>();
  isUnbiasable: boolean;

  constructor(options: SessionOptions) {
    this.options = options;
    this.isUnbiasable = options.isUnbiasable === true;
  }

  #slotsOf(name: string): Map<string, GlobalSlot> {
    let slots = this.#slots.get(name);
    if (slots === undefined) {
      slots = new Map();
      this.#slots.set(name, slots);
    }
    return slots;
  }

  /** Allows the run to take random numbers. */
  markUnbiasable(): void {
    this.isUnbiasable = true;
  }

  /** State of a native module, made on first use. */
  extension<T>(name: string, make: () => T): T {
    let found = this.extensions.get(name) as T | undefined;
    if (found === undefined) {
      found = make();
      this.extensions.set(name, found);
    }
    return found;
  }

  /** A resource, or the place where it would be. The first load is charged, by `onLoad` if it is given. */
  resource(address: string, type: AbiStructType, onLoad?: (read: StateRead) => void): GlobalSlot {
    const slots = this.#slotsOf(typeKey(type));
    let slot = slots.get(address);
    if (slot === undefined) {
      const { linker, state } = this.options;
      const { meter } = linker;
      const { group, layout } = linker.stored(type);
      const read = state.resource(address, type, group);
      const value = storedValue(read, layout);
      if (onLoad === undefined) {
        if (value !== undefined) meter.useMemory(heapSize(value));
        meter.chargeIo(meter.readPrice(read.chargedBytes));
      } else onLoad(read);
      slot = new GlobalSlot(layout, value);
      slots.set(address, slot);
      this.resources.push({ address, type, group, slot });
    }
    return slot;
  }

  /** A table item, or the place where it would be. `onUse` charges; it gets what was read on the first use only. */
  tableItem(
    handle: string,
    key: Uint8Array,
    valueType: AbiType,
    onUse: (read: StateRead | undefined) => void,
  ): GlobalSlot {
    const slots = this.#slotsOf(handle);
    const name = Buffer.from(key.buffer, key.byteOffset, key.length).toString("latin1");
    let slot = slots.get(name);
    if (slot === undefined) {
      const { linker, state } = this.options;
      const layout = linker.layout(valueType);
      const read = state.tableItem(handle, key);
      const value = storedValue(read, layout);
      if (value !== undefined) linker.meter.useMemory(heapSize(value));
      onUse(read);
      slot = new GlobalSlot(layout, value);
      slots.set(name, slot);
      this.tableItems.push({ handle, key, slot });
    } else onUse(undefined);
    return slot;
  }
}

function storedValue({ bytes }: StateRead, layout: Layout): Value | undefined {
  if (bytes === undefined) return undefined;
  const value = decodeValue(bytes, layout);
  if (value === undefined) throw new VmError(STATUS.unknownInvariantViolation, "stored bytes do not decode");
  return value;
}
