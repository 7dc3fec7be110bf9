// Undocumented parts of lmdb that the engine uses, each with a check that it exists. Measured on the same data: a range
// query for one key costs four plain gets, because it builds an iterator and a cursor each time; a reused cursor
// positioned by hand costs less than one. The version of lmdb is pinned for this.
import { endianness } from "node:os";
import type { Transaction } from "lmdb";
import { loadLmdb } from "./package.ts";
import { HASH_BYTES, ITEM_KEY_BYTES, readOlderVersion, type Table, writeOlderKey } from "./tables.ts";

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
  position(cursor: number, flags: number, offset: number, keyBytes: number, endAddress: number): number;
}

/** Flag of `position`: fetch the value too. */
const WITH_VALUE = 0x100;
/** Values up to this size always fit the buffer of fast reads. */
const FAST_VALUE_BYTES = 8192;
/** Offset in the key buffer where lmdb puts the key that it found. */
const FOUND_KEY_OFFSET = 32;

/** The table's fast reads. */
export function toFastTable(table: object): FastTable {
  if (!isFastTable(table)) throw new Error("this lmdb has no getBinaryFast");
  return table;
}

/** Removes closed databases from lmdb's list of all databases ever opened, which would leak. */
export function forgetDatabases(closed: readonly object[]): void {
  const all: unknown = Reflect.get(loadLmdb(), "allDbs");
  if (!(all instanceof Map)) throw new Error("this lmdb has no list of its databases");
  for (const [name, database] of all) if (closed.includes(database)) all.delete(name);
}

/** Finds the newest older version of a key at or before a given version, by one ordered seek. */
export class OlderSeeker {
  readonly #native: NativeAddon;
  readonly #database: object;
  readonly #keyBuffer: Buffer;

  constructor(items: Table) {
    const native: unknown = Reflect.get(loadLmdb(), "nativeAddon");
    const database: unknown = Reflect.get(items, "db");
    if (!isNativeAddon(native) || typeof database !== "object" || database === null) {
      throw new Error("this lmdb has no native cursors");
    }
    this.#native = native;
    this.#database = database;
    this.#keyBuffer = captureKeyBuffer(items);
    if (endianness() !== "LE") throw new Error("the store needs a little-endian machine");
  }

  /** A cursor inside the transaction. */
  openCursor(transaction: Transaction): NativeCursor {
    const address: unknown = Reflect.get(transaction, "address");
    if (typeof address !== "number" || address === 0) throw new Error("the read transaction has no address");
    return new this.#native.Cursor(this.#database, address);
  }

  /** The newest of the key's older versions at or before `version`. */
  findVersion(cursor: NativeCursor, keyHash: Uint8Array, version: bigint): bigint | undefined {
    const buffer = this.#keyBuffer;
    writeOlderKey(buffer, keyHash, version);
    const found = this.#native.position(cursor.address, WITH_VALUE, 0, ITEM_KEY_BYTES, 0);
    if (found < 0) throw new Error(`lmdb cursor failed with ${found}`);
    if (found !== ITEM_KEY_BYTES) return undefined;
    for (let i = 0; i < HASH_BYTES; i++) {
      if (buffer[FOUND_KEY_OFFSET + i] !== keyHash[i]) return undefined;
    }
    return readOlderVersion(buffer, FOUND_KEY_OFFSET);
  }

  /**
   * Size of the value just found if lmdb put it into `fastBuffer`, the buffer of the last fast read. Undefined when the
   * value must be read by its key.
   */
  valueSize(fastBuffer: Uint8Array): number | undefined {
    if (!("isGlobal" in fastBuffer)) return undefined;
    const size = this.#keyBuffer.readUInt32LE(0);
    const bufferId = this.#keyBuffer.readUInt32LE(4);
    return bufferId === 0 && size <= FAST_VALUE_BYTES ? size : undefined;
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

function isFastTable(table: object): table is FastTable {
  return "getBinaryFast" in table && typeof table.getBinaryFast === "function";
}

function isNativeAddon(value: unknown): value is NativeAddon {
  if (typeof value !== "object" || value === null) return false;
  return (
    typeof Reflect.get(value, "Cursor") === "function" && typeof Reflect.get(value, "position") === "function"
  );
}
