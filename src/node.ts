import { ConfigError } from "./base/errors.ts";
import { type Logger, silentLogger } from "./base/log.ts";
import { andThen, type MaybePromise } from "./base/maybe-promise.ts";
import type { ChainGuide } from "./chain/guide.ts";
import type { BalanceDetailAnswer } from "./http/operations/get-balance-detail.ts";
import { assetCacheStats } from "./http/schemas/asset-type.ts";
import type { BalanceChange } from "./ledger/balance-history.ts";
import { balanceKeyCacheStats } from "./ledger/balance-keys.ts";
import { LedgerError } from "./ledger/errors.ts";
import type { Ledger, LedgerView } from "./ledger/view.ts";
import { BalanceQuestions } from "./node/balance-questions.ts";
import { DriverHistogram, type DriverReport, driverGauges } from "./node/driver-metrics.ts";
import { Faults } from "./node/faults.ts";
import { followGauges, followInfo, unhealthyReasonOf, WaypointInfo } from "./node/follow-report.ts";
import { passThroughOf, refuseUnknownState } from "./node/following.ts";
import { cacheGauges, faultGauges, httpGauges, ledgerGauges, writerGauges } from "./node/gauges.ts";
import { HttpFrontend } from "./node/http-frontend.ts";
import { electionInfo, nodeInfo } from "./node/info.ts";
import { LedgerWriter } from "./node/ledger-writer.ts";
import { createMetrics, type MetricFigures, type Metrics } from "./node/metrics.ts";
import type {
  BatchAnswer,
  HistoryOptions,
  LedgerInfo,
  Node,
  NodeOptions,
  ReadOptions,
} from "./node/options.ts";
import { Reader } from "./node/reader.ts";
import { planStart, type StartPlan } from "./node/start-plan.ts";
import { awaitStore, type OpenedStore, openStore } from "./node/store-opening.ts";
import type { NodeStatus, WorkerSetup } from "./node/worker-messages.ts";
import { WriterElection } from "./node/writer-election.ts";
import type { Store } from "./store/contract.ts";
import { StoreError } from "./store/errors.ts";
import { assertHead } from "./sync/check/head-check.ts";
import { type PruneWindow, parsePruneWindow } from "./sync/prune-window.ts";

export type { BalanceDetailAnswer } from "./http/operations/get-balance-detail.ts";
export type { BalanceChange } from "./ledger/balance-history.ts";
export { type CopyOptions, type CopyReport, copyData } from "./node/copying.ts";
export { type GenesisReport, verifyGenesis } from "./node/genesis-report.ts";
export type {
  BatchAnswer,
  CassandraOptions,
  FollowOptions,
  HistoryEnd,
  HistoryOptions,
  HttpOptions,
  LedgerInfo,
  LocalChainOptions,
  Node,
  NodeOptions,
  ReadOptions,
} from "./node/options.ts";
export {
  backupData,
  type CheckProgress,
  type CopyWatch,
  checkData,
  restoreData,
  type StoreReport,
} from "./node/store-tools.ts";

/** History kept unless said otherwise. */
const DEFAULT_PRUNE_WINDOW = "24h";

/** Faults of a store that mean: nothing was touched, something about the start must change. */
const USAGE_CODES = ["locked", "absent", "format", "identity", "unwritable", "unreachable"];

/** True for faults of configuration or surroundings, where nothing was touched. */
export function isUsageFault(error: unknown): boolean {
  if (error instanceof ConfigError) return true;
  return error instanceof StoreError && USAGE_CODES.includes(error.code);
}

/** Starts a node. Everything that can be refused is refused before anything is written. */
export async function createNode(options: NodeOptions = {}): Promise<Node> {
  const node = new SextantNode(options);
  try {
    await node.start();
  } catch (error) {
    await node.close();
    throw error;
  }
  return node;
}

/** How a worker process reaches the one that writes. */
export interface WorkerLink {
  /** What that one last said of the node. */
  readonly status: () => NodeStatus;
  /** The metrics page of all processes. */
  readonly page: () => Promise<string>;
  readonly logger: Logger;
}

