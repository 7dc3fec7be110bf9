// The two indexes of a ledger, of items and of transactions: the rows that each commit adds, and the rows of records that
// were committed without an index.
import { append } from "../base/append.ts";
import type { Position } from "../ledger/position.ts";
import { decodeRecord } from "../ledger/record.ts";
import type { IndexName } from "../ledger/view.ts";
import type { CommitBatch, RawRecord, SideRow, StateWrite, Store, StoreView } from "../store/contract.ts";
import { indexReachRow, isIndexAlive } from "../store/index-reach.ts";
import { IndexRowMaker, type ReadBefore, transactionIndexRows } from "./index-rows.ts";
import { INDEX_REACH } from "./side-rows.ts";

/** How much of the ledger is indexed. `impossible`: records that the index needs are pruned, or never were here. */
export interface IndexProgress {
  readonly state: "whole" | "building" | "impossible";
  /** Versions indexed, and all of them. */
  readonly done: bigint;
  readonly total: bigint;
}

/** Which indexes reach the head, so that the next commit can continue them. */
export type IndexedToHead = Readonly<Record<IndexName, boolean>>;

/** Options of the indexes. */
export interface LedgerIndexesOptions {
  readonly store: Store;
  /** Which indexes to write. */
  readonly written: Readonly<Record<IndexName, boolean>>;
  /** Writes the index of items although the ledger began in the middle. */
  readonly indexesPart: boolean;
}

/** Rows of one commit. */
interface CommitRows extends Pick<CommitBatch, "index"> {
  /** How far each index reaches with them. */
  readonly sideRows: readonly SideRow[];
  /** Which indexes reach the head after the commit. */
  readonly indexed: IndexedToHead;
}

/** What a commit adds to the ledger. */
interface Committed {
  readonly writes: readonly StateWrite[];
  readonly records: readonly RawRecord[];
  /** Of the records' transactions. */
  readonly hashes: readonly Uint8Array[];
  /** The last version. */
  readonly version: bigint;
  /** True if the whole state is known. */
  readonly hasRoot: boolean;
}

/** Bytes of records that one step of building an index reads. */
const STEP_BYTES = 4 * 1024 * 1024;

/** Makes the rows of both indexes. After a failed write its owner must call `forget`. */
export class LedgerIndexes {
  readonly #options: LedgerIndexesOptions;
  readonly #itemRows = new IndexRowMaker();

  constructor(options: LedgerIndexesOptions) {
    this.#options = options;
  }

  forget(): void {
    this.#itemRows.forget();
  }

  /** Which indexes reach a position of the store. */
  async indexedTo(position: Position | undefined): Promise<IndexedToHead> {
    const { store, written } = this.#options;
    const isAtHead = async (index: IndexName): Promise<boolean> =>
      position === undefined || ((await INDEX_REACH[index].load(store)) ?? -1n) >= position.version;
    return {
      items: written.items && (await isAtHead("items")),
      transactions: written.transactions && (await isAtHead("transactions")),
    };
  }

