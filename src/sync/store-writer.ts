// The one door into a store: every part that changes a ledger hands the change to a StoreWriter, and nothing else calls the writing
// methods of a store (`test/architecture.test.ts`). A commit gets its index rows here, and the deletions that a ledger with a
// partly known state must remember.
import { append } from "../base/append.ts";
import { decodeRecord } from "../ledger/formats/record.ts";
import type { Position } from "../ledger/position.ts";
import { type IndexName, withView } from "../ledger/view.ts";
import type {
  BaseBatch,
  CommitBatch,
  IndexRow,
  PruneStep,
  RewindBatch,
  SideChange,
  StateWrite,
  Store,
  StoreIdentity,
  StoreView,
} from "../store/contract.ts";
import { isIndexAlive } from "../store/index-reach.ts";
import { IndexRowMaker, type ReadBefore, transactionIndexRows } from "./index-rows.ts";
import { deletionRows } from "./lazy/base-rows.ts";
import { INDEX_REACH } from "./side-rows.ts";

/** The indexes to write; both unless given. */
export interface IndexChoice {
  readonly items?: boolean | undefined;
  readonly transactions?: boolean | undefined;
  /** Writes the index of items although the ledger began in the middle: a fork asks its network for the rest. */
  readonly isPart?: boolean | undefined;
}

/** A commit without the rows of the indexes. */
export interface LedgerCommit extends Omit<CommitBatch, "index"> {
  /** Of the records' transactions; read from the records unless given. */
  readonly hashes?: readonly Uint8Array[];
  /** Finished logs of tree nodes: versions of items that are not of the state. */
  readonly logs?: readonly StateWrite[];
}

/** How much of the ledger is indexed. `impossible`: records that the index needs are pruned, or never were here. */
export interface IndexProgress {
  readonly state: "whole" | "building" | "impossible";
  /** Versions indexed, and all of them. */
  readonly done: bigint;
  readonly total: bigint;
}

/** Which indexes reach the head, so that the next commit can continue them. */
type IndexedToHead = Readonly<Record<IndexName, boolean>>;

/** Bytes of records that one step of building an index reads. */
const STEP_BYTES = 4 * 1024 * 1024;

const byVersion = (a: StateWrite, b: StateWrite): number => Number(a.version - b.version);

/** Writes a store that has no other writer. After a failed commit its owner must call `forget`. */
export class StoreWriter {
  readonly #store: Store;
  readonly #choice: IndexChoice;
  /** Made on first use: it is large, and most writers commit nothing. */
  #itemRows: IndexRowMaker | undefined;
  /** Undefined until read from the store. */
  #indexed: IndexedToHead | undefined;

  constructor(store: Store, choice: IndexChoice = {}) {
    this.#store = store;
    this.#choice = choice;
  }

  /** Forgets what it knows of the store. */
  forget(): void {
    this.#indexed = undefined;
    this.#itemRows = undefined;
  }

