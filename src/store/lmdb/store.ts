// The LMDB engine: one file, one writer, any number of reading processes. A commit is one write transaction,
// on disk before it is visible; a view is one read transaction.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { type Logger, silentLogger } from "../../base/log.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { Position } from "../../ledger/position.ts";
import { assertFollows, assertIdentity } from "../commit-check.ts";
import type { CommitBatch, PruneStep, SideRow, Store, StoreIdentity, StoreView } from "../contract.ts";
import { isPassingFault, StoreError } from "../errors.ts";
import { writeBatch, writeSideRows } from "./commit.ts";
import { toStoreError } from "./failure.ts";
import { assertFileHeader, assertFormat, writeFormat } from "./format.ts";
import { assertLease, releaseLease, takeLease } from "./lease.ts";
import { type FastTable, OlderSeeker, toFastTable } from "./native.ts";
import { decodeIdentity, decodePosition, encodeIdentity } from "./position-row.ts";
import { pruneTables } from "./prune.ts";
import { MAX_TABLES, META, openTables, type Tables } from "./tables.ts";
import { LmdbView, type ViewSource } from "./view.ts";

/** How to open a store on disk. */
export interface LmdbStoreOptions {
  /** Directory of the store; made when it is missing and the store may be written. */
  readonly path: string;
  /** Opens for reading only: takes no lease and changes nothing. */
  readonly readOnly?: boolean;
  /** Address space to map at first. It costs no memory or disk, and grows by itself when it is used up. */
  readonly mapSizeBytes?: number;
  readonly logger?: Logger;
}

const DEFAULT_MAP_BYTES = 2 ** 38;
/** Directories of the stores open in this process: lmdb can have one environment for each. */
const openPaths = new Set<string>();
const MAX_READERS = 2048;

/** Opens the store in a directory. Throws StoreError when it cannot be used as asked. */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  const path = resolve(options.path);
  const readOnly = options.readOnly ?? false;
  if (openPaths.has(path)) {
    throw new StoreError(
      "locked",
      `process ${process.pid}, this one, has the store at ${path} open already`,
      {
        details: { path, pid: process.pid },
      },
    );
  }
  if (readOnly && !existsSync(join(path, "data.mdb"))) {
    throw new StoreError("format", `there is no store at ${path}`, { details: { path } });
  }
  openPaths.add(path);
  try {
    assertFileHeader(path);
    const root = openEnvironment(path, readOnly, options.mapSizeBytes ?? DEFAULT_MAP_BYTES);
    try {
      assertFormat(root, path);
      const tables = openTables(root);
      if (tables === undefined) throw new StoreError("format", `there is no store at ${path}`);
      const lease = readOnly ? undefined : claim(root, tables, path);
      (options.logger ?? silentLogger).info({ path, readOnly }, "store opened");
      return new LmdbStore(root, tables, path, lease);
    } catch (error) {
      await root.close();
      throw error;
    }
  } catch (error) {
    openPaths.delete(path);
    throw toStoreError(error, path);
  }
}

function openEnvironment(path: string, readOnly: boolean, mapSize: number): RootDatabase {
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

function claim(root: RootDatabase, tables: Tables, path: string): Buffer {
  return root.transactionSync(() => {
    writeFormat(tables);
    return takeLease(tables, path);
  });
}

class LmdbStore implements Store {
  readonly engine = "lmdb";
  readonly #root: RootDatabase;
  readonly #tables: Tables;
  readonly #path: string;
  readonly #lease: Buffer | undefined;
  readonly #source: ViewSource;
  readonly #meta: FastTable;
  readonly #views = new Set<LmdbView>();
  #closed = false;
  #identity: StoreIdentity | undefined;
  #positionRow: Buffer | undefined;
  #position: Position | undefined;

  constructor(root: RootDatabase, tables: Tables, path: string, lease: Buffer | undefined) {
    this.#root = root;
    this.#tables = tables;
    this.#path = path;
    this.#lease = lease;
    this.#meta = toFastTable(tables.meta);
    this.#source = {
      tables,
      items: toFastTable(tables.items),
      seeker: new OlderSeeker(tables.items),
    };
  }

  get identity(): StoreIdentity | undefined {
    if (this.#identity === undefined) {
      const row = this.#tables.meta.get(META.identity);
      if (row !== undefined) this.#identity = decodeIdentity(row);
    }
    return this.#identity;
  }

  async openView(): Promise<StoreView> {
    const transaction = this.#root.useReadTransaction();
    try {
      const row = this.#meta.getBinaryFast(META.position, { transaction });
      if (row === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
      const position = this.#decodePosition(row.subarray(0, this.#meta.lastSize));
      const view = new LmdbView(this.#source, transaction, position, (released) =>
        this.#views.delete(released),
      );
      this.#views.add(view);
      return view;
    } catch (error) {
      transaction.done();
      throw error;
    }
  }

  async getTreeNodes(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return keys.map((key) => this.#tables.tree.get(key));
  }

  async getSideRows(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return keys.map((key) => this.#tables.side.get(key));
  }

  async putSideRows(rows: readonly SideRow[]): Promise<void> {
    this.#write(() => writeSideRows(this.#tables, rows));
  }

  async commit(batch: CommitBatch, identity?: StoreIdentity): Promise<void> {
    this.#write(() => {
      const head = this.#readPosition();
      assertFollows(batch, head);
      const known = this.#tables.meta.get(META.identity);
      const chain = assertIdentity(batch, known === undefined ? undefined : decodeIdentity(known), identity);
      if (known === undefined) this.#tables.meta.putSync(META.identity, Buffer.from(encodeIdentity(chain)));
      writeBatch(this.#tables, this.#source.items, batch, head);
    });
  }

  async prune(floor: bigint, maxRows: number): Promise<PruneStep> {
    return this.#write(() => {
      const position = this.#readPosition();
      if (position === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
      return pruneTables(this.#tables, position, floor, maxRows);
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const view of [...this.#views]) view.release();
    const lease = this.#lease;
    try {
      if (lease !== undefined) this.#root.transactionSync(() => releaseLease(this.#tables, lease));
    } catch (error) {
      // A lease that cannot be given back on a full disk lapses with this process.
      if (!isPassingFault(toStoreError(error, this.#path))) throw error;
    }
    await this.#root.close();
    openPaths.delete(this.#path);
  }

  /** One write transaction under the lease: all of it or nothing, on disk when this returns. */
  #write<T>(action: () => T): T {
    const lease = this.#lease;
    if (lease === undefined)
      throw new StoreError("unwritable", `the store at ${this.#path} is open for reading`);
    try {
      return this.#root.transactionSync(() => {
        assertLease(this.#tables, lease, this.#path);
        return action();
      });
    } catch (error) {
      throw toStoreError(error, this.#path);
    }
  }

  #readPosition(): Position | undefined {
    const row = this.#tables.meta.get(META.position);
    return row === undefined ? undefined : decodePosition(row);
  }

  /** Most views find the row that the last one found. */
  #decodePosition(row: Uint8Array): Position {
    if (this.#position === undefined || this.#positionRow?.equals(row) !== true) {
      this.#positionRow = Buffer.from(row);
      this.#position = decodePosition(this.#positionRow);
    }
    return this.#position;
  }
}
