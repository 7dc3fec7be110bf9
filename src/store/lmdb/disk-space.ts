// Whether a write can work, asked before lmdb tries: a write that fails inside lmdb may leave the open file useless
// to its process, and the reason is better known here.
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../errors.ts";
import { toStoreError } from "./failure.ts";

/** Room that is left alone: for the last page, for the locks beside the data, for others on the disk. */
const RESERVE_BYTES = 32 << 20;
/** What a changed row may cost: its page and those above it are written anew. */
const ROW_BYTES = 8192;

/** Throws StoreError `full` or `unwritable` unless the directory's disk has room for so many rows and bytes. */
export function assertDiskSpace(path: string, rows = 0, bytes = 0): void {
  try {
    const file = join(path, "data.mdb");
    if (existsSync(file)) accessSync(file, constants.W_OK);
    const { bavail, blocks, bsize } = statfsSync(path);
    const needed = RESERVE_BYTES + rows * ROW_BYTES + bytes;
    // A file system that does not count says that it has no blocks at all.
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