/** Starts what a worker process runs of a node: it reads the store and answers. */
export async function createWorkerNode(
  setup: WorkerSetup,
  link: WorkerLink,
): Promise<{ readonly node: Node; readonly figures: () => Promise<MetricFigures> }> {
  const node = new SextantNode({ ...setup.node, readOnly: true, logger: link.logger }, { ...setup, ...link });
  await node.start();
  return { node, figures: () => node.figures() };
}

/** What a worker knows from the process that started it. */
type WorkerRole = WorkerSetup & WorkerLink;

class SextantNode implements Node, Ledger {
  readonly faulted: Promise<Error>;
  readonly #options: NodeOptions;
  readonly #logger: Logger;
  readonly #window: PruneWindow;
  readonly #waypoints = new WaypointInfo();
  readonly #reader = new Reader(this);
  readonly #questions = new BalanceQuestions(this.#reader);
  readonly #startedMs: number;
  readonly #role: WorkerRole | undefined;
  readonly #metrics: Metrics;
  readonly #faults: Faults;
  readonly #closing = new AbortController();
  #plan: StartPlan | undefined;
  #frontend: HttpFrontend | undefined;
  #store: Store | undefined;
  #driver: (() => DriverReport) | undefined;
  /** Says when to write, where other processes may write too. */
  #election: WriterElection | undefined;
  #writer: LedgerWriter | undefined;

