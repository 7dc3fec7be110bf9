// Opens the files of a store, after the checks that must precede lmdb's access and the use of the tables.
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RootDatabase } from "lmdb";
import { isGivenUp, StoreError } from "../errors.ts";
import { toStoreError } from "./failure.ts";
import {
  assertDiskSpace,
  createDataFile,
  createLockFile,
  fileMark,
  MAX_READERS,
  makeDirectory,
} from "./files.ts";
import { assertFileHeader, hasStore } from "./format.ts";
import { forgetDatabases, loadLmdb } from "./native.ts";
import { assertPages } from "./page-check.ts";
import { holdReaderSlot, type ReaderSlot } from "./reader-slot.ts";
import { MAX_TABLES, openTables, type Tables } from "./tables.ts";
import { TransactionNumber } from "./transaction-number.ts";

/** Reads the tables of a store. Throws to refuse it. */
export type StoreLook = (environment: Pick<Environment, "tables" | "slot" | "path">) => void;

/** Options of `openEnvironment`. */
export interface EnvironmentOptions {
  readonly path: string;
  readonly readOnly: boolean;
  readonly mapSizeBytes?: number | undefined;
  /** Checks every page of the file, whatever its size; see page-check.ts. */
  readonly checkAllPages?: boolean;
  /** False leaves the pages unchecked. */
  readonly checksPages?: boolean | undefined;
  /** Sees a store that is there before it is opened, and throws to refuse it. */
  readonly look?: StoreLook | undefined;
}

/** The open files of a store. */
export interface Environment {
  readonly root: RootDatabase;
  readonly tables: Tables;
  readonly slot: ReaderSlot;
  /** Absolute path of the directory. */
  readonly path: string;
  /** The data file that is open, see file-mark.ts. */
  readonly file: string | undefined;
  /** True when the tables have no format row yet. */
  readonly isNew: boolean;
  /**
   * One write transaction, see TransactionNumber. Throws StoreError: `unwritable` where the files are open for reading;
   * `given_up` for a write that lmdb gave up, and for every write after it.
   */
  transact<T>(action: () => T, onSetBack?: () => void): T;
  /** Changes with every write of another process; undefined where there is none. */
  lastWrite(): bigint | undefined;
  close(): Promise<void>;
}

const DEFAULT_MAP_BYTES = 2 ** 38;
/** Directories open in this process: lmdb allows one environment for each. */
const openPaths = new Set<string>();

/** A reader makes a missing lock file too, with the mode of the other files; where it may not write, lmdb says why. */
function prepareReaderLock(path: string): void {
  try {
    createLockFile(path);
  } catch {
    // A directory that cannot be written, or a full disk.
  }
}

/** Opens the files in a directory. Throws StoreError. */
export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const path = resolve(options.path);
  const { readOnly, mapSizeBytes = DEFAULT_MAP_BYTES } = options;
  if (openPaths.has(path)) {
    throw new StoreError("locked", `this process (${process.pid}) already has the store at ${path} open`, {
      details: { path, pid: process.pid },
    });
  }
  openPaths.add(path);
  try {
    const wasThere = !isEmpty(join(path, "data.mdb"));
    if (readOnly && !wasThere) {
      throw new StoreError("absent", `there is no store at ${path}`, { details: { path } });
    }
    assertFileHeader(path);
    if (!readOnly) {
      makeDirectory(path);
      assertDiskSpace(path);
      createLockFile(path);
      createDataFile(path);
    } else prepareReaderLock(path);
    const slot = holdReaderSlot({ path, readOnly, mapSize: mapSizeBytes }, () => {
      if (wasThere && options.checksPages !== false) assertPages(path, options.checkAllPages);
    });
    const opened: object[] = [];
    let root: RootDatabase | undefined;
    let number: TransactionNumber | undefined;
    const close = async (): Promise<void> => {
      await root?.close();
      forgetDatabases(opened);
      slot.free();
      number?.close();
      openPaths.delete(path);
    };
    try {
      if (wasThere && options.look !== undefined) await lookInto({ path, slot, mapSizeBytes }, options.look);
      const file = fileMark(path);
      root = openRoot(path, readOnly, mapSizeBytes);
      opened.push(root);
      const isNew = !hasStore(root, path);
      const tables = openTables(root);
      if (tables === undefined) throw new StoreError("absent", `there is no store at ${path}`);
      opened.push(...Object.values(tables));
      number = openNumber(root, path, readOnly);
      let givenUp: StoreError | undefined;
      const transact: Environment["transact"] = (action, onSetBack) => {
        if (readOnly || number === undefined)
          throw new StoreError("unwritable", `the store at ${path} is open for reading`);
        if (givenUp !== undefined) throw givenUp;
        try {
          return number.transact(action, onSetBack);
        } catch (error) {
          const known = toStoreError(error, path);
          // lmdb's list of free pages in memory may be half changed: a later commit could hand out pages in use.
          if (isGivenUp(known)) givenUp = known;
          throw known;
        }
      };
      const lastWrite = (): bigint | undefined => (readOnly ? number?.read() : undefined);
      return { root, tables, slot, path, file, isNew, transact, lastWrite, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    openPaths.delete(path);
    throw toStoreError(error, path);
  }
}

/** Undefined for a reader of a directory that has no lock file and cannot be written, so that nobody writes. */
function openNumber(root: RootDatabase, path: string, readOnly: boolean): TransactionNumber | undefined {
  try {
    return new TransactionNumber(root, path, readOnly);
  } catch (error) {
    if (readOnly && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Opens the tables for reading only, which waits for no lock. The slot keeps the lmdb environment open in between. */
async function lookInto(
  { path, slot, mapSizeBytes }: { path: string; slot: ReaderSlot; mapSizeBytes: number },
  look: StoreLook,
): Promise<void> {
  const root = openRoot(path, true, mapSizeBytes);
  const opened: object[] = [root];
  try {
    // Opening for writing handles an unfinished store.
    const tables = hasStore(root, path) ? openTables(root) : undefined;
    if (tables === undefined) return;
    opened.push(...Object.values(tables));
    look({ tables, slot, path });
  } finally {
    await root.close();
    forgetDatabases(opened);
  }
}

/** True for a missing or empty file. */
function isEmpty(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function openRoot(path: string, readOnly: boolean, mapSize: number): RootDatabase {
  return loadLmdb().open({
    path,
    noSubdir: false,
    readOnly,
    mapSize,
    maxDbs: MAX_TABLES,
    maxReaders: MAX_READERS,
    encoding: "binary",
    keyEncoding: "binary",
    // A commit must be on disk before readers see it.
    overlappingSync: false,
  });
}