  /** Writes a commit with the rows of its indexes; returns the whole of it. Pass `identity` with the first commit only. */
  async commit(
    { hashes, logs = [], ...commit }: LedgerCommit,
    identity?: StoreIdentity,
  ): Promise<CommitBatch> {
    const { previous, position, writes, records } = commit;
    const indexed = await this.#indexedTo(previous);
    const sideRows = [...(commit.sideRows ?? [])];
    const isWhole = position.stateRoot !== undefined;
    if (!isWhole) append(sideRows, await deletionRows(this.#store, writes));
    let index: IndexRow[] | undefined;
    // Without the whole state an index would lack items that were never written here.
    const hasItems = indexed.items && (isWhole || this.#choice.isPart === true);
    if (hasItems) {
      index = await this.#rowMaker().rowsOf(writes, this.#readHead);
      sideRows.push(INDEX_REACH.items.row(position.version));
    }
    if (indexed.transactions) {
      index ??= [];
      append(index, transactionIndexRows(records, hashes));
      sideRows.push(INDEX_REACH.transactions.row(position.version));
    }
    const all = logs.length === 0 ? writes : [...writes, ...logs].sort(byVersion);
    const batch: CommitBatch = { ...commit, writes: all, index, sideRows };
    await this.#store.commit(batch, identity);
    this.#indexed = { ...indexed, items: hasItems };
    return batch;
  }

  /** Writes a change that adds no version. */
  async write(change: SideChange): Promise<void> {
    await this.#store.writeSide(change);
  }

  /** Writes a part of the state below the first commit, with the index rows of the items whose keys are given. */
  async writeBase(base: BaseBatch): Promise<void> {
    const { items = true } = this.#choice;
    const index = base.index ?? (items ? await this.#rowMaker().rowsOf(base.writes, async () => []) : []);
    await this.#store.preload({ ...base, index });
  }

  /** Removes the oldest versions, about `maxRows` rows of them. */
  async prune(floor: bigint, maxRows: number): Promise<PruneStep> {
    return this.#store.prune(floor, maxRows);
  }

  /** Removes the newest versions. */
  async rewind(batch: RewindBatch): Promise<void> {
    await this.#store.rewind(batch);
  }

  /** Indexes the next stored records that an index lacks, up to a head. Nothing may be committed meanwhile. */
  async indexMore(head: Position | undefined, maxRecords: number): Promise<IndexProgress> {
    const { items: writesItems = true, transactions: writesTransactions = true } = this.#choice;
    const indexed = await this.#indexedTo(head?.version);
    const items = await this.#build("items", head, indexed, maxRecords);
    this.#indexed = { ...indexed, items: writesItems && items.state === "whole" };
    if (items.state === "building") return items;
    const transactions = await this.#build("transactions", head, indexed, maxRecords);
    this.#indexed = {
      ...this.#indexed,
      transactions: writesTransactions && transactions.state === "whole",
    };
    // The lists of items, which most readers ask for, unless only transactions are left.
    return transactions.state === "building" ? transactions : items;
  }

  #rowMaker(): IndexRowMaker {
    this.#itemRows ??= new IndexRowMaker();
    return this.#itemRows;
  }

  /** Which indexes are written and reach the head. */
  async #indexedTo(head: bigint | undefined): Promise<IndexedToHead> {
    if (this.#indexed === undefined) {
      const isAtHead = async (index: IndexName): Promise<boolean> =>
        this.#choice[index] !== false &&
        (head === undefined || ((await INDEX_REACH[index].load(this.#store)) ?? -1n) >= head);
      this.#indexed = { items: await isAtHead("items"), transactions: await isAtHead("transactions") };
    }
    return this.#indexed;
  }

  async #build(
    index: IndexName,
    head: Position | undefined,
    indexed: IndexedToHead,
    maxRecords: number,
  ): Promise<IndexProgress> {
    const total = head === undefined ? 0n : head.version + 1n;
    const isDone = head === undefined || indexed[index] || this.#choice[index] === false;
    if (isDone) return { state: "whole", done: total, total };
    const start = ((await INDEX_REACH[index].load(this.#store)) ?? -1n) + 1n;
    const last = await withView(this.#store.openView(), (view) =>
      index === "items"
        ? this.#indexItems(view, start, maxRecords)
        : this.#indexTransactions(view, start, maxRecords),
    );
    if (last === undefined) return { state: "impossible", done: start, total };
    return { state: last >= head.version ? "whole" : "building", done: last + 1n, total };
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
    const rows = await this.#rowMaker().rowsOf(writes, async (keyHashes) =>
      start > oldestVersion ? view.getItems(keyHashes, start - 1n) : [],
    );
    await this.write({ index: rows, sideRows: [INDEX_REACH.items.row(last)] });
    return last;
  }

  /** Indexes transactions of kept records; those of pruned ones need no rows. Returns as `#indexItems`. */
  async #indexTransactions(view: StoreView, next: bigint, maxRecords: number): Promise<bigint | undefined> {
    const { oldestVersion } = view.position;
    const start = next < oldestVersion ? oldestVersion : next;
    const records = await view.getRecords(start, maxRecords, STEP_BYTES);
    if (records.length === 0) return undefined;
    const last = start + BigInt(records.length) - 1n;
    const index = transactionIndexRows(records);
    await this.write({ index, sideRows: [INDEX_REACH.transactions.row(last)] });
    return last;
  }

  readonly #readHead: ReadBefore = async (keyHashes) => {
    if (this.#store.identity === undefined) return [];
    // The store refuses a commit to a refuted ledger, with the reason; this read must not do it first.
    return withView(this.#store.openRawView(), (view) => view.getItems(keyHashes, view.position.version));
  };
}
