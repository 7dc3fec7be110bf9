// Checks lmdb's pages with plain reads of the file, before lmdb follows their numbers through its map: lmdb trusts them,
// so a damaged one ends the process with a signal, or sends a lookup to the wrong place, where a value looks absent.
// Every page that a tree leads to must be of the right kind, lie in the file, belong to one tree only and not be free;
// its keys must be in order, within the bounds of the page above, and match their checksums. Values are not read: each
// read of a row checks its own. The caller pins the snapshot, so that a writer does not reuse its pages meanwhile.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../errors.ts";
import { type Head, loadHead, NO_PAGE, readTree, TREE_BYTES, type Tree } from "./format.ts";
import { isKeyIntact, SUMS_BYTES } from "./sealed-rows.ts";
import { FORMAT, isTableName, META, UNSEALED } from "./tables.ts";

/** Opening a file up to this size checks every page; above it the branch pages, about one in a hundred. */
const WHOLE_CHECK_BYTES = 512 << 20;

/** Offsets in the header of a page. Nodes are placed relative to the end of the header. */
const PAGE_AT = {
  number: 0,
  transaction: 8,
  flags: 18,
  lower: 20,
  upper: 22,
  overflowPages: 20,
  end: 24,
} as const;
const BRANCH_PAGE = 0x01;
const LEAF_PAGE = 0x02;
const OVERFLOW_PAGE = 0x04;

/** Offsets in a node: size of the value or number of the child page, its upper part or flags, size of the key. */
const NODE_AT = { low: 0, flags: 4, keyBytes: 6, end: 8 } as const;
/** Flag of a tree whose keys are 64-bit numbers. */
const NUMBER_KEYS = 0x08;
const BIG_VALUE = 0x01;
const TABLE = 0x02;
/** Stands for a value on pages of its own: first page, transaction, number of pages. */
const BIG_VALUE_AT = { page: 0, transaction: 8, pages: 16, end: 24 } as const;
/** lmdb's limit. */
const MAX_DEPTH = 32;

/** Throws StoreError `corrupt` when a page is damaged. Checks every page in use if `isWhole`, or if the file is small. */
export function assertPages(path: string, isWhole = false): void {
  const file = openSync(join(path, "data.mdb"), "r");
  try {
    const head = loadHead(file, path);
    if (head === undefined) return;
    const { size } = fstatSync(file);
    // lmdb leaves the file shorter than its last page if the pages at its end are free.
    const isShort = size < (head.lastPage + 1) * head.pageBytes;
    new PageCheck(file, size, head, path, isWhole || isShort || size <= WHOLE_CHECK_BYTES).run();
  } finally {
    closeSync(file);
  }
}

/** Bytes inside a page or another buffer. */
interface Span {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The value of a row: its bytes in the page, or the pages that hold it. */
interface Value {
  readonly inPage: Span | undefined;
  readonly firstPage: number;
  readonly size: number;
}

/** What a tree must look like. */
interface TreeRules {
  readonly name: string;
  /** False to read branch pages only. */
  readonly isWhole: boolean;
  readonly treeFlags: number;
  /** Flags of a node with its value in the page. */
  readonly nodeFlags: number;
  /** Order of the keys. */
  readonly compare: (a: Span, b: Span) => number;
  readonly onRow: (key: Span, value: Value) => void;
}

class PageCheck {
  readonly #file: number;
  readonly #fileBytes: number;
  readonly #head: Head;
  readonly #path: string;
  readonly #isWhole: boolean;
  /** A bit for each page of the file: set if a tree leads to it, or it is free. */
  readonly #taken: Uint8Array;
  /** A page for each level of a tree: a parent is needed until its last child is checked. */
  readonly #pages: Buffer[] = [];

  constructor(file: number, fileBytes: number, head: Head, path: string, isWhole: boolean) {
    this.#file = file;
    this.#fileBytes = fileBytes;
    this.#head = head;
    this.#path = path;
    this.#isWhole = isWhole;
    this.#taken = new Uint8Array(Math.ceil(fileBytes / head.pageBytes / 8));
  }

