// Reads the tables of a ledger and skips rows that were never committed.
import type { OwnedKey, StateItem } from "../../ledger/view.ts";
import type { BlockStart, RawRecord } from "../contract.ts";
import { StoreError } from "../errors.ts";
import type { HeadRow } from "./head.ts";
import type { Row, Session } from "./session.ts";
import { heightBucket, type Statements, versionBucket } from "./statements.ts";
import type { Terms } from "./terms.ts";

/** The first bucket of every key, which also holds the pointers to its other buckets. */
export const FIRST_BUCKET = 0;
/** Largest part of a record in one row, in bytes. */
export const PART_BYTES = 2 ** 20;
const PAGE_ROWS = 256;
const BEFORE_ALL = Buffer.alloc(0);
const NO_TERM = -1;
const MAX_TERM = 2 ** 31 - 1;

/** A row of the blocks table. */
export interface BlockRow extends BlockStart {
  readonly term: number;
}

/** A record, and the height of its block where its row tells. */
export interface HeldRecord extends RawRecord {
  readonly height: bigint | undefined;
}

/** A row of the items table. */
interface ItemRow {
  readonly version: bigint;
  readonly value: Buffer | undefined;
  /** In a pointer row: the bucket of the key's versions from this one on. */
  readonly next: number | undefined;
}

/** Reads the tables of one ledger. */
export class Tables {
  readonly session: Session;
  readonly statements: Statements;
  readonly #head: Pick<HeadRow, "ledgerKey">;

  constructor(session: Session, statements: Statements, head: Pick<HeadRow, "ledgerKey">) {
    this.session = session;
    this.statements = statements;
    this.#head = head;
  }

  /** The ledger's name in the tables. */
  get ledger(): string {
    return this.#head.ledgerKey;
  }

  /** The item at a version. Reads one row, or two if the key is split. */
  async findItem(key: Buffer, version: bigint, terms: Terms): Promise<StateItem | undefined> {
    const row = await this.#findRow(key, FIRST_BUCKET, version, terms);
    const found = row?.next === undefined ? row : await this.#findRow(key, row.next, version, terms);
    return found === undefined ? undefined : toItem(found);
  }

  /** The writes of a key in a range, oldest first. */
  async listItems(
    key: Buffer,
    range: { readonly from: bigint; readonly to: bigint; readonly limit: number },
    terms: Terms,
  ): Promise<readonly StateItem[]> {
    const rows = await this.#listRows(key, FIRST_BUCKET, range, terms);
    // The range may start inside a bucket whose pointer is before the range; no item follows a pointer.
    const isPlain = rows[0] !== undefined && rows[0].next === undefined;
    const at = isPlain ? undefined : await this.#findRow(key, FIRST_BUCKET, range.from, terms);
    const items: StateItem[] = [];
    const add = async (row: ItemRow): Promise<void> => {
      const limit = range.limit - items.length;
      if (limit <= 0) return;
      if (row.next === undefined) items.push(toItem(row));
      else
        for (const itemRow of await this.#listRows(key, row.next, { ...range, limit }, terms))
          items.push(toItem(itemRow));
    };
    if (at?.next !== undefined && at.version < range.from) await add(at);
    for (const row of rows) await add(row);
    return items;
  }

  /** The blocks from a height on, in their order: at most `count`, and only those of the height's partition. */
  async listBlocks(height: bigint, count: bigint, terms: Terms): Promise<readonly BlockRow[]> {
    const bucket = heightBucket(height);
    const values = [this.ledger, bucket, height, height + count - 1n];
    const rows = await this.session.read(this.statements.listBlocks, values);
    return rows
      .map((row) => ({
        term: asNumber(row, "term"),
        height: asBigint(row, "height"),
        firstVersion: asBigint(row, "first_version"),
        timestampUsec: asBigint(row, "time"),
        epoch: asBigint(row, "epoch"),
      }))
      .filter(({ term, firstVersion }) => terms.ownsVersion(term, firstVersion));
  }

  /** Consecutive records from one version up to another, as many as `maxBytes` allow and at least one. */
  async listRecords(
    range: { readonly from: bigint; readonly to: bigint; readonly maxBytes: number },
    terms: Terms,
  ): Promise<readonly HeldRecord[]> {
    const records: HeldRecord[] = [];
    let size = 0;
    let parts: Buffer[] = [];
    let version = range.from;
    let height: bigint | undefined;
    /** Adds the collected record; false if there is none, or it is one too many. */
    const addRecord = (): boolean => {
      if (parts.length === 0) return false;
      const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      size += bytes.length;
      if (records.length > 0 && size > range.maxBytes) return false;
      records.push({ version, bytes, height });
      parts = [];
      version++;
      return true;
    };
    for await (const row of this.#rowsOfVersions(this.statements.listRecords, range.from, range.to)) {
      const at = asBigint(row, "version");
      if (!terms.ownsVersion(asNumber(row, "term"), at)) continue;
      const bytes = row.bytes;
      if (!Buffer.isBuffer(bytes)) continue;
      if (at !== version && !addRecord()) return records;
      if (at !== version) return records;
      parts.push(bytes);
      height = typeof row.height === "bigint" ? row.height : undefined;
    }
    addRecord();
    return records;
  }

  /** The encoded keys that each version wrote, in version order. */
  async *listKeys(
    from: bigint,
    below: bigint,
    terms: Terms,
  ): AsyncGenerator<{ version: bigint; keys: Buffer }> {
    for await (const row of this.#rowsOfVersions(this.statements.listKeys, from, below, true)) {
      const version = asBigint(row, "version");
      const keys = row.keys;
      if (Buffer.isBuffer(keys) && terms.ownsVersion(asNumber(row, "term"), version)) yield { version, keys };
    }
  }

  /** The index rows of an owner after a place, in order. */
  async listOwned(owner: Buffer, after: Uint8Array | undefined, limit: number): Promise<readonly OwnedKey[]> {
    const values = [this.ledger, owner, after === undefined ? BEFORE_ALL : asBuffer(after), limit];
    const rows = await this.session.read(this.statements.listOwned, values);
    return rows.map(({ place, data }) => {
      if (!Buffer.isBuffer(place)) throw new StoreError("corrupt", "a row of the index has no place");
      return { place, data: Buffer.isBuffer(data) ? data : BEFORE_ALL };
    });
  }

  /** The node of the state tree after write `seq`. */
  async findNode(key: Buffer, seq: bigint, terms: Terms): Promise<Buffer | undefined> {
    const { findNode, findNodeBefore } = this.statements;
    return this.#findBySeq(findNode, findNodeBefore, key, seq, terms);
  }

  /** The side row after write `seq`. */
  async findSide(key: Buffer, seq: bigint, terms: Terms): Promise<Buffer | undefined> {
    const { findSide, findSideBefore } = this.statements;
    return this.#findBySeq(findSide, findSideBefore, key, seq, terms);
  }

  async #findBySeq(
    first: string,
    before: string,
    key: Buffer,
    seq: bigint,
    terms: Terms,
  ): Promise<Buffer | undefined> {
    let rows = await this.session.read(first, [this.ledger, key, seq]);
    for (;;) {
      for (const row of rows) {
        if (terms.ownsSeq(asNumber(row, "term"), asBigint(row, "seq"))) return asValue(row.value);
      }
      const last = rows.at(-1);
      if (last === undefined) return undefined;
      rows = await this.session.read(before, [this.ledger, key, last.seq, last.term]);
    }
  }

