// Opening the files of a store: what must hold before lmdb may touch them, and before their tables may be used.
import { mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { StoreError } from "../errors.ts";
import { assertDiskSpace } from "./disk-space.ts";
import { toStoreError } from "./failure.ts";
import { assertFileHeader, loadFormat } from "./format.ts";
import { MAX_READERS, prepareLockFile } from "./lock-file.ts";
import { FORMAT, MAX_TABLES, openTables, type Tables } from "./tables.ts";

/** Which files to open, and how. */
export interface EnvironmentOptions {
  readonly path: string;
  readonly readOnly: boolean;
  readonly mapSizeBytes?: number | undefined;
}

/** The open files of a store. */
export interface Environment {
  readonly root: RootDatabase;
  readonly tables: Tables;
  /** The directory, absolute. */
  readonly path: string;
  /** Format that the tables are in; undefined when they are new. */
  readonly format: number | undefined;
  close(): Promise<void>;
}

const DEFAULT_MAP_BYTES = 2 ** 38;
/** Directories of the stores open in this process: lmdb can have one environment for each. */
const openPaths = new Set<string>();

/** Opens the files in a directory. Throws StoreError when they cannot be used as asked. */
export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const path = resolve(options.path);
  const { readOnly, mapSizeBytes = DEFAULT_MAP_BYTES } = options;
  if (openPaths.has(path)) {
    throw new StoreError(
      "locked",
      `process ${process.pid}, this one, has the store at ${path} open already`,
      {
        details: { path, pid: process.pid },
      },
    );
  }
  if (readOnly && isEmpty(join(path, "data.mdb"))) {
    throw new StoreError("absent", `there is no store at ${path}`, { details: { path } });
  }
  openPaths.add(path);
  try {
    assertFileHeader(path);
    if (!readOnly) {
      mkdirSync(path, { recursive: true });
      assertDiskSpace(path);
      prepareLockFile(path);
    }
    const root = openRoot(path, readOnly, mapSizeBytes);
    const close = async (): Promise<void> => {
      await root.close();
      openPaths.delete(path);
    };
    try {
      const format = loadFormat(root, path);
      if (readOnly && format !== undefined && format < FORMAT) {
        throw new StoreError(
          "format",
          `the store at ${path} has format ${format}, older than ${FORMAT}: start a node on it once to upgrade it`,
          { details: { path, format, supported: FORMAT } },
        );
      }
      const tables = openTables(root);
      if (tables === undefined) throw new StoreError("absent", `there is no store at ${path}`);
      return { root, tables, path, format, close };
    } catch (error) {
      await root.close();
      throw error;
    }
  } catch (error) {
    openPaths.delete(path);
    throw toStoreError(error, path);
  }
}

/** True for a file that is not there, or that nothing was written to yet. */
function isEmpty(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function openRoot(path: string, readOnly: boolean, mapSize: number): RootDatabase {
  return open({
    path,
    noSubdir: false,
    readOnly,
    mapSize,
    maxDbs: MAX_TABLES,
    maxReaders: MAX_READERS,
    encoding: "binary",
    keyEncoding: "binary",
    // A commit must be on disk before anyone sees it.
    overlappingSync: false,
  });
}
