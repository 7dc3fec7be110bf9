// The Cassandra engine: one ledger in a cluster, read by any number of processes on any number of machines and
// written by one. Rows are immutable; the head row tells up to which version they count. The head row also has the writer's
// lease, which its holder renews with heartbeats. Another process takes it if it was released, or if the row did not change
// for a whole TTL by that process's own clock. No clocks are compared: a slow holder finds its term ended at its next write.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { CacheStats } from "../../base/cache-stats.ts";
import type { Position } from "../../ledger/position.ts";
import type {
  BaseBatch,
  CommitBatch,
  PruneStep,
  RewindBatch,
  SharedStore,
  SideChange,
  StoreIdentity,
  StoreView,
  WriterLease,
} from "../contract.ts";
import { StoreError } from "../errors.ts";
import { requireLedger, withoutRefutation } from "../read-check.ts";
import { Blocks } from "./blocks.ts";
import { toReadError } from "./failure.ts";
import type { DriverFigures } from "./figures.ts";
import { type Head, HeadRow, takenOver } from "./head.ts";
import { HeadCache, type HeadSnapshot } from "./head-cache.ts";
import { ClusterIndexWalk } from "./index-walk.ts";
import { ItemCache } from "./item-cache.ts";
import { type CassandraSettings, type CassandraStoreOptions, toSettings } from "./options.ts";
import { pruneStep } from "./prune.ts";
import { RowWriter } from "./row-writer.ts";
import { ensureSchema } from "./schema.ts";
import { type CreateClient, Session } from "./session.ts";
import { createStatements } from "./statements.ts";
import { asBuffer, Tables } from "./tables.ts";
import type { Terms } from "./terms.ts";
import { ClusterView, type ViewSource } from "./view.ts";

/** The lease of one process on one ledger. */
class HeadLease implements WriterLease {
  readonly ttlMs: number;
  readonly #row: HeadRow;
  readonly #writer: RowWriter;
  readonly #readOnly: boolean;
  #beat = 0;
  /** Last heartbeat of another holder, and when this process first saw it. */
  #seen: { readonly heartbeat: string; readonly at: number } | undefined;

  constructor(
    row: HeadRow,
    writer: RowWriter,
    options: { readonly ttlMs: number; readonly readOnly: boolean },
  ) {
    this.#row = row;
    this.#writer = writer;
    this.ttlMs = options.ttlMs;
    this.#readOnly = options.readOnly;
  }

  get token(): bigint | undefined {
    const term = this.#writer.tenure?.head.term;
    return term === undefined ? undefined : BigInt(term);
  }

