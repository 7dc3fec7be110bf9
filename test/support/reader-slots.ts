// The readers that a store's lock file lists, read from the file itself: opening it with lmdb would clear the dead.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where lmdb keeps the process id of the first slot on a 64-bit machine, and how far it is to the next. */
const FIRST_PID_AT = 216;
const SLOT_BYTES = 64;

/**
 * Process ids in the slots of a data directory's lock file. Never for a store that this process has open: closing the
 * file again gives up the locks that lmdb holds on it.
 */
export function readerPids(path: string): number[] {
  const file = readFileSync(join(path, "lock.mdb"));
  const pids: number[] = [];
  for (let at = FIRST_PID_AT; at + 4 <= file.length; at += SLOT_BYTES) pids.push(file.readInt32LE(at));
  return pids.filter((pid) => pid !== 0);
}
