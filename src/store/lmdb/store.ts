// The LMDB engine: one file, one writer, any number of reading processes. A commit is one write transaction,
// on disk before it is visible; a view is one read transaction.
import type { RootDatabase } from "lmdb";
import { type Logger, silentLogger } from "../../base/log.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { Position } from "../../ledger/position.ts";
import type { TrustFacts } from "../../ledger/trust.ts";
import type {
  BaseBatch,
  CommitBatch,
  CommitOptions,
  IndexRow,
  PruneStep,
  RewindBatch,
  SideRow,
  Store,
  StoreIdentity,
  StoreView,
} from "../contract.ts";
import { StoreError } from "../errors.ts";
import { commitBatch, putIndexRows, readPosition, writeBase, writeSideRows } from "./commit.ts";
import { assertDiskSpace } from "./disk-space.ts";
import { type Environment, openEnvironment, type StoreLook } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { assertLease, type Lease, type LeaseOptions, openLeased } from "./lease.ts";
import { type FastTable, OlderSeeker, toFastTable } from "./native.ts";
import { decodeIdentity, decodePosition, encodePosition, IDENTITY_BYTES } from "./position-row.ts";
import { pruneTables } from "./prune.ts";
import { rewindTables } from "./rewind.ts";
import { checkedBytes, getRow, openRow, putRow } from "./sealed-rows.ts";
import { assertNotSetBack, createSetBackFlag, noteSetBack, type SetBackFlag } from "./set-back.ts";
import { Snapshot } from "./snapshot.ts";
import { META, type Tables } from "./tables.ts";
import { backupBeforeUpgrade, type UpgradeProgress } from "./upgrade-backup.ts";
import { beginUpgrade, finishUpgrade, isUpgradable } from "./upgrades.ts";
import { copyBytes, LmdbView, type ViewSource } from "./view.ts";
import { WriteThread } from "./write-thread.ts";

/** How long a snapshot serves new views: delays the visibility of another process's writes. Own writes end it. */
const SNAPSHOT_MS = 2;
/** Another process may set the head back again while it is set right. */
const MAX_SNAPSHOT_TRIES = 1000;
/** A larger batch is not copied for the thread: the store writes it. */
const MAX_THREAD_BYTES = 16 * 1024 * 1024;
/** About what a row takes beside the bytes of items and records: keys, tree nodes and index rows. */
const ROW_BYTES = 256;

/** Options of a store on disk. */
export interface LmdbStoreOptions {
  /** Directory of the store; created if missing, unless read-only. */
  readonly path: string;
  /** Opens for reading only: takes no lease and changes nothing. */
  readonly readOnly?: boolean;
  /** Address space to map initially. It costs no memory or disk, and grows when used up. */
  readonly mapSizeBytes?: number;
  readonly logger?: Logger;
  /** Copies a store of an older format before the upgrade, see upgrade-backup.ts; true when left out. */
  readonly upgradeBackup?: boolean | undefined;
  readonly onUpgrade?: UpgradeProgress | undefined;
  /** Sees the chain of a store that is there, of any format, before anything is written. Throws to refuse the store. */
  readonly checkIdentity?: ((identity: StoreIdentity) => void) | undefined;
  /** For tests: whether other machines may use the directory, and how to pause while watching their heartbeat. */
  readonly sharing?: Pick<LeaseOptions, "isShared" | "pause">;
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

async function openForReading({ path, mapSizeBytes, checkIdentity }: LmdbStoreOptions): Promise<Opened> {
  const look = lookAtIdentity(checkIdentity);
  return {
    environment: await openEnvironment({ path, readOnly: true, mapSizeBytes, look }),
    lease: undefined,
  };
}

/** Takes the lease, and upgrades an older store, which may take minutes. */
async function openForWriting(options: LmdbStoreOptions): Promise<Opened> {
  const { path, mapSizeBytes, logger = silentLogger, sharing, upgradeBackup = true, onUpgrade } = options;
  const opened = await openLeased({
    path,
    mapSizeBytes,
    logger,
    look: lookAtIdentity(options.checkIdentity),
    onTake: ({ tables, format }) => {
      if (!isUpgradable(format)) beginUpgrade(tables, format);
    },
    ...sharing,
  });
  const { environment, lease } = opened;
  try {
    const assertWriter = (): void => assertLease(environment.tables, lease.row, environment.path);
    if (isUpgradable(environment.format)) {
      // The lease keeps other writers out, so the copy has all that the upgrade starts from.
      if (upgradeBackup) await backupBeforeUpgrade(environment, logger, onUpgrade);
      environment.transact(() => {
        assertWriter();
        beginUpgrade(environment.tables, environment.format);
      });
    }
    await finishUpgrade(environment, { logger, assertWriter, onProgress: onUpgrade });
    return opened;
  } catch (error) {
    await lease.release();
    await environment.close();
    throw toStoreError(error, environment.path);
  }
}

/** Reads the chain of a store, if it has any commit, during its opening: a second opening would check all pages again. */
function lookAtIdentity(check: LmdbStoreOptions["checkIdentity"]): StoreLook | undefined {
  if (check === undefined) return undefined;
  return ({ tables }) => {
    const row = tables.meta.get(META.identity);
    if (row === undefined) return;
    // Rows of an older format, and some in an upgrade, have no checksum.
    check(decodeIdentity(row.length === IDENTITY_BYTES ? row : openRow(META.identity, row)));
  };
}

class LmdbStore implements Store {
  readonly engine = "lmdb";
  readonly #root: RootDatabase;
  readonly #tables: Tables;
  readonly #path: string;
  readonly #lease: Lease | undefined;
  readonly #logger: Logger;
  readonly #transact: Environment["transact"];
  readonly #close: () => Promise<void>;
  readonly #source: ViewSource;
  readonly #meta: FastTable;
  readonly #tree: FastTable;
  /** Shared by new views. */
  #snapshot: Snapshot | undefined;
  #closed = false;
  #identity: StoreIdentity | undefined;
  /** The version that this process committed last. */
  #head: bigint | undefined;
  readonly #setBack: SetBackFlag = createSetBackFlag();
  /** Undefined where the store is open for reading. */
  readonly #thread: WriteThread | undefined;
  /** The commit under way in the thread; never rejects. Other writes wait for it. */
  #inThread: Promise<void> | undefined;
  #positionRow: Buffer | undefined;
  #position: Position | undefined;

