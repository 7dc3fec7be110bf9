// The files of a store before lmdb opens them: on which disks they may lie, the space they need, and their modes. All
// that a store creates is readable by its own user alone, however loose the umask is. Existing directories and files
// keep their modes, so that an operator may open them to a group.
import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { StoreError } from "../errors.ts";
import { toStoreError } from "./failure.ts";

const DATA_FILE = "data.mdb";
const LOCK_FILE = "lock.mdb";

const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Processes and threads that may read at once. */
export const MAX_READERS = 2048;
/** One slot per reader, and a page for the rest. */
const LOCK_BYTES = MAX_READERS * 64 + 4096;

/** Space kept free for the last page, the lock file and other users of the disk. */
const RESERVE_BYTES = 32 << 20;
/** Cost of a changed row: lmdb rewrites its page and the pages above it. */
const ROW_BYTES = 8192;

/** Linux type numbers of file systems that only one machine can use. */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // btrfs
  0x2fc12fc1, // ZFS
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x3153464a, // JFS
  0x52654973, // ReiserFS
  0x3434, // NILFS
  0x794c7630, // overlay, whose writable layer is local
  0x01021994, // tmpfs
  0x858458f6, // ramfs
]);

/**
 * Throws StoreError `unwritable` unless a directory, which may be missing, lies on a file system of one machine. The locks
 * of lmdb and the memory that its processes share hold on one machine only: two machines would write at once.
 */
export function assertLocalDisk(path: string): void {
  // Other systems number the types differently.
  if (process.platform !== "linux") return;
  let place = resolve(path);
  while (!existsSync(place)) place = dirname(place);
  const { type } = statfsSync(place);
  if (LOCAL_TYPES.has(type)) return;
  throw new StoreError(
    "unwritable",
    `${path} is on a network file system, or on one of an unknown type (0x${type.toString(16)}), where another machine could write to the same store: use a directory on a local disk; to serve from several machines, follow this node with --upstream, or use Cassandra`,
    { details: { path } },
  );
}

/** Throws StoreError `full` or `unwritable` unless the directory's disk can take `rows` rows with `bytes` bytes. */
export function assertDiskSpace(path: string, rows = 0, bytes = 0): void {
  try {
    const file = join(path, DATA_FILE);
    if (existsSync(file)) accessSync(file, constants.W_OK);
    const { bavail, blocks, bsize } = statfsSync(path);
    const needed = RESERVE_BYTES + rows * ROW_BYTES + bytes;
    // A file system without accounting reports zero blocks.
    if (blocks === 0 || bavail * bsize >= needed) return;
    throw new StoreError(
      "full",
      `no space left for the store (${path}): ${bavail * bsize} bytes are free, ${needed} needed`,
      { details: { path } },
    );
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/**
 * Creates a directory and its parents if missing, one by one: Node's recursive form hides why a directory cannot be made,
 * and never returns where a file system refuses with "no such file".
 */
export function makeDirectory(path: string): void {
  const whole = resolve(path);
  const missing: string[] = [];
  for (let at = whole; !existsSync(at); at = dirname(at)) missing.push(at);
  for (const directory of missing.reverse()) {
    try {
      mkdirSync(directory, { mode: DIRECTORY_MODE });
    } catch (error) {
      // Another process may make the same one.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  if (!statSync(whole).isDirectory()) mkdirSync(whole);
}

/** Creates an empty data file if missing, before lmdb would with a mode of its own. */
export function createDataFile(path: string): void {
  closeSync(openSync(join(path, DATA_FILE), "a", FILE_MODE));
}

/**
 * Creates the lock file if missing. lmdb maps it as a sparse file, and the first write to a hole on a full disk kills the
 * process; so this allocates the whole file before lmdb opens it. Throws file system errors.
 */
export function createLockFile(path: string): void {
  const file = join(path, LOCK_FILE);
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

/**
 * Device and number of the data file in a directory; undefined if there is none. A copy of the directory, or another one
 * in its place, has the same name and another file.
 */
export function fileMark(path: string): string | undefined {
  const stat = statSync(join(path, DATA_FILE), { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}
