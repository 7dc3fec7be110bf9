// Reads the reader slots from a store's lock file directly: opening it with lmdb would clear dead readers.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Offset of the first slot on a 64-bit machine, and size of a slot. */
const FIRST_SLOT_AT = 208;
const SLOT_BYTES = 64;
const NO_TRANSACTION = 0xffff_ffff_ffff_ffffn;

/** One reader. */
export interface ReaderSlot {
  readonly pid: number;
  /** The snapshot whose pages it pins; undefined if it reads none. */
  readonly transaction: bigint | undefined;
}

/**
 * The used slots in a data directory's lock file. Never call it for a store that this process has open: closing the
 * file releases lmdb's locks on it.
 */
export function readerSlots(path: string): ReaderSlot[] {
  const file = readFileSync(join(path, "lock.mdb"));
  const slots: ReaderSlot[] = [];
  for (let at = FIRST_SLOT_AT; at + SLOT_BYTES <= file.length; at += SLOT_BYTES) {
    const transaction = file.readBigUInt64LE(at);
    const pid = file.readInt32LE(at + 8);
    if (pid !== 0) slots.push({ pid, transaction: transaction === NO_TRANSACTION ? undefined : transaction });
  }
  return slots;
}

/** Process ids in the slots. */
export function readerPids(path: string): number[] {
  return readerSlots(path).map(({ pid }) => pid);
}