  constructor(
    { root, tables, path, transact, giveUp, forThread, close }: Environment,
    lease: Lease | undefined,
    logger: Logger,
  ) {
    this.#close = close;
    this.#transact = transact;
    this.#logger = logger;
    this.#root = root;
    this.#tables = tables;
    this.#path = path;
    this.#lease = lease;
    this.#meta = toFastTable(tables.meta);
    this.#tree = toFastTable(tables.tree);
    this.#source = {
      tables,
      items: toFastTable(tables.items),
      seeker: new OlderSeeker(tables.items),
      openViews: new Set(),
    };
    if (forThread === undefined || lease === undefined) return;
    this.#thread = new WriteThread({
      environment: forThread,
      lease: lease.row,
      setBack: this.#setBack,
      logger,
      onSetBack: this.#tellSetBack,
      onGivenUp: giveUp,
    });
  }

  get identity(): StoreIdentity | undefined {
    if (this.#identity === undefined) {
      const row = getRow(this.#tables.meta, META.identity);
      if (row !== undefined) this.#identity = decodeIdentity(row);
    }
    return this.#identity;
  }

  openView(): StoreView {
    return new LmdbView(this.#source, this.#snapshot ?? this.#takeSnapshot());
  }

  openRawView(): StoreView {
    const snapshot = this.#snapshot ?? this.#takeSnapshot();
    return new LmdbView(this.#source, snapshot, { ...snapshot.position, refuted: undefined });
  }

  async getTreeNodes(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    const tree = this.#tree;
    // A plain get makes lmdb switch its buffer twice, which costs more than reading such a small node.
    return keys.map((key) => {
      const node = tree.getBinaryFast(key);
      return node === undefined ? undefined : copyBytes(node, 0, checkedBytes(key, node, tree.lastSize));
    });
  }

  async getSideRows(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return keys.map((key) => getRow(this.#tables.side, key));
  }

  async putSideRows(rows: readonly SideRow[]): Promise<void> {
    assertDiskSpace(this.#path, rows.length);
    await this.#write(() => writeSideRows(this.#tables, rows));
  }

  async putIndex(rows: readonly IndexRow[], sideRows: readonly SideRow[]): Promise<void> {
    assertDiskSpace(this.#path, rows.length);
    await this.#write(() => {
      putIndexRows(this.#tables, rows);
      writeSideRows(this.#tables, sideRows);
    });
  }

  async commit(batch: CommitBatch, identity?: StoreIdentity, options?: CommitOptions): Promise<void> {
    const { rows, bytes } = sizeOf(batch);
    assertDiskSpace(this.#path, rows, bytes);
    const size = bytes + rows * ROW_BYTES;
    while (this.#inThread !== undefined) await this.#inThread;
    const thread = this.#threadFor(size, options);
    if (thread !== undefined) await this.#commitIn(thread, batch, identity, size);
    else {
      await this.#write(() => {
        assertNotSetBack(this.#setBack, this.#path);
        commitBatch(this.#tables, this.#source.items, batch, identity);
      });
    }
    this.#head = batch.position.version;
  }

  async preload(base: BaseBatch): Promise<void> {
    await this.#write(() => {
      if (readPosition(this.#tables) !== undefined) {
        throw new StoreError("order", `the store at ${this.#path} already contains a ledger`);
      }
      writeBase(this.#tables, base);
    });
  }

  async setTrust({ trust, refuted }: TrustFacts, sideRows: readonly SideRow[]): Promise<void> {
    await this.#write(() => {
      const position = readPosition(this.#tables);
      if (position === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
      writeSideRows(this.#tables, sideRows);
      putRow(this.#tables.meta, META.position, encodePosition({ ...position, trust, refuted }));
    });
  }

  async prune(floor: bigint, maxRows: number): Promise<PruneStep> {
    assertDiskSpace(this.#path, maxRows);
    return await this.#write(() => {
      const position = readPosition(this.#tables);
      if (position === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
      return pruneTables(this.#tables, position, floor, maxRows);
    });
  }

  async rewind(batch: RewindBatch): Promise<void> {
    assertDiskSpace(this.#path, batch.keyHashes.length + batch.treeNodes.length);
    await this.#write(() => {
      assertNotSetBack(this.#setBack, this.#path);
      const head = readPosition(this.#tables);
      if (head === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
      rewindTables(this.#tables, head, batch);
    });
    this.#head = batch.position.version;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#inThread;
    await this.#thread?.end();
    this.#endSnapshot();
    for (const view of [...this.#source.openViews]) view.release();
    await this.#lease?.release();
    await this.#close();
  }

  /** Runs `action` in one write transaction under the lease: atomic, and on disk when this returns. */
  async #write<T>(action: () => T): Promise<T> {
    while (this.#inThread !== undefined) await this.#inThread;
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
    let slots: number;
    try {
      slots = this.#root.readerCheck();
    } catch (error) {
      throw toStoreError(error, this.#path);
    }
    if (slots > 0) this.#logger.info({ slots }, "cleared the slots of dead readers");
  }

  /** The thread, if it is to write the batch and has started. */
  #threadFor(size: number, options: CommitOptions | undefined): WriteThread | undefined {
    if (options?.isFollowed !== true) {
      void this.#thread?.end();
      return undefined;
    }
    if (this.#closed || size > MAX_THREAD_BYTES) return undefined;
    return this.#thread?.getReady() === true ? this.#thread : undefined;
  }

  async #commitIn(
    thread: WriteThread,
    batch: CommitBatch,
    identity: StoreIdentity | undefined,
    size: number,
  ): Promise<void> {
    this.#clearDeadReaders();
    const writing = thread.commit(batch, identity, size).finally(() => {
      this.#inThread = undefined;
      // The next read must see this write.
      this.#endSnapshot();
      this.#root.resetReadTxn();
    });
    this.#inThread = writing.catch(() => {});
    await writing;
  }

  #onSetBack = (): void => {
    noteSetBack(this.#setBack);
    this.#tellSetBack();
  };

  #tellSetBack = (): void => {
    this.#logger.warn({}, "a process that opened the store had set its head back: set right");
  };

  #takeSnapshot(): Snapshot {
    for (let tries = 0; tries < MAX_SNAPSHOT_TRIES; tries++) {
      const snapshot = this.#beginSnapshot();
      if (this.#head === undefined || snapshot.position.version >= this.#head) return snapshot;
      this.#endSnapshot();
      this.#transact(() => {}, this.#onSetBack);
      this.#root.resetReadTxn();
    }
    throw new StoreError("corrupt", `the store at ${this.#path} has lost version ${this.#head}`);
  }

  #beginSnapshot(): Snapshot {
    const transaction = this.#root.useReadTransaction();
    try {
      const row = this.#meta.getBinaryFast(META.position, { transaction });
      if (row === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
      const end = checkedBytes(META.position, row, this.#meta.lastSize);
      const position = this.#decodePosition(row.subarray(0, end));
      const snapshot = new Snapshot(transaction, position, this.#source.seeker);
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

  /** Caches the last position: most views read the same row. */
  #decodePosition(row: Uint8Array): Position {
    if (this.#position === undefined || this.#positionRow?.equals(row) !== true) {
      this.#positionRow = Buffer.from(row);
      this.#position = decodePosition(this.#positionRow);
    }
    return this.#position;
  }
}

function sizeOf(batch: CommitBatch): { rows: number; bytes: number } {
  const { writes, records, blocks, treeNodes, index = [], sideRows = [] } = batch;
  let bytes = 0;
  for (const { value } of writes) bytes += value?.length ?? 0;
  for (const { bytes: record } of records) bytes += record.length;
  for (const { value } of treeNodes) bytes += value?.length ?? 0;
  // With a proof window, these hold every changed tree node of every block.
  for (const { value } of sideRows) bytes += value?.length ?? 0;
  const lists = [writes, records, blocks, treeNodes, index, sideRows];
  return { rows: lists.reduce((sum, { length }) => sum + length, 0), bytes };
}
