// Walks over the whole index and all items of a ledger in a cluster, for a check. Ledgers of one keyspace share their
// tables, so the rows of all of them are read.
import type { OwnedRow } from "../../ledger/indexes/owned-keys.ts";
import type { Position } from "../../ledger/position.ts";
import type { IndexName, StateItem } from "../../ledger/view.ts";
import { StoreError } from "../errors.ts";
import type { Row } from "./session.ts";
import { asBuffer, FIRST_BUCKET, type Tables } from "./tables.ts";
import type { Terms } from "./terms.ts";

const PAGE_ROWS = 1000;

function bytesOf(row: Row, name: string): Buffer {
  const value = row[name];
  if (Buffer.isBuffer(value)) return value;
  throw new StoreError("corrupt", `column ${name}: expected bytes, got ${typeof value}`);
}

/** The index and the items at one head. */
export class ClusterIndexWalk {
  readonly position: Position;
  /** See LedgerView. */
  readonly indexedTo: bigint | undefined;
  readonly transactionsIndexedTo: bigint | undefined;
  readonly #tables: Tables;
  readonly #terms: Terms;

  constructor(
    tables: Tables,
    terms: Terms,
    position: Position,
    indexedTo: Readonly<Record<IndexName, bigint | undefined>>,
  ) {
    this.#tables = tables;
    this.#terms = terms;
    this.position = position;
    this.indexedTo = indexedTo.items;
    this.transactionsIndexedTo = indexedTo.transactions;
  }

  async *rows(): AsyncGenerator<OwnedRow> {
    for await (const row of this.#scan(this.#tables.statements.scanOwned)) {
      // An empty column is read as null.
      const data = Buffer.isBuffer(row.data) ? row.data : Buffer.alloc(0);
      yield { owner: bytesOf(row, "owner"), place: bytesOf(row, "place"), data };
    }
  }

  async getRow({ owner, place }: Pick<OwnedRow, "owner" | "place">): Promise<Uint8Array | undefined> {
    const { session, statements, ledger } = this.#tables;
    const [row] = await session.read(statements.findOwned, [ledger, asBuffer(owner), asBuffer(place)]);
    return row === undefined ? undefined : Buffer.isBuffer(row.data) ? row.data : Buffer.alloc(0);
  }

  async *items(): AsyncGenerator<StateItem & { readonly keyHash: Uint8Array }> {
    for await (const row of this.#scan(this.#tables.statements.scanItemKeys)) {
      if (row.bucket !== FIRST_BUCKET) continue;
      const keyHash = bytesOf(row, "key");
      const item = await this.getItem(keyHash);
      if (item !== undefined) yield { ...item, keyHash };
    }
  }

  getItem(keyHash: Uint8Array): Promise<StateItem | undefined> {
    return this.#tables.findItem(asBuffer(keyHash), this.position.version, this.#terms);
  }

  async getRecord(version: bigint): Promise<Uint8Array | undefined> {
    const { oldestVersion, version: head } = this.position;
    if (version < oldestVersion || version > head) return undefined;
    const range = { from: version, to: version, maxBytes: 1 };
    return (await this.#tables.listRecords(range, this.#terms))[0]?.bytes;
  }

  async *#scan(query: string): AsyncGenerator<Row> {
    const { session, ledger } = this.#tables;
    let next: string | undefined;
    do {
      const page = await session.readPage(query, [], PAGE_ROWS, next);
      for (const row of page.rows) if (row.ledger === ledger) yield row;
      next = page.next;
    } while (next !== undefined);
  }
}
