// Undocumented parts of lmdb that the engine uses, each with a check that it exists. Measured on the same data: a range
// query for one key costs four plain gets, because it builds an iterator and a cursor each time; a reused cursor
// positioned by hand costs less than one. The version of lmdb is pinned for this.
import { endianness } from "node:os";
import type { Transaction } from "lmdb";
import { loadPackage } from "../../base/load-package.ts";
import { HASH_BYTES, ITEM_KEY_BYTES, NEWEST, readOlderVersion, type Table, writeOlderKey } from "./tables.ts";

/** The package, loaded by the first store that is opened: a ledger in memory and most commands need none. */
export function loadLmdb(): typeof import("lmdb") {
  return loadPackage("lmdb");
}

/** Reads into a buffer that the next read overwrites; `lastSize` is the size of the value. */
export interface FastTable {
  getBinaryFast(key: Uint8Array, options?: { transaction?: Transaction }): Uint8Array | undefined;
  readonly lastSize: number;
}

/** A cursor of the items table, bound to one read transaction; close it before the transaction ends. */
export interface NativeCursor {
  readonly address: number;
  close(): void;
}

interface NativeAddon {
  readonly Cursor: new (database: object, transactionAddress: number) => NativeCursor;
  /** Moves to the first key at or after the one in the key buffer, or to the first of all without one. */
  position(cursor: number, flags: number, offset: number, keyBytes: number, endAddress: number): number;
  /** Moves to the next key. Both return the bytes of the key found, 0 for none, and negative errors. */
  iterate(cursor: number): number;
}

/** Flags of `position`: fetch the value too; move to the last key at or before. */
const WITH_VALUE = 0x100;
const BACKWARDS = 0x400;
/** Values up to this size always fit the buffer of fast reads. */
const FAST_VALUE_BYTES = 8192;
/** Offset in the key buffer where lmdb puts the key that it found. */
const FOUND_KEY_OFFSET = 32;

/** The table's fast reads. */
export function toFastTable<T extends object>(table: T): T & FastTable {
  if (!isFastTable(table)) throw new Error("this lmdb has no getBinaryFast");
  return table;
}

/** Removes closed databases from lmdb's list of all databases ever opened, which would leak. */
export function forgetDatabases(closed: readonly object[]): void {
  const all: unknown = Reflect.get(loadLmdb(), "allDbs");
  if (!(all instanceof Map)) throw new Error("this lmdb has no list of its databases");
  for (const [name, database] of all) if (closed.includes(database)) all.delete(name);
}

function loadNative(): NativeAddon {
  const native: unknown = Reflect.get(loadLmdb(), "nativeAddon");
  if (!isNativeAddon(native)) throw new Error("this lmdb has no native cursors");
  if (endianness() !== "LE") throw new Error("the store needs a little-endian machine");
  return native;
}

function openNativeCursor(native: NativeAddon, table: object, transaction: Transaction): NativeCursor {
  const database: unknown = Reflect.get(table, "db");
  if (typeof database !== "object" || database === null) throw new Error("this lmdb has no native tables");
  const address: unknown = Reflect.get(transaction, "address");
  if (typeof address !== "number" || address === 0) throw new Error("the read transaction has no address");
  return new native.Cursor(database, address);
}

/** Size of the value that a cursor found, if lmdb put it into the buffer of fast reads. */
function fastSize(keyBuffer: Buffer): number | undefined {
  const size = keyBuffer.readUInt32LE(0);
  const bufferId = keyBuffer.readUInt32LE(4);
  return bufferId === 0 && size <= FAST_VALUE_BYTES ? size : undefined;
}

/**
 * Walks over a table in key order without copying values: lmdb's own iterator makes two buffers for each row, which costs
 * several times as much as the step. Close it before the transaction ends.
 */
export class RowCursor {
  readonly #native: NativeAddon;
  readonly #cursor: NativeCursor;
  readonly #keyBuffer: Buffer;
  /** Not a Buffer: a part of a plain array costs half as much. */
  readonly #keyBytes: Uint8Array;
  #isPlaced = false;

  constructor(table: Table, transaction: Transaction) {
    this.#native = loadNative();
    this.#keyBuffer = captureKeyBuffer(table);
    this.#keyBytes = toPlain(this.#keyBuffer);
    this.#cursor = openNativeCursor(this.#native, table, transaction);
  }

