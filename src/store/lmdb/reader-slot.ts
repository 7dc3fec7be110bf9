// This process's slot in lmdb's table of readers, held while the store is open. For each process that reads, lmdb locks
// the byte of the lock file at the offset of its process id, and the kernel drops that lock when the process ends. So a
// slot that lmdb does not clear belongs to a living process, in any PID namespace of this machine. lmdb takes and frees
// slots as it reads; the slot held here stays, and pins no pages.

import { StoreError } from "../errors.ts";
import { MAX_READERS } from "./files.ts";
import { loadLmdb } from "./native.ts";
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
/**
 * EINVAL: the last process that had the store open destroyed its locks while this one waited to open it. The
 * next process that opens it alone creates them again.
 */
const LOCKS_ARE_GONE = 22;
const MAX_TRIES = 200;
const TRY_MS = 5;

/**
 * Takes a slot, and runs `look` while it pins the newest snapshot; nothing but lmdb's first two pages is read until then.
 * Throws StoreError `locked` while a process with the same id, in another PID namespace, has a slot.
 */
export function holdReaderSlot(options: SlotOptions, look: () => void): ReaderSlot {
  const native: unknown = Reflect.get(loadLmdb(), "nativeAddon");
  if (!isNativeAddon(native)) throw new Error("this lmdb has no native transactions");
  const own = `${process.pid} `;
  let held = openSlot(native, options);
  // A dead process that had this process's id may have left slots. lmdb takes them for this process's own, so its check
  // never clears them; closing does. This process holds the lock of the id, so no living process uses them.
  if (listReaders(held.env).filter((name) => name.startsWith(own)).length > 1) {
    closeSlot(held);
    held = openSlot(native, options);
  }
  const { env, transaction } = held;
  const name = listReaders(env).find((reader) => reader.startsWith(own)) ?? "";
  try {
    look();
  } catch (error) {
    closeSlot(held);
    throw error;
  }
  // Ends the snapshot, keeps the slot.
  native.resetTxn(transaction.address);
  return { name, listReaders: () => listReaders(env), free: () => closeSlot({ env, transaction }) };
}

interface HeldSlot {
  readonly env: NativeEnv;
  readonly transaction: NativeTransaction;
}

function openSlot(native: NativeAddon, options: SlotOptions): HeldSlot {
  for (let tries = 1; ; tries++) {
    try {
      return tryToOpen(native, options);
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
      if (code === ID_TAKEN) throw idTaken(options.path, error);
      if (code !== LOCKS_ARE_GONE || tries === MAX_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_MS);
    }
  }
}

function tryToOpen(native: NativeAddon, { path, readOnly, mapSize }: SlotOptions): HeldSlot {
  const env = new native.Env();
  const keyBytes = Buffer.alloc(KEY_BUFFER_BYTES);
  const options = { path, keyBytes, mapSize, maxDbs: MAX_TABLES, maxReaders: MAX_READERS };
  env.open(options, readOnly ? READ_ONLY : 0, 0);
  try {
    return { env, transaction: new native.Txn(env, READ_ONLY) };
  } catch (error) {
    env.close();
    throw error;
  }
}

function closeSlot({ env, transaction }: HeldSlot): void {
  transaction.abort();
  env.close();
}

function listReaders(env: NativeEnv): string[] {
  env.readerCheck();
  // A line for each slot: id, thread, snapshot. The first line names the columns.
  const lines = env.readerList().map((line) => line.trim().split(" "));
  return lines.filter(([pid]) => Number(pid) > 0).map(([pid, thread]) => `${pid} ${thread}`);
}

function idTaken(path: string, cause: unknown): StoreError {
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
