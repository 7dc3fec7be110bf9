// lmdb keeps the number of the last transaction in the lock file, and a write begins from the head that it names. A
// process that opens the environment writes there the number that it read from the data file a moment before (lmdb
// 3.5.6, mdb_env_open2), so a commit in between is set back: reads see the older head, and the next write would undo
// the commit or fail. Every write therefore compares the number with the data file first, and sets it right.
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { StoreError } from "../errors.ts";
import { META_AT } from "./format.ts";

/** Where the number lies in the lock file. */
const NUMBER_AT = 8;
const NUMBER_BYTES = 8;
/** Another process may set the number back again meanwhile. */
const MAX_TRIES = 1000;

/** The number of the last transaction of an open environment. */
export class TransactionNumber {
  readonly #root: RootDatabase;
  readonly #native: NativeEnv;
  /** Never closed before lmdb's environment is: that would drop the locks that lmdb holds on the same file. */
  readonly #lock: number;
  readonly #data: number;
  readonly #buffer = Buffer.alloc(META_AT.end);

  constructor(root: RootDatabase, path: string, readOnly: boolean) {
    const native: unknown = Reflect.get(root, "env");
    if (!isNativeEnv(native)) throw new Error("this lmdb does not tell the number of a transaction");
    this.#root = root;
    this.#native = native;
    this.#lock = openSync(join(path, "lock.mdb"), readOnly ? "r" : "r+");
    this.#data = openSync(join(path, "data.mdb"), "r");
  }

  /** One write transaction from the newest head: all of it or nothing. `onSetBack` hears when the number was wrong. */
  transact<T>(action: () => T, onSetBack: () => void = () => {}): T {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      let wasSetBack = false;
      try {
        return this.#root.transactionSync(() => {
          const last = this.#lastCommitted();
          wasSetBack = this.#native.getWriteTxnId() !== last + 1;
          if (!wasSetBack) return action();
          // Nobody else commits inside this transaction, which the throw gives up.
          this.#raise(last);
          throw new Error("the number of the last transaction was set back");
        });
      } catch (error) {
        if (!wasSetBack) throw error;
        onSetBack();
      }
    }
    throw new StoreError("unwritable", "other processes open the store so often that it cannot be written");
  }

  /** The number as other processes wrote it last: it changes with every write. Costs half a microsecond. */
  read(): bigint {
    readSync(this.#lock, this.#buffer, 0, NUMBER_BYTES, NUMBER_AT);
    return this.#buffer.readBigUInt64LE();
  }

  /** To be called after lmdb's environment is closed. */
  close(): void {
    closeSync(this.#lock);
    closeSync(this.#data);
  }

  /** The higher of the numbers in the two head pages of the data file. */
  #lastCommitted(): number {
    const first = this.#readHead(0);
    return Math.max(first, this.#readHead(this.#buffer.readUInt32LE(META_AT.pageBytes)));
  }

  #readHead(offset: number): number {
    readSync(this.#data, this.#buffer, 0, META_AT.end, offset);
    return Number(this.#buffer.readBigUInt64LE(META_AT.transaction));
  }

  #raise(last: number): void {
    const number = Buffer.alloc(NUMBER_BYTES);
    number.writeBigUInt64LE(BigInt(last));
    writeSync(this.#lock, number, 0, NUMBER_BYTES, NUMBER_AT);
  }
}

interface NativeEnv {
  getWriteTxnId(): number;
}

function isNativeEnv(value: unknown): value is NativeEnv {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, "getWriteTxnId") === "function"
  );
}