  async acquire(): Promise<bigint | undefined> {
    if (this.#readOnly) throw new StoreError("unwritable", "the store is open for reading only");
    if (await this.#isMine()) return this.token;
    // Not a serial read: that would slow down the transactions of the current writer.
    const head = (await this.#row.load()) ?? (await this.#row.create());
    if (this.#isHeld(head)) return undefined;
    if (!(await this.#writer.begin(head))) return undefined;
    this.#beat = 0;
    this.#seen = undefined;
    return this.token;
  }

  async renew(): Promise<void> {
    this.#beat++;
    for (;;) {
      const term = this.#writer.tenure?.head.term;
      if (term === undefined) throw takenOver(this.#writer.where, undefined);
      if (await this.#row.heartbeat(term, this.#beat)) return;
      // This process may have begun a new term meanwhile, or be about to learn that it has.
      if (this.#writer.tenure?.head.term !== term) continue;
      const head = await this.#row.loadSerial();
      if (head?.owner !== this.#writer.owner) {
        this.#writer.end();
        throw takenOver(this.#writer.where, head);
      }
      if (await this.#row.heartbeat(head.term, this.#beat)) return;
    }
  }

  async release(): Promise<void> {
    await this.#writer.drain();
    const term = this.#writer.tenure?.head.term;
    if (term === undefined) return;
    this.#writer.end();
    await this.#row.release(term);
  }

  /** True if this process still holds the lease. */
  async #isMine(): Promise<boolean> {
    if (this.token === undefined) return false;
    try {
      await this.renew();
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === "locked") return false;
      throw error;
    }
  }

  /** True while another process may hold the lease. */
  #isHeld(head: Head): boolean {
    if (head.owner === undefined || head.owner === this.#writer.owner) return false;
    const heartbeat = `${head.term}/${head.beat}/${head.seq}`;
    const now = performance.now();
    if (this.#seen?.heartbeat !== heartbeat) this.#seen = { heartbeat, at: now };
    return now - this.#seen.at < this.ttlMs;
  }
}

/** A store in a cluster. */
export interface CassandraStore extends SharedStore {
  /** Statistics of the driver, for metrics. */
  readonly figures: DriverFigures;
  readonly blockCache: CacheStats;
  preload(base: BaseBatch): Promise<void>;
  /** A walk over the index and all items, for a check. */
  openIndexWalk(): Promise<ClusterIndexWalk>;
}

/**
 * Opens a ledger in a cluster, and creates missing tables unless it is opened read-only. Throws StoreError if the
 * cluster is unreachable or unusable, ConfigError for invalid options.
 */
export async function openCassandraStore(
  options: CassandraStoreOptions,
  createClient?: CreateClient,
): Promise<CassandraStore> {
  const settings = toSettings(options);
  const session = await Session.connect(settings, createClient);
  try {
    await ensureSchema(session, settings);
    const store = new ClusterStore(session, settings);
    await store.loadHead();
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
  readonly #headCache: HeadCache;
  readonly #writer: RowWriter;
  readonly #source: ViewSource;
  #isClosed = false;

  constructor(session: Session, settings: CassandraSettings) {
    const { keyspace, ledger, leaseTimeMs, readOnly } = settings;
    const row = new HeadRow(session, keyspace, ledger);
    const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
    this.#session = session;
    this.#tables = new Tables(session, createStatements(keyspace), row);
    this.#headCache = new HeadCache(row, settings.headMaxAgeMs);
    this.#writer = new RowWriter({ tables: this.#tables, row, headCache: this.#headCache, owner }, settings);
    this.lease = new HeadLease(row, this.#writer, { ttlMs: leaseTimeMs, readOnly });
    this.#source = {
      tables: this.#tables,
      items: new ItemCache(this.#tables, settings.itemCacheBytes),
      blocks: new Blocks(this.#tables),
      headCache: this.#headCache,
      openViews: new Set(),
      readSide: async (key) => (await this.getSideRows([key]))[0],
      tenure: () => this.#writer.tenure,
    };
  }

  get identity(): StoreIdentity | undefined {
    return this.#headCache.known?.head.identity;
  }

  get blockCache(): CacheStats {
    return this.#source.blocks.cacheStats();
  }

  get figures(): DriverFigures {
    return this.#session.figures;
  }

  /** Reads the head row once, so that the identity is known. */
  async loadHead(): Promise<void> {
    await this.#headCache.current();
  }

  async openView(): Promise<StoreView> {
    const { position, terms } = await this.#snapshot();
    return new ClusterView(this.#source, position, terms);
  }

  async openRawView(): Promise<StoreView> {
    const { position, terms } = await this.#snapshot();
    return new ClusterView(this.#source, withoutRefutation(position), terms);
  }

  async #snapshot(): Promise<{ readonly position: Position; readonly terms: Terms }> {
    await this.#recoverIfNeeded();
    const { position, terms } = requireLedger(await this.#headCache.current());
    return { position: requireLedger(position), terms };
  }

  async getTreeNodes(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    const { head, terms } = await this.#latest();
    return Promise.all(keys.map((key) => this.#tables.findNode(asBuffer(key), head.seq, terms)));
  }

  async getSideRows(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    const { head, terms } = await this.#latest();
    return Promise.all(keys.map((key) => this.#tables.findSide(asBuffer(key), head.seq, terms)));
  }

  async writeSide(change: SideChange): Promise<void> {
    await this.#writer.writeSide(change);
  }

  async openIndexWalk(): Promise<ClusterIndexWalk> {
    const view = await this.openView();
    try {
      const { terms } = await this.#latest();
      return new ClusterIndexWalk(this.#tables, terms, view.position, {
        items: await view.getIndexedTo(),
        transactions: await view.getIndexedTo("transactions"),
      });
    } finally {
      view.release();
    }
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
      const position = requireLedger(this.#writer.head.position);
      const { blocks, openViews } = this.#source;
      return pruneStep({ writer: this.#writer, blocks, openViews }, position, floor, maxRows);
    });
  }

  async rewind(batch: RewindBatch): Promise<void> {
    await this.#writer.rewind(batch, (height, terms) => this.#source.blocks.read(height, terms));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const view of [...this.#source.openViews]) view.release();
    try {
      await this.lease.release();
    } catch (error) {
      // A lease that cannot be released expires.
      if (!(error instanceof StoreError)) throw error;
    } finally {
      await this.#session.close();
    }
  }

  async #recoverIfNeeded(): Promise<void> {
    try {
      await this.#writer.recoverIfNeeded();
    } catch (error) {
      // A process that lost the lease can still read.
      if (error instanceof StoreError && error.code === "locked") return;
      throw toReadError(error, this.#session.where);
    }
  }

  /** The newest snapshot: the writer's own, or else the head row. */
  async #latest(): Promise<Pick<HeadSnapshot, "head" | "terms">> {
    await this.#recoverIfNeeded();
    if (this.#writer.tenure !== undefined) return { head: this.#writer.head, terms: this.#writer.terms };
    return requireLedger(await this.#headCache.current());
  }
}