  async #findRow(key: Buffer, bucket: number, version: bigint, terms: Terms): Promise<ItemRow | undefined> {
    const { findItem, findItemBefore } = this.statements;
    let rows = await this.session.read(findItem, [this.ledger, key, bucket, version]);
    for (;;) {
      for (const row of rows) {
        if (terms.ownsVersion(asNumber(row, "term"), asBigint(row, "version"))) return toItemRow(row);
      }
      const last = rows.at(-1);
      if (last === undefined) return undefined;
      rows = await this.session.read(findItemBefore, [this.ledger, key, bucket, last.version, last.term]);
    }
  }

  async #listRows(
    key: Buffer,
    bucket: number,
    range: { readonly from: bigint; readonly to: bigint; readonly limit: number },
    terms: Terms,
  ): Promise<readonly ItemRow[]> {
    const found: ItemRow[] = [];
    let after: readonly unknown[] = [range.from, NO_TERM];
    for (;;) {
      const limit = Math.min(range.limit - found.length, PAGE_ROWS);
      if (limit <= 0 || range.from > range.to) return found;
      const values = [this.ledger, key, bucket, ...after, range.to, MAX_TERM, limit];
      const rows = await this.session.read(this.statements.listItems, values);
      for (const row of rows) {
        if (terms.ownsVersion(asNumber(row, "term"), asBigint(row, "version"))) found.push(toItemRow(row));
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return found;
      after = [last.version, last.term];
    }
  }

  /** Rows of the versions table from one version to another, across partitions; `isOpen` excludes `to`. */
  async *#rowsOfVersions(query: string, from: bigint, to: bigint, isOpen = false): AsyncGenerator<Row> {
    const last = versionBucket(isOpen ? to - 1n : to);
    for (let bucket = versionBucket(from); bucket <= last; bucket++) {
      let next: string | undefined;
      do {
        const values = [this.ledger, bucket, from, to];
        const page = await this.session.readPage(query, values, PAGE_ROWS, next);
        yield* page.rows;
        next = page.next;
      } while (next !== undefined);
    }
  }
}

/** The same bytes as a Buffer, which the driver needs. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The value of a bigint column. */
export function asBigint(row: Row, name: string): bigint {
  const value = row[name];
  if (typeof value !== "bigint")
    throw new StoreError("corrupt", `column ${name}: expected a bigint, got ${typeof value}`);
  return value;
}

/** The value of an int column. */
export function asNumber(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== "number")
    throw new StoreError("corrupt", `column ${name}: expected an int, got ${typeof value}`);
  return value;
}

/** A row without a value is a removal. */
function asValue(value: unknown): Buffer | undefined {
  return Buffer.isBuffer(value) ? value : undefined;
}

function toItemRow(row: Row): ItemRow {
  const next = row.next;
  return {
    version: asBigint(row, "version"),
    value: asValue(row.value),
    next: typeof next === "number" ? next : undefined,
  };
}

function toItem({ version, value }: ItemRow): StateItem {
  return { version, value };
}
