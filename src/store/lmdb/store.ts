// The LMDB engine: one file, one writer, any number of reading processes. A commit is one write transaction,
// on disk before it is visible; a view is one read transaction.
import type { RootDatabase } from "lmdb";
import { type Logger, silentLogger } from "../../base/log.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { Position } from "../../ledger/position.ts";
import { assertFollows, assertIdentity } from "../commit-check.ts";
import type {
  BaseBatch,
  CommitBatch,
  PruneStep,
  RewindBatch,
  SideChange,
  Store,
  StoreIdentity,
  StoreView,
} from "../contract.ts";
import { StoreError } from "../errors.ts";
import { requireLedger, withoutRefutation } from "../read-check.ts";
import { putIndexRows, writeBase, writeBatch, writeRows } from "./commit.ts";
import { type Environment, openEnvironment, type StoreLook } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { assertDiskSpace, assertLocalDisk, fileMark } from "./files.ts";
import { writeFormat } from "./format.ts";
import { assertLease, type Lease, openLeased } from "./lease.ts";
import { type FastTable, OlderSeeker, toFastTable } from "./native.ts";
import { decodeIdentity, decodePosition, encodeIdentity, encodePosition } from "./position-row.ts";
import { pruneTables, rewindTables } from "./removals.ts";
import { checkedBytes, getRow, putRow } from "./sealed-rows.ts";
import { Snapshot } from "./snapshot.ts";
import { META, type Tables } from "./tables.ts";
import { copyBytes, LmdbView, type ViewSource } from "./view.ts";

/** How long a snapshot serves new views, unless there is a write. */
const SNAPSHOT_MS = 2;
/** Another process may set the head back again while it is set right. */
const MAX_SNAPSHOT_TRIES = 1000;

/** Options of a store on disk. */
export interface LmdbStoreOptions {
  /** Directory of the store; created if missing, unless read-only. */
  readonly path: string;
  /** Opens for reading only: takes no lease and changes nothing. */
  readonly readOnly?: boolean;
  /** False for a reader whose parent process has the store open, and has checked its pages. */
  readonly checksPages?: boolean;
  /** Address space to map initially. It costs no memory or disk, and grows when used up. */
  readonly mapSizeBytes?: number;
  readonly logger?: Logger;
  /** Sees the chain of a store that is there before anything is written. Throws to refuse it. */
  readonly checkIdentity?: ((identity: StoreIdentity) => void) | undefined;
}

/** Opens the store in a directory. Throws StoreError. */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  const { readOnly = false, logger = silentLogger } = options;
  const { environment, lease } = readOnly ? await openForReading(options) : await openForWriting(options);
  logger.info({ path: environment.path, readOnly }, "store opened");
  return new LmdbStore(environment, lease, logger);
}

interface Opened {
  readonly environment: Environment;
  readonly lease: Lease | undefined;
}

async function openForReading(options: LmdbStoreOptions): Promise<Opened> {
  const { path, mapSizeBytes, checksPages, checkIdentity } = options;
  const look = lookAtIdentity(checkIdentity);
  return {
    environment: await openEnvironment({ path, readOnly: true, mapSizeBytes, checksPages, look }),
    lease: undefined,
  };
}

async function openForWriting(options: LmdbStoreOptions): Promise<Opened> {
  const { path, mapSizeBytes } = options;
  assertLocalDisk(path);
  return openLeased({
    path,
    mapSizeBytes,
    look: lookAtIdentity(options.checkIdentity),
    onTake: ({ tables, isNew }) => {
      if (isNew) writeFormat(tables);
    },
  });
}

/** Reads the chain of a store, if it has any commit, during its opening: a second opening would check all pages again. */
function lookAtIdentity(check: LmdbStoreOptions["checkIdentity"]): StoreLook | undefined {
  if (check === undefined) return undefined;
  return ({ tables }) => {
    const row = getRow(tables.meta, META.identity);
    if (row !== undefined) check(decodeIdentity(row));
  };
}

/** Copies of rows. A plain get makes lmdb switch its buffer twice, which costs more than reading a small row. */
function copyRows(table: FastTable, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
  return keys.map((key) => {
    const row = table.getBinaryFast(key);
    return row === undefined ? undefined : copyBytes(row, 0, checkedBytes(key, row, table.lastSize));
  });
}

