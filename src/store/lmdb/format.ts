// Checks whether a directory contains a store that this code can read.
import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { StoreError } from "../errors.ts";
import { FORMAT, isTableName, MAX_TABLES, META, type Tables } from "./tables.ts";

/** Byte offsets in lmdb's two meta pages (the first two of a file) on a 64-bit machine. */
export const META_AT = {
  number: 0,
  pageFlags: 18,
  magic: 24,
  version: 28,
  pageBytes: 48,
  flags: 52,
  freeTree: 48,
  mainTree: 96,
  lastPage: 144,
  transaction: 152,
  end: 168,
} as const;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const META_PAGE = 0x08;
/** The keys of the list of free pages are integers; lmdb stores no other flag for the options of a store. */
const FILE_FLAGS = 0x08;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65_536;
/** Stands for the root of an empty tree. */
export const NO_PAGE = Number.POSITIVE_INFINITY;

/** Offsets in lmdb's record of a tree. */
const TREE_AT = { flags: 4, depth: 6, branches: 8, leaves: 16, overflow: 24, entries: 32, root: 40 } as const;
/** Bytes of that record. */
export const TREE_BYTES = 48;

/** One tree of pages, as lmdb describes it. */
export interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly overflow: number;
  readonly entries: number;
  /** NO_PAGE if the tree is empty. */
  readonly root: number;
}

/** The newest snapshot in a file. */
export interface Head {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly free: Tree;
  readonly main: Tree;
}

/** The record of a tree at an offset; numbers beyond 2^53 become infinite. */
export function readTree(bytes: Buffer, at: number): Tree {
  const read = (offset: number): number => {
    const value = bytes.readBigUInt64LE(at + offset);
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? NO_PAGE : Number(value);
  };
  return {
    flags: bytes.readUInt16LE(at + TREE_AT.flags),
    depth: bytes.readUInt16LE(at + TREE_AT.depth),
    branches: read(TREE_AT.branches),
    leaves: read(TREE_AT.leaves),
    overflow: read(TREE_AT.overflow),
    entries: read(TREE_AT.entries),
    root: read(TREE_AT.root),
  };
}

/**
 * Throws StoreError `corrupt` or `format` unless the directory's file is missing, empty, or starts with lmdb's header
 * and is as long as that says. lmdb would crash the process on any other file.
 */
export function assertFileHeader(path: string): void {
  const file = openIfThere(join(path, "data.mdb"));
  if (file === undefined) return;
  try {
    loadHead(file, path);
  } finally {
    closeSync(file);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return undefined;
    throw error;
  }
}

/** A writer may be in the middle of changing a meta page. */
const MAX_LOOKS = 100;
const LOOK_MS = 1;