  constructor(options: NodeOptions, role?: WorkerRole) {
    this.#options = options;
    this.#role = role;
    this.#startedMs = role?.startedMs ?? Date.now();
    this.#logger = options.logger ?? silentLogger;
    this.#window = parsePruneWindow(options.pruneWindow ?? DEFAULT_PRUNE_WINDOW);
    this.#faults = new Faults(this.#logger, (error) => this.#election?.divert(error) ?? false);
    this.faulted = this.#faults.stopped;
    const isCluster = options.cassandra !== undefined;
    const driver = (): DriverReport | undefined => this.#driver?.();
    const gauges = [
      ...ledgerGauges(this),
      ...cacheGauges("module", "parsed modules", () => this.#reader.modules.stats()),
      ...cacheGauges("asset", "parsed asset types", assetCacheStats),
      ...cacheGauges("balance_key", "state keys of balances", balanceKeyCacheStats),
      ...cacheGauges("tree", "nodes of the state tree", () => this.#writer?.treeCache, ["bytes", "maxBytes"]),
      ...httpGauges(() => this.#frontend?.figures()),
      ...followGauges(
        () => this.#writer?.following,
        () => this.#headVersion(),
      ),
      ...faultGauges(this.#faults),
      ...writerGauges(
        () => this.#writer,
        () => this.#election,
      ),
      ...(isCluster
        ? [...driverGauges(driver), ...cacheGauges("block", "block rows", () => driver()?.blockCache)]
        : []),
    ];
    this.#metrics = createMetrics(gauges, isCluster ? [new DriverHistogram(driver)] : []);
  }

  get url(): string | undefined {
    return this.#frontend?.url;
  }

  async start(): Promise<void> {
    const { genesis, data, cassandra, readOnly = false, http } = this.#options;
    const logger = this.#logger;
    const plan = await planStart(this.#options);
    this.#plan = plan;
    // Refusals come before the store is touched: first the files, then the port.
    if (http !== undefined) {
      this.#frontend = this.#createFront(http, plan);
      await this.#frontend.open();
    }
    const opening = { data, cassandra, readOnly, check: plan.check, logger };
    if (readOnly) {
      await this.#openForReading(opening);
      return;
    }
    const opened = await openStore(opening);
    const { store, lease } = opened;
    this.#take(opened);
    if (genesis !== undefined && plan.proven === undefined) {
      logger.warn({}, "the genesis file is unproven: no waypoint was given");
    }
    if (lease === undefined) {
      const writer = this.#createWriter(store, plan);
      await writer.prepare();
      await this.#startWorkers();
      writer.run();
      return;
    }
    this.#election = new WriterElection({
      lease,
      begin: async () => {
        await assertHead(store);
        const writer = this.#createWriter(store, plan);
        await writer.prepare();
        writer.run();
      },
      end: async () => {
        await this.#writer?.stop();
        this.#writer = undefined;
      },
      onFault: (error) => this.#faults.report("taking over", error),
      onReach: (error) => {
        if (error === undefined) this.#faults.clear("lease");
        else this.#faults.report("lease", error);
      },
      logger,
    });
    await this.#election.start();
    await this.#startWorkers();
  }

  /** A server that reads waits for its store; one who only calls is told that there is none. */
  async #openForReading(opening: Parameters<typeof openStore>[0]): Promise<void> {
    if (this.#frontend === undefined) {
      this.#take(await openStore(opening));
      return;
    }
    await awaitStore(opening, {
      onOpen: (opened) => this.#take(opened),
      onFault: (error) => this.#faults.report("store", error),
      signal: this.#closing.signal,
    });
    await this.#startWorkers();
  }

  #take({ store, driver }: OpenedStore): void {
    this.#store = store;
    this.#driver = driver;
  }

  #createWriter(store: Store, plan: StartPlan): LedgerWriter {
    const { localChain } = this.#options;
    this.#writer = new LedgerWriter({
      store,
      plan,
      localChain,
      window: this.#window,
      faults: this.#faults,
      onCommit: this.#metrics.onCommit,
      logger: this.#logger,
    });
    return this.#writer;
  }

  async #startWorkers(): Promise<void> {
    if (this.#writer?.following?.isLazy === true) {
      this.#frontend?.assertAlone("a ledger that started in the middle is answered by one process");
    }
    const { data, cassandra, pruneWindow, follow } = this.#options;
    await this.#frontend?.startWorkers({
      setup: {
        node: {
          ...(data === undefined ? {} : { data }),
          ...(cassandra === undefined ? {} : { cassandra }),
          ...(pruneWindow === undefined ? {} : { pruneWindow }),
          ...(follow === undefined ? {} : { follow }),
        },
        startedMs: this.#startedMs,
        genesisWaypoint: this.#plan?.check?.waypoint,
      },
      status: async () => this.#status(await this.#headVersion()),
      onFault: (error) => this.#faults.report("workers", error),
    });
  }

  #createFront(http: NonNullable<NodeOptions["http"]>, plan: StartPlan): HttpFrontend {
    return new HttpFrontend({
      http,
      server: {
        ...passThroughOf(this.#options.follow),
        ledger: this,
        encode: (body, view) => this.#reader.encode(body, view),
        nodeInfo: (view) => this.#info(view),
        unhealthyReason: () => this.#status(undefined).unhealthyReason,
        unready: () => this.#status(undefined).unready,
        // The same URL may serve another chain tomorrow when the chain is a local one.
        cachePinned: this.#role?.cachePinned ?? plan.chain === undefined,
      },
      metrics: this.#metrics,
      page: this.#role?.page,
      logger: this.#logger,
    });
  }

  /** What this process has counted. */
  figures(): Promise<MetricFigures> {
    return this.#metrics.figures();
  }

  openView(): MaybePromise<LedgerView> {
    const store = this.#store;
    if (store === undefined) throw new LedgerError("no_ledger", "the node is still starting");
    return andThen(
      store.openView(),
      (view) => this.#writer?.following?.viewOver(view) ?? refuseUnknownState(view, store),
    );
  }

  #headVersion(): Promise<bigint | undefined> {
    return this.#reader.withView(({ position }) => position.version).catch(() => undefined);
  }

  balance(address: string, asset: string, options: ReadOptions = {}): Promise<bigint> {
    return this.#reader.balance(address, asset, options);
  }

  rawItem(
    handle: string,
    key: string | Uint8Array,
    options: ReadOptions = {},
  ): Promise<Uint8Array | undefined> {
    return this.#reader.rawItem(handle, key, options);
  }

  balances(
    pairs: readonly { readonly address: string; readonly asset: string }[],
    options: ReadOptions = {},
  ): Promise<BatchAnswer<bigint>> {
    return this.#questions.balances(pairs, options);
  }

  rawItems(
    items: readonly { readonly handle: string; readonly key: string | Uint8Array }[],
    options: ReadOptions = {},
  ): Promise<BatchAnswer<Uint8Array | undefined>> {
    return this.#questions.rawItems(items, options);
  }

  balanceDetail(address: string, asset: string, options: ReadOptions = {}): Promise<BalanceDetailAnswer> {
    return this.#questions.detail(address, asset, options);
  }

  balanceHistory(address: string, asset: string, options: HistoryOptions = {}): AsyncIterable<BalanceChange> {
    return this.#questions.history(address, asset, options);
  }

  encodeSubmission(request: object | string | Uint8Array): Promise<Uint8Array> {
    return this.#reader.encodeSubmission(request);
  }

  info(): Promise<Readonly<Record<string, unknown>>> {
    return this.#reader.withView((view) => this.#info(view));
  }

  async #info(view: LedgerView | undefined): Promise<Readonly<Record<string, unknown>>> {
    const status = this.#status(view?.position.version);
    // Where a ledger started in the middle its roots are another's word, not to be handed on as proof.
    const isWhole = this.#writer?.following?.isLazy !== true;
    return nodeInfo({
      ...status,
      position: view?.position,
      engine: this.#store?.engine,
      window: this.#window,
      uptimeSeconds: Math.floor((Date.now() - this.#startedMs) / 1000),
      more: {
        ...(isWhole
          ? await this.#waypoints.read(view, this.#role?.genesisWaypoint ?? this.#plan?.check?.waypoint)
          : {}),
        ...status.more,
      },
    });
  }

  /** How the node is; workers know it from the process that writes. */
  #status(version: bigint | undefined): NodeStatus {
    if (this.#role !== undefined) return this.#role.status();
    const following = this.#writer?.following;
    return {
      syncMode: this.#syncMode(),
      syncState: this.#syncState(),
      fault: this.#faults.reason,
      unhealthyReason: this.#unhealthyReason(),
      unready: this.#faults.reason,
      more: {
        ...(following === undefined ? {} : followInfo(following, version)),
        ...electionInfo(this.#election),
      },
    };
  }

  /** Why the process should be started anew; what may pass is no reason for that. */
  #unhealthyReason(): string | undefined {
    const { final, reason } = this.#faults;
    if (final !== undefined) return reason;
    // A follower that waits for its store says so like one that waits for others.
    return reason === undefined ? unhealthyReasonOf(this.#writer?.following?.status()) : undefined;
  }

  #syncMode(): "local" | "follow" | "static" | "read-only" {
    if (this.#options.readOnly === true) return "read-only";
    if (this.#options.follow !== undefined) return "follow";
    return this.#plan?.chain === undefined ? "static" : "local";
  }

  #syncState(): string {
    if (this.#faults.final !== undefined) return "faulted";
    if (this.#faults.reason !== undefined) return "waiting";
    if (this.#election?.role === "standby") return "standby";
    const follow = this.#writer?.following?.status();
    if (follow !== undefined) return follow.state;
    return this.#writer?.blocks?.isMoving === true ? "moving" : "standing";
  }

  ledgerInfo(): Promise<LedgerInfo> {
    return this.#reader.ledgerInfo();
  }

  async produceBlock(): Promise<LedgerInfo> {
    const blocks = this.#writer?.blocks;
    if (blocks === undefined) throw new ConfigError("this node makes no blocks");
    await blocks.produce(undefined);
    return this.ledgerInfo();
  }

  guide(): ChainGuide | undefined {
    return this.#plan?.chain?.guide();
  }

  /** Close order: nothing new comes in, no pruning, no requests, then the store. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#election?.stop();
    await this.#writer?.stop();
    await this.#frontend?.close();
    await this.#store?.close();
    this.#store = undefined;
  }
}