  /** The rows of the next commit. */
  async rowsOf(
    { writes, records, hashes, version, hasRoot }: Committed,
    indexed: IndexedToHead,
  ): Promise<CommitRows> {
    // Without the whole state an index would lack items that were never written here.
    const itemRows =
      (hasRoot || this.#options.indexesPart) && indexed.items
        ? await this.#itemRows.rowsOf(writes, this.#readHead)
        : undefined;
    const sideRows = itemRows === undefined ? [] : [indexReachRow(version)];
    const index = itemRows ?? (indexed.transactions ? [] : undefined);
    if (indexed.transactions && index !== undefined) {
      append(index, transactionIndexRows(records, hashes));
      sideRows.push(indexReachRow(version, "transactions"));
    }
    return { index, sideRows, indexed: { ...indexed, items: itemRows !== undefined } };
  }

  /** The rows of genesis, which is the first commit of its store. */
  async genesisRows(
    writes: readonly StateWrite[],
    records: readonly RawRecord[],
  ): Promise<Required<Pick<CommitBatch, "index" | "sideRows">>> {
    const { items, transactions } = this.#options.written;
    return {
      index: [
        ...(items ? await new IndexRowMaker().rowsOf(writes, async () => []) : []),
        ...(transactions ? transactionIndexRows(records) : []),
      ],
      sideRows: [
        ...(items ? [indexReachRow(0n)] : []),
        ...(transactions ? [indexReachRow(0n, "transactions")] : []),
      ],
    };
  }

  /** Indexes the next stored records that an index lacks. Nothing may be committed meanwhile. */
  async buildMore(
    position: Position | undefined,
    indexed: IndexedToHead,
    maxRecords: number,
  ): Promise<{ readonly progress: IndexProgress; readonly indexed: IndexedToHead }> {
    const { written } = this.#options;
    const items = await this.#build("items", position, indexed, maxRecords);
    const withItems = { ...indexed, items: written.items && items.state === "whole" };
    if (items.state === "building") return { progress: items, indexed: withItems };
    const transactions = await this.#build("transactions", position, indexed, maxRecords);
    return {
      // What is told is how far the lists of items are that most readers ask for, unless only transactions are left.
      progress: transactions.state === "building" ? transactions : items,
      indexed: { ...withItems, transactions: written.transactions && transactions.state === "whole" },
    };
  }

  async #build(
    index: IndexName,
    position: Position | undefined,
    indexed: IndexedToHead,
    maxRecords: number,
  ): Promise<IndexProgress> {
    const { store, written } = this.#options;
    const total = position === undefined ? 0n : position.version + 1n;
    const isDone = position === undefined || indexed[index] || !written[index];
    if (isDone) return { state: "whole", done: total, total };
    const start = ((await INDEX_REACH[index].load(store)) ?? -1n) + 1n;
    const view = await store.openView();
    try {
      const last =
        index === "items"
          ? await this.#indexItems(view, start, maxRecords)
          : await this.#indexTransactions(view, start, maxRecords);
      if (last === undefined) return { state: "impossible", done: start, total };
      return { state: last >= position.version ? "whole" : "building", done: last + 1n, total };
    } finally {
      view.release();
    }
  }

  /** Returns the last version that is indexed now; undefined if a record that the index needs is not here. */
  async #indexItems(view: StoreView, start: bigint, maxRecords: number): Promise<bigint | undefined> {
    const { oldestVersion, stateRoot } = view.position;
    if (stateRoot === undefined || !isIndexAlive(start - 1n, oldestVersion)) return undefined;
    const records = await view.getRecords(start, maxRecords, STEP_BYTES);
    // Without this, a store that lacks a record would be indexed up to the gap again and again, with a commit each time.
    if (records.length === 0) return undefined;
    const writes = records.flatMap(({ version, bytes }) =>
      decodeRecord(bytes).writes.map((write) => ({ ...write, version })),
    );
    const last = start + BigInt(records.length) - 1n;
    const rows = await this.#itemRows.rowsOf(writes, async (keyHashes) =>
      start > oldestVersion ? view.getItems(keyHashes, start - 1n) : [],
    );
    await this.#options.store.putIndex(rows, [indexReachRow(last)]);
    return last;
  }

  /** Indexes transactions of kept records; those of pruned ones need no rows. Returns as `#indexItems`. */
  async #indexTransactions(view: StoreView, next: bigint, maxRecords: number): Promise<bigint | undefined> {
    const { oldestVersion } = view.position;
    const start = next < oldestVersion ? oldestVersion : next;
    const records = await view.getRecords(start, maxRecords, STEP_BYTES);
    if (records.length === 0) return undefined;
    const last = start + BigInt(records.length) - 1n;
    await this.#options.store.putIndex(transactionIndexRows(records), [indexReachRow(last, "transactions")]);
    return last;
  }

  readonly #readHead: ReadBefore = async (keyHashes) => {
    const { store } = this.#options;
    if (store.identity === undefined) return [];
    // The store refuses a commit to a refuted ledger, with the reason; this read must not do it first.
    const view = await store.openRawView();
    try {
      return await view.getItems(keyHashes, view.position.version);
    } finally {
      view.release();
    }
  };
}