  run(): void {
    const tables = this.#checkList();
    const meta = tables.get("meta");
    const isSealed = meta !== undefined && this.#checkMeta(meta);
    for (const [name, tree] of tables) {
      if (name === "meta") continue;
      const onRow = (key: Span, value: Value): void => this.#checkKey(name, key, value);
      const isChecked = isSealed && isTableName(name);
      const rules = {
        name: `table ${name}`,
        isWhole: this.#isWhole,
        treeFlags: 0,
        nodeFlags: 0,
        compare: compareBytes,
      };
      this.#checkTree(tree, { ...rules, onRow: isChecked ? onRow : () => {} });
    }
    if (this.#isWhole) this.#checkFree();
  }

  /** The tree of tables; it is small. */
  #checkList(): ReadonlyMap<string, Tree> {
    const tables = new Map<string, Tree>();
    const onRow = ({ bytes, start, end }: Span, { inPage }: Value): void => {
      if (inPage === undefined || inPage.end - inPage.start !== TREE_BYTES) {
        throw this.#damage("the record of a table has a wrong size");
      }
      // lmdb stores table names with a terminating zero.
      const name = bytes.toString("latin1", start, end).replace("\0", "");
      tables.set(name, readTree(inPage.bytes, inPage.start));
    };
    const rules = {
      name: "list of tables",
      isWhole: true,
      treeFlags: 0,
      nodeFlags: TABLE,
      compare: compareBytes,
    };
    this.#checkTree(this.#head.main, { ...rules, onRow });
    return tables;
  }

  /** Returns true for a store of this format, whose rows have checksums. */
  #checkMeta(tree: Tree): boolean {
    const rows: { readonly key: Buffer; readonly isIntact: boolean }[] = [];
    let format = 0;
    const onRow = (key: Span, value: Value): void => {
      const name = Buffer.from(key.bytes.subarray(key.start, key.end));
      rows.push({ key: name, isIntact: this.#isIntact(key, value) });
      if (name.equals(META.format) && value.inPage !== undefined && value.size === 4) {
        format = value.inPage.bytes.readUInt32BE(value.inPage.start);
      }
    };
    const rules = { name: "table meta", isWhole: true, treeFlags: 0, nodeFlags: 0, compare: compareBytes };
    this.#checkTree(tree, { ...rules, onRow });
    if (format !== FORMAT) return false;
    const known = Object.values(META);
    for (const { key, isIntact } of rows) {
      const isKnown = known.some((one) => one.equals(key));
      if (!isKnown || !(isIntact || UNSEALED.some((one) => one.equals(key)))) {
        throw this.#damage("table meta: a key does not match its checksum");
      }
    }
    return true;
  }

  #checkKey(table: string, key: Span, value: Value): void {
    if (!this.#isIntact(key, value)) throw this.#damage(`table ${table}: a key does not match its checksum`);
  }

  #isIntact(key: Span, value: Value): boolean {
    if (value.size < SUMS_BYTES) return false;
    const { inPage, firstPage, size } = value;
    if (inPage !== undefined) return isKeyIntact(key, inPage.bytes, inPage.end - SUMS_BYTES);
    const sums = this.#read(firstPage, PAGE_AT.end + size - SUMS_BYTES, Buffer.allocUnsafe(SUMS_BYTES));
    return isKeyIntact(key, sums, 0);
  }

  #checkTree(tree: Tree, rules: TreeRules): void {
    const { depth, root } = tree;
    if (tree.flags !== rules.treeFlags) throw this.#damage(`${rules.name}: flags ${tree.flags}`);
    const counts = { branches: 0, leaves: 0, overflow: 0, entries: 0 };
    if (root !== NO_PAGE) {
      if (depth < 1 || depth > MAX_DEPTH) throw this.#damage(`${rules.name}: depth ${depth}`);
      this.#checkPage(root, 1, undefined, undefined, tree, rules, counts);
    }
    const isExact = counts.branches === tree.branches && counts.leaves === tree.leaves;
    const areRowsExact = counts.overflow === tree.overflow && counts.entries === tree.entries;
    if (!isExact || (rules.isWhole && !areRowsExact)) throw this.#damage(`${rules.name}: wrong counts`);
  }

