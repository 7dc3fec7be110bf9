// Translates errors of lmdb and the file system to StoreError.
import { errorText } from "../../base/errors.ts";
import { StoreError, type StoreErrorCode } from "../errors.ts";

/** Error codes of the operating system and of lmdb. */
const CODES: ReadonlyMap<unknown, StoreErrorCode> = new Map<unknown, StoreErrorCode>([
  [28, "full"], // ENOSPC
  [27, "full"], // EFBIG
  [122, "full"], // EDQUOT
  [12, "full"], // ENOMEM: the map cannot grow
  [5, "full"], // EIO: lmdb reports a short write this way
  [-30792, "full"], // MDB_MAP_FULL
  [13, "unwritable"], // EACCES
  [1, "unwritable"], // EPERM
  [30, "unwritable"], // EROFS
  [20, "unwritable"], // ENOTDIR
  ["EACCES", "unwritable"],
  ["EPERM", "unwritable"],
  ["EROFS", "unwritable"],
  ["ENOTDIR", "unwritable"],
  ["EEXIST", "unwritable"],
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EFBIG", "full"],
  [-30793, "corrupt"], // MDB_INVALID
  [-30794, "format"], // MDB_VERSION_MISMATCH
  [-30796, "corrupt"], // MDB_CORRUPTED
  [-30797, "corrupt"], // MDB_PAGE_NOTFOUND
  [-30795, "corrupt"], // MDB_PANIC
  [-30782, "given_up"], // MDB_BAD_TXN
  [-30779, "given_up"], // MDB_PROBLEM
]);

const HINTS: Readonly<Record<StoreErrorCode, string>> = {
  full: "no space left for the store, or the disk fails; this write was rolled back",
  unwritable: "the store's directory cannot be written",
  unreachable: "the store cannot be reached",
  corrupt: "the store's file is damaged or not a store",
  format: "the store was made by another version of lmdb",
  locked: "the store is locked",
  absent: "there is no store",
  identity: "the store holds another chain",
  order: "the write is out of order",
  given_up:
    "lmdb gave up a write for a reason of its own; nothing is lost: start again to continue with the last commit",
};

/** Converts errors with a known code to StoreError; returns others unchanged. */
export function toStoreError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const code = CODES.get(Reflect.get(error, "code"));
  if (code === undefined) return error;
  return new StoreError(code, `${HINTS[code]} (${path}): ${errorText(error)}`, {
    details: { path },
    cause: error,
  });
}
