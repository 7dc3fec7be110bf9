// Header and table directory of the binary format: magic, version word, and the byte range of each table.
import { bytecodeError, Cursor } from "./cursor.ts";

/** Newest supported format version. */
export const MAX_FORMAT_VERSION = 10;
/** Largest accepted module or script, in bytes; the largest known is a thirtieth of it. */
export const MAX_BYTECODE_BYTES = 1 << 20;

/** First bytes of every module and script. */
export const MAGIC: readonly number[] = [0xa1, 0x1c, 0xeb, 0x0b];
/** Flavour bits of the version word, written from version 7 on. */
export const FLAVOUR_BITS = 0x0a00_0000;

/** Table kinds by their number in the directory. */
export const TABLE = {
  moduleHandles: 0x01,
  structHandles: 0x02,
  functionHandles: 0x03,
  functionInstantiations: 0x04,
  signatures: 0x05,
  constants: 0x06,
  identifiers: 0x07,
  addresses: 0x08,
  structDefinitions: 0x0a,
  structInstantiations: 0x0b,
  functionDefinitions: 0x0c,
  fieldHandles: 0x0d,
  fieldInstantiations: 0x0e,
  friends: 0x0f,
  metadata: 0x10,
  variantFieldHandles: 0x11,
  variantFieldInstantiations: 0x12,
  structVariantHandles: 0x13,
  structVariantInstantiations: 0x14,
} as const;

/** One past the highest table kind. */
export const TABLE_KINDS = 0x15;

/** The kind of a file; the header does not tell it. */
export type FileKind = "module" | "script";

const IN_SCRIPTS = new Set<number>([1, 2, 3, 4, 5, 6, 7, 8, TABLE.metadata]);

function sinceVersion(kind: number): number {
  if (kind === TABLE.friends) return 2;
  if (kind === TABLE.metadata) return 5;
  return kind > TABLE.metadata ? 7 : 1;
}

/** The tables of one file and the part after them. */
export interface Directory {
  readonly version: number;
  /** Cursor over one table; empty when the file has no such table. */
  table(kind: number): Cursor;
  /** Cursor over the bytes after the tables. */
  readonly tail: Cursor;
}

interface Entry {
  readonly kind: number;
  readonly offset: number;
  readonly size: number;
  readonly at: number;
}

function readVersion(bytes: Uint8Array): number {
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw bytecodeError("BAD_MAGIC", 0, "the bytes do not begin with a11ceb0b");
  }
  if (bytes.length < 8) throw bytecodeError("MALFORMED", 4, "the version is cut short");
  const word = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(4, true);
  const version = (word & ~FLAVOUR_BITS) >>> 0;
  if (version === 0 || version > MAX_FORMAT_VERSION) {
    throw bytecodeError(
      "UNKNOWN_VERSION",
      4,
      `format version ${version}, expected 1 to ${MAX_FORMAT_VERSION}`,
    );
  }
  return version;
}

function readEntries(cursor: Cursor, file: FileKind): Entry[] {
  const entries: Entry[] = [];
  const count = cursor.uleb(0xff, "table count");
  for (let i = 0; i < count; i++) {
    const at = cursor.offset;
    const kind = cursor.u8("table kind");
    const offset = cursor.uleb(0xffff_ffff, "table offset");
    const size = cursor.uleb(0xffff_ffff, "table size");
    if (kind === 0 || kind === 0x09 || kind >= TABLE_KINDS) {
      cursor.fail("UNKNOWN_TABLE_TYPE", `table kind ${kind}`, at);
    }
    if (cursor.version < sinceVersion(kind)) {
      cursor.fail("MALFORMED", `table kind ${kind} does not exist in format version ${cursor.version}`, at);
    }
    if (file === "script" && !IN_SCRIPTS.has(kind)) {
      cursor.fail("MALFORMED", `a script has no table of kind ${kind}`, at);
    }
    entries.push({ kind, offset, size, at });
  }
  return entries;
}

/** Reads header and directory, and checks that the tables cover the contents without gap or overlap. */
export function readDirectory(input: Uint8Array, file: FileKind): Directory {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  if (bytes.length > MAX_BYTECODE_BYTES) {
    throw bytecodeError(
      "CODE_TOO_LARGE",
      0,
      `${bytes.length} bytes, at most ${MAX_BYTECODE_BYTES} are accepted`,
    );
  }
  const version = readVersion(bytes);
  const cursor = new Cursor(bytes, version, 8, bytes.length);
  const entries = readEntries(cursor, file);
  const start = cursor.offset;
  const ranges: ({ readonly from: number; readonly to: number } | undefined)[] = [];
  let next = 0;
  for (const { kind, offset, size, at } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (offset !== next) cursor.fail("BAD_HEADER_TABLE", `table at ${offset}, expected ${next}`, at);
    if (size === 0) cursor.fail("BAD_HEADER_TABLE", "an empty table must be left out", at);
    if (ranges[kind] !== undefined) cursor.fail("DUPLICATE_TABLE", `table kind ${kind} occurs twice`, at);
    next += size;
    if (next > bytes.length) cursor.fail("BAD_HEADER_TABLE", "tables reach past the end", at);
    ranges[kind] = { from: start + offset, to: start + next };
  }
  if (next > bytes.length - start) cursor.fail("MALFORMED", "table contents are cut short");
  const piece = { bytes: 0 };
  return {
    version,
    tail: new Cursor(bytes, version, start + next, bytes.length, piece),
    table: (kind) => {
      const range = ranges[kind];
      return new Cursor(bytes, version, range?.from ?? start, range?.to ?? start, piece);
    },
  };
}