  /** Keys must be at least `low` and below `high`. */
  #checkPage(
    number: number,
    level: number,
    low: Span | undefined,
    high: Span | undefined,
    tree: Tree,
    rules: TreeRules,
    counts: { branches: number; leaves: number; overflow: number; entries: number },
  ): void {
    const isLeaf = level === tree.depth;
    this.#take(number, rules.name);
    if (isLeaf) counts.leaves++;
    else counts.branches++;
    // A tree of one page.
    if (isLeaf && !rules.isWhole) return;
    const page = this.#readPage(number, level, isLeaf ? LEAF_PAGE : BRANCH_PAGE, rules.name);
    const lower = u16(page, PAGE_AT.lower);
    const upper = u16(page, PAGE_AT.upper);
    const isInBounds = lower >= 2 && lower % 2 === 0 && lower <= upper && upper <= page.length - PAGE_AT.end;
    if (!isInBounds) throw this.#damage(`${rules.name}: page ${number} has wrong bounds`);
    const nodes = lower / 2;
    let before: Span | undefined;
    let below = low;
    for (let i = 0; i < nodes; i++) {
      const at = this.#nodeAt(page, i, upper, number, rules.name);
      const start = at + NODE_AT.end;
      const key = { bytes: page, start, end: start + u16(page, at + NODE_AT.keyBytes) };
      if (key.end > page.length) throw this.#damage(`${rules.name}: page ${number} has a key out of bounds`);
      // The first key of a branch page counts as lower than all; lmdb does not read it.
      if (isLeaf || i > 0) {
        const isOrdered =
          key.end > key.start &&
          (before === undefined
            ? low === undefined || rules.compare(low, key) <= 0
            : rules.compare(before, key) < 0) &&
          // The keys before the last one are lower than it.
          (high === undefined || i < nodes - 1 || rules.compare(key, high) < 0);
        if (!isOrdered) throw this.#damage(`${rules.name}: page ${number} has keys out of order`);
        before = key;
      }
      if (isLeaf) {
        counts.entries++;
        rules.onRow(key, this.#readValue(page, at, key.end, rules, counts));
        continue;
      }
      const child = readChild(page, at);
      if (level + 1 === tree.depth && !rules.isWhole) {
        this.#take(child, rules.name);
        counts.leaves++;
        continue;
      }
      // Checked when the next key is known: the child's keys lie below it.
      if (i > 0) below = key;
      const next = i + 1 < nodes ? this.#keyOf(page, i + 1, upper, number, rules.name) : high;
      this.#checkPage(child, level + 1, below, next, tree, rules, counts);
    }
  }

  #keyOf(page: Buffer, index: number, upper: number, number: number, name: string): Span {
    const at = this.#nodeAt(page, index, upper, number, name);
    const start = at + NODE_AT.end;
    const end = start + u16(page, at + NODE_AT.keyBytes);
    if (end > page.length) throw this.#damage(`${name}: page ${number} has a key out of bounds`);
    return { bytes: page, start, end };
  }

  #nodeAt(page: Buffer, index: number, upper: number, number: number, name: string): number {
    const offset = u16(page, PAGE_AT.end + 2 * index);
    const at = offset + PAGE_AT.end;
    if (offset < upper || offset % 2 !== 0 || at + NODE_AT.end > page.length) {
      throw this.#damage(`${name}: page ${number} has a node out of bounds`);
    }
    return at;
  }

  #readValue(page: Buffer, at: number, start: number, rules: TreeRules, counts: { overflow: number }): Value {
    const { name } = rules;
    const size = page.readUInt32LE(at + NODE_AT.low);
    const flags = u16(page, at + NODE_AT.flags);
    const isBig = flags === BIG_VALUE;
    const end = start + (isBig ? BIG_VALUE_AT.end : size);
    if (flags === 0 && rules.nodeFlags === TABLE) {
      const path = this.#path;
      throw new StoreError("format", `${path} holds a database that is not a store`, { details: { path } });
    }
    if (!(isBig || flags === rules.nodeFlags) || end > page.length) {
      throw this.#damage(`${name}: a node has flags ${flags} and ${size} bytes`);
    }
    if (!isBig) return { inPage: { bytes: page, start, end }, firstPage: 0, size };
    const firstPage = toNumber(page.readBigUInt64LE(start + BIG_VALUE_AT.page));
    const pages = toNumber(page.readBigUInt64LE(start + BIG_VALUE_AT.pages));
    const { pageBytes, transaction } = this.#head;
    const isFit = pages === Math.floor((PAGE_AT.end - 1 + size) / pageBytes) + 1;
    if (!isFit || page.readBigUInt64LE(start + BIG_VALUE_AT.transaction) > transaction) {
      throw this.#damage(`${name}: a value of ${size} bytes has ${pages} pages`);
    }
    for (let i = 0; i < pages; i++) this.#take(firstPage + i, name);
    counts.overflow += pages;
    const header = this.#read(firstPage, 0, Buffer.allocUnsafe(PAGE_AT.end));
    this.#checkHeader(header, firstPage, OVERFLOW_PAGE, name);
    if (header.readUInt32LE(PAGE_AT.overflowPages) !== pages) {
      throw this.#damage(`${name}: page ${firstPage} has a wrong number of pages`);
    }
    return { inPage: undefined, firstPage, size };
  }

  /** No free page may be in use or listed twice: the writer would overwrite it. */
  #checkFree(): void {
    const name = "list of free pages";
    const onRow = (_: Span, { inPage, firstPage, size }: Value): void => {
      const list =
        inPage === undefined
          ? this.#read(firstPage, PAGE_AT.end, Buffer.allocUnsafe(size))
          : inPage.bytes.subarray(inPage.start, inPage.end);
      const length = list.length < 8 ? Number.NaN : toNumber(list.readBigUInt64LE(0));
      if (!((length + 1) * 8 <= list.length)) throw this.#damage(`${name}: a list is longer than its row`);
      for (let i = 1; i <= length; i++) {
        const entry = list.readBigInt64LE(8 * i);
        if (entry === 0n) continue;
        // A negative entry is the length of the run of pages that begins at the next entry.
        const run = entry < 0n ? toNumber(-entry) : 1;
        if (entry < 0n) i++;
        if (i > length) throw this.#damage(`${name}: a run has no first page`);
        const first = toNumber(list.readBigUInt64LE(8 * i));
        if (first + run - 1 > this.#head.lastPage) throw this.#damage(`${name}: a page lies behind the last`);
        for (let page = first; page < first + run; page++) this.#take(page, name, true);
      }
    };
    this.#checkTree(this.#head.free, {
      name,
      isWhole: true,
      treeFlags: NUMBER_KEYS,
      nodeFlags: 0,
      compare: compareNumbers,
      onRow,
    });
  }

  /** Marks a page as used by one tree, or as free. A free page may lie behind the end of the file. */
  #take(number: number, name: string, isFree = false): void {
    const { pageBytes, lastPage } = this.#head;
    const isInFile = (number + 1) * pageBytes <= this.#fileBytes;
    if (!(number >= 2 && number <= lastPage && (isInFile || isFree))) {
      throw this.#damage(`${name}: page ${number} is not in the file`);
    }
    if (!isInFile) return;
    const bit = 1 << (number & 7);
    const bits = this.#taken[number >> 3] ?? 0;
    if ((bits & bit) !== 0) throw this.#damage(`${name}: page ${number} is used twice`);
    this.#taken[number >> 3] = bits | bit;
  }

  #readPage(number: number, level: number, flags: number, name: string): Buffer {
    this.#pages[level] ??= Buffer.alloc(this.#head.pageBytes);
    const page = this.#read(number, 0, this.#pages[level]);
    this.#checkHeader(page, number, flags, name);
    return page;
  }

  #checkHeader(page: Buffer, number: number, flags: number, name: string): void {
    const isOwn = page.readBigUInt64LE(PAGE_AT.number) === BigInt(number);
    // lmdb takes a page of a later transaction for one that it may change in place.
    const isPast = page.readBigUInt64LE(PAGE_AT.transaction) <= this.#head.transaction;
    if (isOwn && isPast && u16(page, PAGE_AT.flags) === flags) return;
    throw this.#damage(`${name}: page ${number} has a wrong header`);
  }

  #read(page: number, offset: number, into: Buffer): Buffer {
    const read = readSync(this.#file, into, 0, into.length, page * this.#head.pageBytes + offset);
    if (read !== into.length) throw this.#damage(`page ${page} is cut off`);
    return into;
  }

  #damage(what: string): StoreError {
    return new StoreError("corrupt", `the store at ${this.#path} is damaged: ${what}`, {
      details: { path: this.#path },
    });
  }
}

