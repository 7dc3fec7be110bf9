// The file of readers and locks beside the data. lmdb maps it into memory as a file with holes, and a hole that
// is first written when the disk is full ends the process; so it is made whole before lmdb sees it.
import { randomUUID } from "node:crypto";
import { existsSync, linkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Processes and threads that may read at once. */
export const MAX_READERS = 2048;
/** One slot for each reader, and a page for the rest. */
const LOCK_BYTES = MAX_READERS * 64 + 4096;

/** Makes the file where it is missing. Throws what the file system throws. */
export function prepareLockFile(path: string): void {
  const file = join(path, "lock.mdb");
  if (existsSync(file)) return;
  // Another process may be doing the same: only a link comes into being with its content.
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, Buffer.alloc(LOCK_BYTES), { flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
