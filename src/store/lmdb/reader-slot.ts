// This process's slot in lmdb's table of readers, held while the store is open. For each process that reads, lmdb locks
// the byte of the lock file at the offset of its process id, and the kernel drops that lock when the process ends. So a
// slot that lmdb does not clear belongs to a living process, in any PID namespace of this machine. lmdb takes and frees
// slots as it reads; the slot held here stays, and pins no pages.
import * as lmdb from "lmdb";
import { StoreError } from "../errors.ts";
import { MAX_READERS } from "./lock-file.ts";
import { MAX_TABLES } from "./tables.ts";

/** A held slot. */
export interface ReaderSlot {
  /** The slot as listed in the table: process id and thread. */
  readonly name: string;
  /** The slots of all living readers, this one among them. Clears those of dead readers first. */
  listReaders(): readonly string[];
  free(): void;
}

/** Must equal the options of the store's environment: inside one process lmdb shares the map between the two. */
export interface SlotOptions {
  readonly path: string;
  readonly readOnly: boolean;
  readonly mapSize: number;
}

interface NativeEnv {
  open(options: object, flags: number, ownFlags: number): number;
  close(): void;
  readerCheck(): number;
  readerList(): readonly string[];
}

interface NativeTransaction {
  readonly address: number;
  abort(): void;
}

interface NativeAddon {
  readonly Env: new () => NativeEnv;
  readonly Txn: new (env: NativeEnv, flags: number) => NativeTransaction;
  resetTxn(address: number): void;
}

const READ_ONLY = 0x20000;
const KEY_BUFFER_BYTES = 4096;
/** EAGAIN: another process has locked the byte of this process id. */
const ID_TAKEN = 11;

/** Takes a slot. Throws StoreError `locked` while a process with the same id, in another PID namespace, has one. */
export function holdReaderSlot(options: SlotOptions): ReaderSlot {
  // A dead process with the same id may have left slots. lmdb takes them for this process's own, so its check never clears
  // them; closing does. This process holds the lock of the id, so no living process uses them.
  const first = openSlot(options);
  first.transaction.abort();
  first.env.close();
  const { env, native, transaction } = openSlot(options);
  const listReaders = (): string[] => {
    env.readerCheck();
    return [
      ...env
        .readerList()
        .join("")
        .matchAll(/^ {0,32}(\d{1,10} [0-9a-f]{1,16}) /gm),
    ].map(([, name]) => name ?? "");
  };
  const name = listReaders().find((reader) => reader.startsWith(`${process.pid} `)) ?? "";
  // Ends the snapshot, keeps the slot.
  native.resetTxn(transaction.address);
  return {
    name,
    listReaders,
    free: () => {
      transaction.abort();
      env.close();
    },
  };
}

function openSlot({ path, readOnly, mapSize }: SlotOptions): {
  readonly native: NativeAddon;
  readonly env: NativeEnv;
  readonly transaction: NativeTransaction;
} {
  const native: unknown = Reflect.get(lmdb, "nativeAddon");
  if (!isNativeAddon(native)) throw new Error("this lmdb has no native transactions");
  const env = new native.Env();
  const keyBytes = Buffer.alloc(KEY_BUFFER_BYTES);
  env.open(
    { path, keyBytes, mapSize, maxDbs: MAX_TABLES, maxReaders: MAX_READERS },
    readOnly ? READ_ONLY : 0,
    0,
  );
  try {
    return { native, env, transaction: new native.Txn(env, READ_ONLY) };
  } catch (error) {
    env.close();
    if (error instanceof Error && Reflect.get(error, "code") === ID_TAKEN) throw idTaken(path, error);
    throw error;
  }
}

function idTaken(path: string, cause: Error): StoreError {
  const { pid } = process;
  return new StoreError(
    "locked",
    `another process with the id ${pid}, in another PID namespace, has the store at ${path} open: give the containers one PID namespace, or their processes different ids`,
    { details: { path, pid }, cause },
  );
}

function isNativeAddon(value: unknown): value is NativeAddon {
  if (typeof value !== "object" || value === null) return false;
  return ["Env", "Txn", "resetTxn"].every((name) => typeof Reflect.get(value, name) === "function");
}
