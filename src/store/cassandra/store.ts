// The Cassandra engine: one ledger in a cluster that any number of processes on any number of machines read, and
// one writes. What is written is immutable; one row says how far it counts.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { CacheStats } from "../../base/cache-stats.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { BaseBatch, CommitBatch, PruneStep, SideRow, StoreIdentity, StoreView } from "../contract.ts";
import { StoreError } from "../errors.ts";
import type { SharedStore } from "../writer-lease.ts";
import { Blocks } from "./blocks.ts";
import { toReadError } from "./failure.ts";
import type { DriverFigures } from "./figures.ts";
import { HeadRow } from "./head.ts";
import { HeadLease } from "./lease.ts";
import { type CassandraSettings, type CassandraStoreOptions, toSettings } from "./options.ts";
import { pruneStep } from "./prune.ts";
import { RowWriter } from "./row-writer.ts";
import { ensureSchema } from "./schema.ts";
import { Session } from "./session.ts";
import { createStatements } from "./statements.ts";
import { asBuffer, Tables } from "./tables.ts";
import { ClusterView, type ViewSource } from "./view.ts";
import { type HeadSnapshot, HeadWatch } from "./watch.ts";

/** A store in a cluster. */
export interface CassandraStore extends SharedStore {
  /** What the driver does, for metrics. */
  readonly figures: DriverFigures;
  readonly blockCache: CacheStats;
  preload(base: BaseBatch): Promise<void>;
}

/**
 * Opens a ledger in a cluster. Its tables are made where they are missing, unless it is opened for reading only.
 * Throws StoreError when the cluster cannot be reached or used, and ConfigError for options that cannot be.
 */
export async function openCassandraStore(options: CassandraStoreOptions): Promise<CassandraStore> {
  const settings = toSettings(options);
  const session = await Session.connect(settings);
  try {
    await ensureSchema(session, settings);
    const store = new ClusterStore(session, settings);
    await store.look();
    settings.logger.info(
      { store: session.where, ledger: settings.ledger, readOnly: settings.readOnly },
      "store opened",
    );
    return store;
  } catch (error) {
    await session.close();
    throw error;
  }
}

class ClusterStore implements CassandraStore {
  readonly engine = "cassandra";
  readonly lease: HeadLease;
  readonly #session: Session;
  readonly #tables: Tables;
  readonly #watch: HeadWatch;
  readonly #writer: RowWriter;
  readonly #source: ViewSource;
  #isClosed = false;

  constructor(session: Session, settings: CassandraSettings) {
    const { keyspace, ledger, leaseTtlMs, readOnly } = settings;
    const row = new HeadRow(session, keyspace, ledger);
    const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
    this.#session = session;
    this.#tables = new Tables(session, createStatements(keyspace), ledger);
    this.#watch = new HeadWatch(row, settings.headMaxAgeMs);
    this.#writer = new RowWriter({ tables: this.#tables, row, watch: this.#watch, owner }, settings);
    this.lease = new HeadLease(row, this.#writer, { ttlMs: leaseTtlMs, readOnly });
    this.#source = {
      tables: this.#tables,
      blocks: new Blocks(this.#tables),
      watch: this.#watch,
      openViews: new Set(),
      tenure: () => this.#writer.tenure,
    };
  }

  get identity(): StoreIdentity | undefined {
    return this.#watch.known?.head.identity;
  }

  get blockCache(): CacheStats {
    return this.#source.blocks.cacheStats();
  }

  get figures(): DriverFigures {
    return this.#session.figures;
  }

  /** Reads the head row once, so that the identity is known. */
  async look(): Promise<void> {
    await this.#watch.current();
  }

  async openView(): Promise<StoreView> {
    await this.#settle();
    const snapshot = await this.#watch.current();
    if (snapshot?.position === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
    return new ClusterView(this.#source, snapshot.position, snapshot.terms);
  }

  async getTreeNodes(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    const { head, terms } = await this.#latest();
    return Promise.all(keys.map((key) => this.#tables.findNode(asBuffer(key), head.seq, terms)));
  }

  async getSideRows(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    const { head, terms } = await this.#latest();
    return Promise.all(keys.map((key) => this.#tables.findSide(asBuffer(key), head.seq, terms)));
  }

  async putSideRows(rows: readonly SideRow[]): Promise<void> {
    await this.#writer.putSideRows(rows);
  }

  async commit(batch: CommitBatch, identity?: StoreIdentity): Promise<void> {
    await this.#writer.commit(batch, identity);
  }

  async preload(base: BaseBatch): Promise<void> {
    await this.#writer.preload(base);
  }

  async prune(floor: bigint, maxRows: number): Promise<PruneStep> {
    return this.#writer.queue(async () => {
      await this.#writer.recover();
      const { position } = this.#writer.head;
      if (position === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
      const { blocks, openViews } = this.#source;
      return pruneStep({ writer: this.#writer, blocks, openViews }, position, floor, maxRows);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const view of [...this.#source.openViews]) view.release();
    try {
      await this.lease.release();
    } catch (error) {
      // A right that cannot be given back lapses.
      if (!(error instanceof StoreError)) throw error;
    } finally {
      await this.#session.close();
    }
  }

  async #settle(): Promise<void> {
    try {
      await this.#writer.settle();
    } catch (error) {
      // One who may not write any more can still read.
      if (error instanceof StoreError && error.code === "locked") return;
      throw toReadError(error, this.#session.where);
    }
  }

  /** The newest snapshot: what this process wrote, or else what can be read. */
  async #latest(): Promise<Pick<HeadSnapshot, "head" | "terms">> {
    await this.#settle();
    if (this.#writer.tenure !== undefined) return { head: this.#writer.head, terms: this.#writer.terms };
    const snapshot = await this.#watch.current();
    if (snapshot === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
    return snapshot;
  }
}