/** The newest head of a file; undefined if the file is empty. Throws StoreError `corrupt` or `format`. */
export function loadHead(file: number, path: string): Head | undefined {
  let seen: Buffer | undefined;
  for (let looks = 0; ; looks++) {
    const header = readHeader(file);
    try {
      return header.length === 0 ? undefined : decodeHead(header, path);
    } catch (error) {
      // Damage stays as it is.
      if (looks === MAX_LOOKS || seen?.equals(header) === true) throw error;
    }
    seen = header;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}

/** The two meta pages, or what there is of them. */
function readHeader(file: number): Buffer {
  const first = Buffer.alloc(META_AT.end);
  const length = readSync(file, first, 0, first.length, 0);
  if (length < first.length) return first.subarray(0, length);
  const pageBytes = first.readUInt32LE(META_AT.pageBytes);
  if (pageBytes < MIN_PAGE_BYTES || pageBytes > MAX_PAGE_BYTES) return first;
  const header = Buffer.alloc(pageBytes + META_AT.end);
  return header.subarray(0, readSync(file, header, 0, header.length, 0));
}

function decodeHead(header: Buffer, path: string): Head {
  const refuse = (what: string): never => {
    throw new StoreError("corrupt", `the file at ${path} ${what}`, { details: { path } });
  };
  if (header.length < META_AT.end || header.readUInt32LE(META_AT.magic) !== MAGIC)
    refuse("is not a database");
  const version = header.readUInt16LE(META_AT.version);
  if (version !== DATA_VERSION) {
    throw new StoreError(
      "format",
      `the file at ${path} has data version ${version}, expected ${DATA_VERSION}`,
      { details: { path, version } },
    );
  }
  const pageBytes = header.readUInt32LE(META_AT.pageBytes);
  if (header.length !== pageBytes + META_AT.end) refuse("is damaged or cut off: its second page is missing");
  const metas = [header.subarray(0, META_AT.end), header.subarray(pageBytes)];
  const heads = metas.map((meta, slot) => {
    const isSound =
      meta.readBigUInt64LE(META_AT.number) === BigInt(slot) &&
      meta.readUInt16LE(META_AT.pageFlags) === META_PAGE &&
      meta.readUInt32LE(META_AT.magic) === MAGIC &&
      meta.readUInt32LE(META_AT.version) === DATA_VERSION &&
      meta.readUInt32LE(META_AT.pageBytes) === pageBytes &&
      meta.readUInt16LE(META_AT.flags) === FILE_FLAGS;
    if (!isSound) refuse(`is damaged: its page ${slot} has a wrong header`);
    const lastPage = Number(meta.readBigUInt64LE(META_AT.lastPage));
    const transaction = meta.readBigUInt64LE(META_AT.transaction);
    return {
      pageBytes,
      lastPage,
      transaction,
      free: readTree(meta, META_AT.freeTree),
      main: readTree(meta, META_AT.mainTree),
    };
  });
  const [even, odd] = heads as [Head, Head];
  // Transaction N writes page N modulo 2. A new file has zero in both.
  const distance = odd.transaction - even.transaction;
  const isPair = even.transaction % 2n === 0n && (distance === 1n || distance === -1n);
  const isNew = even.transaction === 0n && odd.transaction === 0n;
  if (!isPair && !isNew) refuse("is damaged: its first two pages do not follow one another");
  return odd.transaction > even.transaction ? odd : even;
}

/**
 * True if the environment holds a store, false before its creation. Throws StoreError `format` for a database that is
 * not a store, and for a store of another format.
 */
export function hasStore(root: RootDatabase, path: string): boolean {
  const existing = { name: "meta", encoding: "binary", keyEncoding: "binary", create: false } as const;
  const meta = root.openDB<Buffer, Uint8Array>(existing);
  const row = meta?.get(META.format);
  if (meta === undefined || row === undefined) {
    // Tables are created before the format row: a store in creation, or abandoned then, has some of the tables.
    const isEmpty = meta === undefined || META_OF_LEDGERS.every((key) => meta.get(key) === undefined);
    if (isEmpty && [...root.getKeys({ limit: MAX_TABLES + 1 })].every(isNameOfTable)) return false;
    throw new StoreError("format", `${path} holds a database that is not a store`, { details: { path } });
  }
  const format = row.length === 4 ? row.readUInt32BE() : Number.NaN;
  if (format === FORMAT) return true;
  throw new StoreError(
    "format",
    `the store at ${path} has format ${format}, this version reads ${FORMAT}: use the version that wrote it, or follow or restore into a new directory`,
    { details: { path, format, supported: FORMAT } },
  );
}

export function writeFormat({ meta }: Pick<Tables, "meta">): void {
  const row = Buffer.alloc(4);
  row.writeUInt32BE(FORMAT);
  meta.putSync(META.format, row);
}

/** Rows that only a created store has. */
const META_OF_LEDGERS = [META.identity, META.position] as const;

/** lmdb stores table names with a terminating zero. */
function isNameOfTable(key: unknown): boolean {
  return isTableName(String(key).replace("\0", ""));
}