  /** A copy of the next key, from `start` on; undefined after the last. */
  next(start?: Uint8Array): Uint8Array | undefined {
    const size = this.#isPlaced ? this.#native.iterate(this.#cursor.address) : this.#place(start);
    if (size < 0) throw new Error(`lmdb cursor failed with ${size}`);
    return size === 0 ? undefined : this.#keyBytes.slice(FOUND_KEY_OFFSET, FOUND_KEY_OFFSET + size);
  }

  /** Size of its value in the buffer of fast reads, until the next read; undefined when it must be read by its key. */
  valueSize(): number | undefined {
    return fastSize(this.#keyBuffer);
  }

  close(): void {
    this.#cursor.close();
  }

  #place(start: Uint8Array | undefined): number {
    this.#isPlaced = true;
    if (start !== undefined) this.#keyBytes.set(start);
    return this.#native.position(this.#cursor.address, WITH_VALUE, 0, start?.length ?? 0, 0);
  }
}

function toPlain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

/** Finds the newest older version of a key at or before a given version, by one ordered seek. */
export class OlderSeeker {
  readonly #native: NativeAddon;
  readonly #items: Table;
  readonly #keyBuffer: Buffer;

  constructor(items: Table) {
    this.#native = loadNative();
    this.#items = items;
    this.#keyBuffer = captureKeyBuffer(items);
  }

  /** A cursor inside the transaction. */
  openCursor(transaction: Transaction): NativeCursor {
    return openNativeCursor(this.#native, this.#items, transaction);
  }

  /** The newest of the key's older versions at or before `version`, or the oldest at or after it. */
  findVersion(
    cursor: NativeCursor,
    keyHash: Uint8Array,
    version: bigint,
    where: "before" | "after" = "before",
  ): bigint | undefined {
    const buffer = this.#keyBuffer;
    writeOlderKey(buffer, keyHash, version);
    // Later versions sort first.
    const flags = where === "before" ? WITH_VALUE : WITH_VALUE | BACKWARDS;
    const found = this.#native.position(cursor.address, flags, 0, ITEM_KEY_BYTES, 0);
    if (found < 0) throw new Error(`lmdb cursor failed with ${found}`);
    if (found !== ITEM_KEY_BYTES) return undefined;
    for (let i = 0; i < HASH_BYTES; i++) {
      if (buffer[FOUND_KEY_OFFSET + i] !== keyHash[i]) return undefined;
    }
    const older = readOlderVersion(buffer, FOUND_KEY_OFFSET);
    return older === NEWEST ? undefined : older;
  }

  /**
   * Size of the value just found if lmdb put it into `fastBuffer`, the buffer of the last fast read. Undefined when the
   * value must be read by its key.
   */
  valueSize(fastBuffer: Uint8Array): number | undefined {
    return "isGlobal" in fastBuffer ? fastSize(this.#keyBuffer) : undefined;
  }
}

/** Gets lmdb's key buffer: lmdb passes it to the table's key writer, so a read with a wrapped writer captures it. */
function captureKeyBuffer(table: Table): Buffer {
  const original: unknown = Reflect.get(table, "writeKey");
  if (typeof original !== "function") throw new Error("this lmdb has no writeKey");
  let captured: unknown;
  const listen = (key: Uint8Array, target: Uint8Array, start: number): unknown => {
    captured = target;
    return original.call(table, key, target, start);
  };
  Reflect.set(table, "writeKey", listen);
  try {
    table.getBinary(Buffer.alloc(ITEM_KEY_BYTES));
  } finally {
    Reflect.set(table, "writeKey", original);
  }
  if (!Buffer.isBuffer(captured)) throw new Error("this lmdb has no key buffer");
  return captured;
}

function isFastTable<T extends object>(table: T): table is T & FastTable {
  return "getBinaryFast" in table && typeof table.getBinaryFast === "function";
}

function isNativeAddon(value: unknown): value is NativeAddon {
  if (typeof value !== "object" || value === null) return false;
  return ["Cursor", "position", "iterate"].every((name) => typeof Reflect.get(value, name) === "function");
}