/** Number of the child page of a branch node: 48 bits. */
function readChild(page: Buffer, at: number): number {
  const low = u16(page, at + NODE_AT.low) + u16(page, at + NODE_AT.low + 2) * 2 ** 16;
  return low + u16(page, at + NODE_AT.flags) * 2 ** 32;
}

/** Two bytes that are known to lie in the page: Node's own reading checks its arguments, at the start of each process in slow code. */
function u16(page: Buffer, at: number): number {
  return (page[at] ?? 0) | ((page[at + 1] ?? 0) << 8);
}

/** Numbers of pages fit; a damaged number becomes one that no file has. */
function toNumber(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}

function compareBytes(a: Span, b: Span): number {
  const length = Math.min(a.end - a.start, b.end - b.start);
  for (let i = 0; i < length; i++) {
    const difference = (a.bytes[a.start + i] ?? 0) - (b.bytes[b.start + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.end - a.start - (b.end - b.start);
}

/** Keys of the list of free pages are 64-bit numbers in the machine's order. */
function compareNumbers(a: Span, b: Span): number {
  if (a.end - a.start !== 8 || b.end - b.start !== 8) return 0;
  const [left, right] = [a.bytes.readBigUInt64LE(a.start), b.bytes.readBigUInt64LE(b.start)];
  return left < right ? -1 : left > right ? 1 : 0;
}
