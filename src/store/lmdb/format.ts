// Checks whether a directory contains a store that this code can read.
import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { StoreError } from "../errors.ts";
import { FORMAT, isTableName, MAX_TABLES, META } from "./tables.ts";

/** Byte offsets in lmdb's two meta pages (the first two of a file) on a 64-bit machine. */
export const META_AT = {
  magic: 24,
  version: 28,
  pageBytes: 48,
  lastPage: 144,
  transaction: 152,
  end: 168,
} as const;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;

/**
 * Throws StoreError `corrupt` or `format` unless the directory's file is missing, empty, or starts with lmdb's header.
 * lmdb would crash the process on any other file.
 */
export function assertFileHeader(path: string): void {
  const header = readHeader(join(path, "data.mdb"));
  if (header === undefined || header.length === 0) return;
  if (header.length < META_AT.end || header.readUInt32LE(META_AT.magic) !== MAGIC) {
    throw new StoreError("corrupt", `the file at ${path} is not a database`, { details: { path } });
  }
  const version = header.readUInt16LE(META_AT.version);
  if (version !== DATA_VERSION) {
    throw new StoreError(
      "format",
      `the file at ${path} has data version ${version}, expected ${DATA_VERSION}`,
      {
        details: { path, version },
      },
    );
  }
}

function readHeader(file: string): Buffer | undefined {
  try {
    const descriptor = openSync(file, "r");
    try {
      const buffer = Buffer.alloc(META_AT.end);
      return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Format of the store in an environment; undefined before its creation. Throws StoreError `format` for a database
 * that is not a store, and for a newer format.
 */
export function loadFormat(root: RootDatabase, path: string): number | undefined {
  const existing = { name: "meta", encoding: "binary", keyEncoding: "binary", create: false } as const;
  const meta = root.openDB<Buffer, Uint8Array>(existing);
  const row = meta?.get(META.format);
  if (row === undefined) {
    // Tables are created before the format row: a store in creation, or abandoned then, has some of the tables.
    if ([...root.getKeys({ limit: MAX_TABLES + 1 })].every(isNameOfTable)) return undefined;
    throw new StoreError("format", `${path} holds a database that is not a store`, { details: { path } });
  }
  const format = row.length === 4 ? row.readUInt32BE() : Number.NaN;
  if (format <= FORMAT) return format;
  throw new StoreError("format", `the store at ${path} has format ${format}, this version reads ${FORMAT}`, {
    details: { path, format, supported: FORMAT },
  });
}

/** lmdb stores table names with a terminating zero. */
function isNameOfTable(key: unknown): boolean {
  return isTableName(String(key).replace("\0", ""));
}
