// Checks disk space before lmdb writes: a write that fails inside lmdb may leave the open environment unusable, and the
// reason is clearer here.
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../errors.ts";
import { toStoreError } from "./failure.ts";

/** Space kept free for the last page, the lock file and other users of the disk. */
const RESERVE_BYTES = 32 << 20;
/** Cost of a changed row: lmdb rewrites its page and the pages above it. */
const ROW_BYTES = 8192;

/** Throws StoreError `full` or `unwritable` unless the directory's disk can take `rows` rows with `bytes` bytes. */
export function assertDiskSpace(path: string, rows = 0, bytes = 0): void {
  try {
    const file = join(path, "data.mdb");
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
