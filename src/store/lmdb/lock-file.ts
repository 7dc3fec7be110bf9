// lmdb's lock file. lmdb maps it as a sparse file, and the first write to a hole on a full disk kills the process; so
// this allocates the whole file before lmdb opens it.
import { randomUUID } from "node:crypto";
import { existsSync, linkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FILE_MODE } from "./private-files.ts";

/** Processes and threads that may read at once. */
export const MAX_READERS = 2048;
/** One slot per reader, and a page for the rest. */
const LOCK_BYTES = MAX_READERS * 64 + 4096;

/** Creates the file if missing. Throws file system errors. */
export function prepareLockFile(path: string): void {
  const file = join(path, "lock.mdb");
  if (existsSync(file)) return;
  // Another process may do the same: a link makes the file appear with its content.
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, Buffer.alloc(LOCK_BYTES), { flush: true, mode: FILE_MODE });
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