class LmdbStore implements Store {
  readonly engine = "lmdb";
  readonly #root: RootDatabase;
  readonly #tables: Tables;
  readonly #path: string;
  readonly #file: string | undefined;
  readonly #lease: Lease | undefined;
  readonly #logger: Logger;
  readonly #transact: Environment["transact"];
  readonly #lastWrite: Environment["lastWrite"];
  readonly #close: () => Promise<void>;
  readonly #source: ViewSource;
  readonly #meta: FastTable;
  readonly #tree: FastTable;
  readonly #side: FastTable;
  /** Shared by new views. */
  #snapshot: Snapshot | undefined;
  /** The last write of another process when the snapshot began. */
  #snapshotAfter: bigint | undefined;
  #closed = false;
  #identity: StoreIdentity | undefined;
  /** The version that this process committed last. */
  #head: bigint | undefined;
  /** True when the head was set back since the last commit: what was read meanwhile may be of an older one. */
  #wasSetBack = false;
  #positionRow: Buffer | undefined;
  #position: Position | undefined;

  constructor(
    { root, tables, path, file, transact, lastWrite, close }: Environment,
    lease: Lease | undefined,
    logger: Logger,
  ) {
    this.#close = close;
    this.#transact = transact;
    this.#lastWrite = lastWrite;
    this.#logger = logger;
    this.#root = root;
    this.#tables = tables;
    this.#path = path;
    this.#file = file;
    this.#lease = lease;
    this.#meta = toFastTable(tables.meta);
    this.#tree = toFastTable(tables.tree);
    this.#side = toFastTable(tables.side);
    this.#source = {
      tables,
      items: toFastTable(tables.items),
      blocks: toFastTable(tables.blocks),
      seeker: new OlderSeeker(tables.items),
      openSnapshots: new Set(),
    };
  }

  get identity(): StoreIdentity | undefined {
    if (this.#identity === undefined) {
      const row = getRow(this.#tables.meta, META.identity);
      if (row !== undefined) this.#identity = decodeIdentity(row);
    }
    return this.#identity;
  }

  openView(): StoreView {
    return new LmdbView(this.#source, this.#currentSnapshot());
  }

  lastWrite(): bigint | undefined {
    return this.#closed ? undefined : this.#lastWrite();
  }

  openRawView(): StoreView {
    const snapshot = this.#currentSnapshot();
    return new LmdbView(this.#source, snapshot, withoutRefutation(snapshot.position));
  }

  async getTreeNodes(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return copyRows(this.#tree, keys);
  }

  async getSideRows(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return copyRows(this.#side, keys);
  }

  async writeSide({ sideRows, index = [], trust: facts }: SideChange): Promise<void> {
    // A refutation is small, and must not wait for space.
    if (facts === undefined) assertDiskSpace(this.#path, index.length + sideRows.length);
    this.#write(() => {
      putIndexRows(this.#tables, index);
      writeRows(this.#tables.side, sideRows);
      if (facts === undefined) return;
      const position = requireLedger(this.#readPosition());
      const { trust, refuted } = facts;
      putRow(this.#tables.meta, META.position, encodePosition({ ...position, trust, refuted }));
    });
  }

  async commit(batch: CommitBatch, identity?: StoreIdentity): Promise<void> {
    const { rows, bytes } = sizeOf(batch);
    assertDiskSpace(this.#path, rows, bytes);
    this.#write(() => {
      this.#assertNotSetBack();
      const head = this.#readPosition();
      assertFollows(batch, head);
      const known = getRow(this.#tables.meta, META.identity);
      const chain = assertIdentity(batch, known === undefined ? undefined : decodeIdentity(known), identity);
      if (known === undefined) putRow(this.#tables.meta, META.identity, encodeIdentity(chain));
      writeBatch(this.#tables, this.#source.items, batch, head);
    });
    this.#head = batch.position.version;
  }

  async preload(base: BaseBatch): Promise<void> {
    this.#write(() => {
      if (this.#readPosition() !== undefined) {
        throw new StoreError("order", `the store at ${this.#path} already contains a ledger`);
      }
      writeBase(this.#tables, base);
    });
  }

  async prune(floor: bigint, maxRows: number): Promise<PruneStep> {
    assertDiskSpace(this.#path, maxRows);
    return this.#write(() => {
      const position = requireLedger(this.#readPosition());
      return pruneTables(this.#tables, position, floor, maxRows);
    });
  }

  async rewind(batch: RewindBatch): Promise<void> {
    assertDiskSpace(this.#path, batch.keyHashes.length + batch.treeNodes.length);
    this.#write(() => {
      this.#assertNotSetBack();
      const head = requireLedger(this.#readPosition());
      rewindTables(this.#tables, head, batch);
    });
    this.#head = batch.position.version;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#endSnapshot();
    for (const snapshot of [...this.#source.openSnapshots]) snapshot.end();
    this.#lease?.release();
    await this.#close();
  }

  /** Runs `action` in one write transaction under the lease: atomic, and on disk when this returns. */
  #write<T>(action: () => T): T {
    const lease = this.#lease?.row;
    if (lease === undefined)
      throw new StoreError("unwritable", `the store at ${this.#path} is open for reading`);
    try {
      this.#clearDeadReaders();
      return this.#transact(() => {
        assertLease(this.#tables, lease, this.#path);
        return action();
      }, this.#onSetBack);
    } catch (error) {
      throw toStoreError(error, this.#path);
    } finally {
      // The next view must see this write.
      this.#endSnapshot();
    }
  }

  /**
   * A killed reader leaves its slot, which pins every page freed after its snapshot: the file would grow with each write.
   * lmdb itself checks only when it opens an environment. Costs microseconds.
   */
  #clearDeadReaders(): void {
    const slots = this.#root.readerCheck();
    if (slots > 0) this.#logger.info({ slots }, "cleared the slots of dead readers");
  }

  #onSetBack = (): void => {
    this.#wasSetBack = true;
    this.#logger.warn({}, "a process that opened the store had set its head back: set right");
  };

  /** Refuses a commit once: the batch may rest on reads of an older head. */
  #assertNotSetBack(): void {
    if (!this.#wasSetBack) return;
    this.#wasSetBack = false;
    throw new StoreError(
      "unwritable",
      `another process opened the store at ${this.#path} and set its head back; nothing of this write was kept`,
    );
  }

  /**
   * A snapshot that has every write which ended before this call. A client may have heard of a write from the process that
   * made it; own writes end the snapshot.
   */
  #currentSnapshot(): Snapshot {
    // A snapshot would keep the environment from closing, or read from one that is gone.
    if (this.#closed) throw new LedgerError("unavailable", "the store is closed");
    const after = this.#lastWrite();
    if (this.#snapshot !== undefined && after === this.#snapshotAfter) return this.#snapshot;
    this.#endSnapshot();
    // lmdb reuses a read transaction for the rest of a turn.
    this.#root.resetReadTxn();
    this.#snapshotAfter = after;
    return this.#takeSnapshot();
  }

  #takeSnapshot(): Snapshot {
    if (this.#lease === undefined) this.#assertNotReplaced();
    for (let tries = 0; tries < MAX_SNAPSHOT_TRIES; tries++) {
      const snapshot = this.#beginSnapshot();
      if (this.#head === undefined || snapshot.position.version >= this.#head) return snapshot;
      this.#endSnapshot();
      this.#transact(() => {}, this.#onSetBack);
      this.#root.resetReadTxn();
    }
    throw new StoreError("corrupt", `the store at ${this.#path} has lost version ${this.#head}`);
  }

  /** A reader would go on with a file that nobody writes any more. The writer's own file has its ledger, wherever it is. */
  #assertNotReplaced(): void {
    if (fileMark(this.#path) === this.#file) return;
    const cause = new StoreError(
      "absent",
      `the store at ${this.#path} was removed or replaced while it was open`,
    );
    throw new LedgerError(
      "replaced",
      "the data directory was removed or replaced: the node must be restarted",
      {
        cause,
      },
    );
  }

  #beginSnapshot(): Snapshot {
    const transaction = this.#root.useReadTransaction();
    try {
      const row = requireLedger(this.#meta.getBinaryFast(META.position, { transaction }));
      const end = checkedBytes(META.position, row, this.#meta.lastSize);
      const position = this.#decodePosition(row.subarray(0, end));
      const snapshot = new Snapshot(transaction, position, this.#source);
      this.#snapshot = snapshot;
      setTimeout(() => {
        if (this.#snapshot === snapshot) this.#endSnapshot();
      }, SNAPSHOT_MS);
      return snapshot;
    } catch (error) {
      transaction.done();
      throw error;
    }
  }

  #endSnapshot(): void {
    this.#snapshot?.release();
    this.#snapshot = undefined;
  }

  #readPosition(): Position | undefined {
    const row = getRow(this.#tables.meta, META.position);
    return row === undefined ? undefined : decodePosition(row);
  }

  /** Caches the last position: most views read the same row. */
  #decodePosition(row: Uint8Array): Position {
    if (this.#position === undefined || this.#positionRow?.equals(row) !== true) {
      this.#positionRow = Buffer.from(row);
      this.#position = decodePosition(this.#positionRow);
    }
    return this.#position;
  }
}

function sizeOf({ writes, records, blocks, treeNodes, index = [] }: CommitBatch): {
  rows: number;
  bytes: number;
} {
  let bytes = 0;
  for (const { value } of writes) bytes += value?.length ?? 0;
  for (const { bytes: record } of records) bytes += record.length;
  return { rows: writes.length + records.length + blocks.length + treeNodes.length + index.length, bytes };
}
